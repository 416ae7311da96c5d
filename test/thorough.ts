/**
 * `npm test` runs of the long lists and of the random cases as many as show a fault soon; `npm run check` and CI run all
 * of them, by setting `THOROUGH=1`.
 */

const IS_THOROUGH = process.env['THOROUGH'] === '1';

/** How many times something is tried. */
export function times(count: { readonly thorough: number; readonly otherwise: number }): number {
  return IS_THOROUGH ? count.thorough : count.otherwise;
}

/** Of a list, the first and each nth after it. */
export function oneIn<T>(n: number, list: readonly T[]): readonly T[] {
  return IS_THOROUGH ? list : list.filter((_, index) => index % n === 0);
}
