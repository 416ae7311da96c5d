/** Describes a series by its median and its quartiles. A single sample that hit a pause would distort the mean. */

export interface Figure {
  readonly median: number;
  /** Missing if there is one value and no series, such as a size. */
  readonly quartiles?: { readonly low: number; readonly high: number };
}

export function figureOf(series: readonly number[]): Figure {
  const sorted = series.toSorted((one, other) => one - other);
  return {
    median: rounded(quantile(sorted, 0.5)),
    quartiles: { low: rounded(quantile(sorted, 0.25)), high: rounded(quantile(sorted, 0.75)) },
  };
}

export const single = (value: number): Figure => ({ median: rounded(value) });

export function medianOf(series: readonly number[]): number {
  return quantile(
    series.toSorted((one, other) => one - other),
    0.5,
  );
}

/** Interpolates between two neighbours; `sorted` in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('Expected a series of at least one value.');
  return below + (above - below) * (position - Math.floor(position));
}

/** Four digits are more than any of these measurements is accurate to. */
const rounded = (value: number): number => Number(value.toPrecision(4));
