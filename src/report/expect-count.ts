/** The one kind of option that can be mistyped here. */

/** @throws TypeError that names the option */
export function expectCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new TypeError(`Expected \`${name}\` to be an integer ≥ 1, got ${String(value)}.`);
}
