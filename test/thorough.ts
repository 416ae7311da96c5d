/**
 * `npm test` runs of the long lists and of the random cases as many as show a fault soon; `npm run check` and CI run more
 * of them, by setting `THOROUGH=1`. What each call leaves behind shows in the first, so such a test needs no more.
 */

const IS_THOROUGH = process.env['THOROUGH'] === '1';

/** How many times something is tried. */
export function times(count: { readonly thorough: number; readonly otherwise: number }): number {
  return IS_THOROUGH ? count.thorough : count.otherwise;
}

/** Of a list, the first and each nth after it. `thorough`: the same where all are wanted. @default 1 */
export function oneIn<T>(n: number, list: readonly T[], thorough = 1): readonly T[] {
  const step = IS_THOROUGH ? thorough : n;
  return list.filter((_, index) => index % step === 0);
}
