/** Durations as people type them and as `formatDelay` prints them: `30s`, `2m`, `1h30m`, `7h 31m 45s`, `250ms`. */

import { UsageError } from './arguments.ts';

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
/** Each unit at most once, larger units first. */
const DURATION =
  /^(?=\d)(?:(?<d>\d+(?:\.\d+)?)d ?)?(?:(?<h>\d+(?:\.\d+)?)h ?)?(?:(?<m>\d+(?:\.\d+)?)m(?!s) ?)?(?:(?<s>\d+(?:\.\d+)?)s ?)?(?:(?<ms>\d+(?:\.\d+)?)ms)?$/;

/**
 * The duration in milliseconds, or null if the text is not one. A number needs a unit: `30` could be seconds or
 * milliseconds.
 */
export function parseDuration(text: string): number | null {
  if (text.length > 64) return null;
  const groups = DURATION.exec(text.trim())?.groups;
  if (groups === undefined) return null;
  let ms = 0;
  for (const [unit, sizeMs] of Object.entries(UNITS_MS)) ms += Number(groups[unit] ?? 0) * sizeMs;
  // 1.1 s are 1100 ms, not 1100.0000000000002.
  return Math.round(ms * 1e3) / 1e3;
}

/** The duration in an argument. @throws UsageError */
export function readDuration(name: string, value: string): number {
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  throw new UsageError(
    `Expected ${name} to be a duration such as 30s, 2m, 1h30m or 250ms, got ${JSON.stringify(value)}.`,
  );
}

/** A time limit in milliseconds, above 0; a number without a unit is in seconds. @throws UsageError */
export function readTimeLimit(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = readDuration(name, /^\d+(?:\.\d+)?$/.test(value) ? `${value}s` : value);
  if (ms > 0) return ms;
  throw new UsageError(`Expected ${name} to be longer than 0, got ${JSON.stringify(value)}.`);
}
