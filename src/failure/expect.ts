/**
 * Checks of what callers hand in, all with one form of message: the option, what it may be, what it was. A mistyped
 * number is found here when it is said, and not hours later as a retry storm.
 */

/** What a number may be. */
export interface NumberRange {
  /** Inclusive. @default 0 */
  readonly min?: number;
  /** Inclusive; `Infinity` stands for "no limit". @default any finite number */
  readonly max?: number;
  /** @default false */
  readonly integer?: boolean;
}

/** Hands a number back. @throws TypeError for anything else: ``Expected `maxRetries` to be an integer ≥ 0, got NaN.`` */
export function expectNumber(name: string, value: unknown, range: NumberRange = {}): number {
  const { min = 0, max = Number.MAX_VALUE, integer = false } = range;
  if (typeof value === 'number' && value >= min && value <= max) {
    if (!integer || Number.isInteger(value) || value === Infinity) return value;
  }
  const limits = max < Number.MAX_VALUE ? `from ${min} to ${max}` : `≥ ${min}`;
  const kind = integer ? 'an integer' : max === Number.MAX_VALUE ? 'a finite number' : 'a number';
  throw new TypeError(mismatch(name, `${kind} ${limits}`, value));
}

/** Hands one of several words back. @throws TypeError that lists them */
export function expectOneOf<const T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((known) => known === value);
  if (found === undefined) throw new TypeError(mismatch(name, `one of '${allowed.join("', '")}'`, value));
  return found;
}

/** Hands the index of a retry back, which counts from 0. @throws RangeError for any other value */
export function expectIndex(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) return value;
  throw new RangeError(mismatch(name, 'an integer ≥ 0', value));
}

/** ``Expected `name` to be so, got that.`` */
export function mismatch(name: string, expected: string, value: unknown): string {
  return `Expected \`${name}\` to be ${expected}, got ${shown(value)}.`;
}

/** Enough of a value to recognise the mistake. Objects and long texts may hold what does not belong in a log. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 32 ? 'a long string' : JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}
