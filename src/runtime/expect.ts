/**
 * Checks the values of callers. All messages have one form: the option, the expected value, the actual value. A
 * mistyped number is reported here when it is passed, not hours later as a retry storm.
 */

import { hasMethod, isObject } from './values.ts';

/** The range of a number. */
export interface NumberRange {
  /** Inclusive. @default 0 */
  readonly min?: number;
  /** Inclusive; `Infinity` allows "no limit". @default any finite number */
  readonly max?: number;
  /** @default false */
  readonly integer?: boolean;
}

/** Returns the number. @throws TypeError for anything else: ``Expected `maxRetries` to be an integer ≥ 0, got NaN.`` */
export function expectNumber(name: string, value: unknown, range: NumberRange = {}): number {
  const { min = 0, max = Number.MAX_VALUE, integer = false } = range;
  if (typeof value === 'number' && value >= min && value <= max) {
    if (!integer || Number.isInteger(value) || value === Infinity) return value;
  }
  const limits = max < Number.MAX_VALUE ? `from ${min} to ${max}` : `≥ ${min}`;
  const kind = integer ? 'an integer' : max === Number.MAX_VALUE ? 'a finite number' : 'a number';
  throw new TypeError(mismatch(name, `${kind} ${limits}`, value));
}

/** Returns the index of a retry, which counts from 0. @throws RangeError for any other value */
export function expectIndex(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) return value;
  throw new RangeError(mismatch(name, 'an integer ≥ 0', value));
}

/** The message ``Expected `name` to be …, got ….`` */
export function mismatch(name: string, expected: string, value: unknown): string {
  return `Expected \`${name}\` to be ${expected}, got ${shown(value)}.`;
}

/** Shows enough of a value to recognise the mistake. Objects and long texts may hold secrets. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 32 ? 'a long string' : JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

/** The check of an option. `face`: what takes the options, where that matters. */
export interface Check {
  (name: string, value: unknown, face?: string): unknown;
  /** The faces that have the option. @default all */
  readonly faces?: string;
  /** The names that other libraries have for the option, separated by spaces. */
  readonly others?: string | undefined;
  /** What to write in place of such a name. @default the name of the option */
  readonly use?: string | undefined;
}
/** The check of each option. */
export type Checks = Readonly<Record<string, Check>>;

/** `others`: the names of other libraries, separated by spaces. `use`: what to write here, if it is more than the name. */
export const row = (check: Check, others: string, use?: string): Check =>
  Object.assign<Check, Partial<Check>>((name, value, face) => check(name, value, face), { ...check, others, use });

/** The members that are not undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/**
 * The options that are given, in an object without a prototype. Only own properties are options; otherwise parsed JSON
 * with a `__proto__` could switch off what protects the caller.
 */
export function givenOptions<T extends object>(options: T): Given<T> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.setPrototypeOf(Object.fromEntries(given), null);
}

/**
 * Checks every option that is given, and returns those. Refuses a name that differs from an option in only a few
 * letters or its unit, or that another library has for one, and ignores any other unknown name.
 *
 * @throws TypeError; the message names the option and what is expected
 */
export function checkOptions<T extends object>(owner: string, options: T, checks: Checks, face?: string): Given<T> {
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(checks, name)) {
      if (value !== undefined) checks[name]?.(owner + name, value, face);
      continue;
    }
    const unknown = `Unknown option \`${owner}${name}\`. `;
    for (const [option, { others, use = option }] of Object.entries(checks))
      if (others?.split(' ').some((other) => stem(other) === stem(name)))
        throw new TypeError(`${unknown}Use \`${use}\`.`);
    const option = nearest(name, Object.keys(checks));
    if (option !== undefined) throw new TypeError(`${unknown}Did you mean \`${option}\`?`);
  }
  return givenOptions(options);
}

/** The name that is probably meant. Two letters are too many in a short one. */
export const nearest = <Name extends string>(name: string, names: readonly Name[]): Name | undefined =>
  names.find(
    (known) => stem(name) === stem(known) || isNear(name.toLowerCase(), known.toLowerCase(), known.length < 6 ? 1 : 2),
  );

/** Without what names of one meaning differ in: case, underscores, the plural, and the unit. */
const stem = (name: string): string =>
  name
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/_|(?:in)?(?:ms|millis(?:econds)?|seconds|s)$/g, '');

/** Whether adding, removing, changing or swapping at most `letters` letters turns one name into the other. */
export function isNear(one: string, other: string, letters: number): boolean {
  if (letters < 0) return false;
  if (one === '' || other === '') return one.length + other.length <= letters;
  const [rest, otherRest] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return isNear(rest, otherRest, letters);
  const left = letters - 1;
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  if (isSwapped && isNear(one.slice(2), other.slice(2), left)) return true;
  return isNear(rest, other, left) || isNear(one, otherRest, left) || isNear(rest, otherRest, left);
}

export const is =
  (expected: string, holds: (value: unknown) => boolean): Check =>
  (name, value) => {
    if (!holds(value)) throw new TypeError(mismatch(name, expected, value));
  };
export const number =
  (range?: NumberRange): Check =>
  (name, value) =>
    expectNumber(name, value, range);
/** One of the words, which the message lists, or a value of the type. */
export const oneOf = (words: readonly string[], type?: 'function' | 'boolean'): Check =>
  is(
    `one of '${words.join("', '")}'${type === undefined ? '' : `, or a ${type}`}`,
    (value) => typeof value === type || words.some((word) => word === value),
  );

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const hasMethods =
  (...methods: readonly string[]) =>
  (value: unknown): boolean =>
    methods.every((method) => hasMethod(value, method));
export const flag: Check = /* @__PURE__ */ is('true or false', (value) => typeof value === 'boolean');
export const expectFunction: Check = /* @__PURE__ */ is('a function', isFunction);
export const expectText: Check = /* @__PURE__ */ is('a text', isText);
export const headerName: Check = /* @__PURE__ */ is(
  'a header name such as "x-retry-count"',
  (value) => isText(value) && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value),
);

/** Shows nothing of the value, which may be a key. */
export const expectHeaders: Check = (name, value) => {
  if (typeof value === 'object' && value !== null) return;
  const type = value === null ? 'null' : typeof value;
  throw new TypeError(`Expected \`${name}\` to be an object such as { 'x-api-key': key }, got ${type}.`);
};

export function expectObject<T>(name: string, value: T, expected: string): T & object {
  if (!isObject(value)) throw new TypeError(mismatch(name, expected, value));
  return value;
}
