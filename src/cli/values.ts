/** Reads the values of options. An invalid one is refused in one line that says how to fix it. */

import { UsageError } from './command.ts';

export type ReadText<T> = (text: string, name: string) => T;

/** @throws UsageError */
export function expected(name: string, what: string, text: string): never {
  throw new UsageError(`Expected ${name} to be ${what}, got ${JSON.stringify(text)}.`);
}

export const anyText: ReadText<string> = (text) => text;

/** One of several words. */
export function word<const T extends string>(words: readonly T[]): ReadText<T> {
  return (text, name) => words.find((known) => known === text) ?? expected(name, `one of ${words.join(', ')}`, text);
}

export const count: ReadText<number> = (text, name) =>
  /^\d{1,9}$/.test(text) ? Number(text) : expected(name, 'a whole number such as 5', text);

const PREFIXES = ['', 'k', 'm', 'g'];

/** Bytes: `10MB`, `64MiB`. */
export const size: ReadText<number> = (text, name) => {
  const [, number, prefix = '', binary] = /^(\d{1,9}(?:\.\d{1,3})?) ?(?:(?:([kmg])(i?))?b)?$/i.exec(text) ?? [];
  if (number === undefined) return expected(name, 'a size such as 10MB, 64MiB or 1000', text);
  return Math.floor(Number(number) * (binary ? 1_024 : 1_000) ** PREFIXES.indexOf(prefix.toLowerCase()));
};

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
/** Each unit at most once, larger units first. */
const DURATION =
  /^(?=\d)(?:(?<d>\d+(?:\.\d+)?)d ?)?(?:(?<h>\d+(?:\.\d+)?)h ?)?(?:(?<m>\d+(?:\.\d+)?)m(?!s) ?)?(?:(?<s>\d+(?:\.\d+)?)s ?)?(?:(?<ms>\d+(?:\.\d+)?)ms)?$/;

/**
 * Milliseconds, from a duration as people type it and as `formatDelay` prints it: `30s`, `1h30m`, `7h 31m 45s`. A number
 * needs a unit: `30` could be seconds or milliseconds.
 */
export const duration: ReadText<number> = (text, name) => {
  const groups = text.length > 64 ? undefined : DURATION.exec(text.trim())?.groups;
  if (groups === undefined) return expected(name, 'a duration such as 30s, 2m, 1h30m or 250ms', text);
  const ms = Object.entries(UNITS_MS).reduce((sum, [unit, sizeMs]) => sum + Number(groups[unit] ?? 0) * sizeMs, 0);
  // 1.1 s are 1100 ms, not 1100.0000000000002.
  return Math.round(ms * 1e3) / 1e3;
};

/** Milliseconds above 0; a number without a unit is in seconds. */
export const timeLimit: ReadText<number> = (text, name) => {
  const ms = duration(/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text, name);
  return ms > 0 ? ms : expected(name, 'longer than 0', text);
};
