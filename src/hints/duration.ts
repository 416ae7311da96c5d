/**
 * Durations as servers write them: `6m0s` and `28ms` in headers, `35 seconds` and `1 hour and 5 minutes` in sentences,
 * digits alone if the name of the field implies the unit. A text that is not understood completely is no duration.
 */

// µ may be U+00B5 (Go) or U+03BC. A smaller unit may follow.
const COMPONENT =
  /(\d{1,15}(?:\.\d{1,32})?)\s?(?:(w(?:eeks?)?)|(d(?:ays?)?)|(h(?:(?:ou)?rs?)?)|(m(?:in(?:ute)?s?)?)|(s(?:ec(?:ond)?s?)?)|(m(?:illi)?s(?:ec(?:ond)?s?)?)|([uµμ]s)|(ns))(?![a-zµμ])(?:,?\s(?:and\s)?)?/iy;
const UNITS_MS: readonly number[] = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000, 1, 1e-3, 1e-6];
const DECIMAL = /^\d{1,64}(?:\.\d+)?$/;

/** The duration that starts at `index`, and its end; null if none starts there. */
export function readDuration(text: string, index: number): { readonly ms: number; readonly end: number } | null {
  let ms = 0;
  let end = index;
  let lastUnit = -1;
  COMPONENT.lastIndex = index;
  for (let match; (match = COMPONENT.exec(text)) !== null; end = COMPONENT.lastIndex) {
    const unit = match.findIndex((part, group) => group > 1 && part !== undefined) - 2;
    // In "5 s, 3 m away" the second part is not of the same duration.
    if (unit <= lastUnit) break;
    ms += Number(match[1]) * Number(UNITS_MS[unit]);
    lastUnit = unit;
  }
  // Rounded to a nanosecond: 38.016 s are 38016 ms, not 38016.00000000001.
  return lastUnit < 0 ? null : { ms: Math.round(ms * 1e6) / 1e6, end };
}

/**
 * Digits, with or without a fraction, times ten to the power of `exponent`. Null for `12abc`, `0x10`, `-5`, `1e3`, `.5`
 * and `Infinity`. The result is finite.
 */
export function parseDecimal(text: string, exponent: number): number | null {
  return DECIMAL.test(text) ? Number(`${text}e${exponent}`) : null;
}
