/** Reads the arguments that several commands share. An invalid one is refused in one line that says how to fix it. */

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { HttpHeaders } from '../index.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How a command shows its output. */
export interface Shown {
  /** JSON on standard output, for a program. */
  readonly json: boolean;
  /** False: no colours, even on a terminal. */
  readonly colour: boolean;
}

export const SHOWN_OPTIONS: {
  readonly json: { readonly type: 'boolean' };
  readonly color: { readonly type: 'boolean' };
} = { json: { type: 'boolean' }, color: { type: 'boolean' } };

interface Rules<T extends ParseArgsOptionsConfig> {
  readonly args: string[];
  readonly options: T;
  readonly allowPositionals: true;
  readonly allowNegative: true;
  readonly strict: true;
}

/** Separates options from other arguments. @throws UsageError */
export function readArguments<const T extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<Rules<T>>> {
  try {
    return parseArgs<Rules<T>>({
      args: [...argv],
      options,
      allowPositionals: true,
      allowNegative: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(explain(error, Object.keys(options)));
  }
}

/** The messages of `parseArgs` have several lines, and some suggest a fix that does not work here. */
function explain(error: unknown, options: readonly string[]): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const unknown = /^Unknown option '([^']*)'/.exec(line);
  if (unknown === null) return explainValue(line);
  const names = [...options, 'help'].map((name) => (name === 'color' ? '--no-color' : `--${name}`));
  return `Unknown option ${unknown[1]}; the options are ${names.join(', ')}.`;
}

/** Explains a missing or unexpected value of a known option. */
function explainValue(line: string): string {
  const option = /--[a-z-]+/.exec(line)?.[0] ?? /-\w/.exec(line)?.[0] ?? '';
  if (line.endsWith('argument missing')) return `Expected a value after ${option}.`;
  if (line.endsWith('does not take an argument')) return `${option} takes no value; leave out what follows it.`;
  if (!line.endsWith('argument is ambiguous.')) return `${line.replace(/\.$/, '')}.`;
  const joined = option.startsWith('--') ? `${option}=-…` : `${option}-…`;
  return `Expected a value after ${option}; one that begins with a dash is written ${joined}, without a space.`;
}

export function readShown(values: { readonly json?: boolean; readonly color?: boolean }): Shown {
  return { json: values.json ?? false, colour: values.color ?? true };
}

export function expectNoMore([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new UsageError(
    `Unexpected argument ${JSON.stringify(first)}; leave it out, or put quotes around a value with spaces.`,
  );
}

/** The value of `--option` that must be one of several words. @throws UsageError */
export function readWord<const T extends string>(option: string, value: string, words: readonly T[]): T {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new UsageError(`Expected --${option} to be one of ${words.join(', ')}, got ${JSON.stringify(value)}.`);
}

/** The value of `--option` that must be a whole number. @throws UsageError */
export function readCount(option: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UsageError(`Expected --${option} to be a whole number such as 5, got ${JSON.stringify(value)}.`);
}

/** A complete URL with http or https, without credentials. @throws UsageError */
export function readUrl(value: string): string {
  const example = 'such as https://api.example.com/v1/messages';
  if (!URL.canParse(value))
    throw new UsageError(`Expected <url> to be a whole URL ${example}, got ${JSON.stringify(value)}.`);
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`Expected <url> to begin with http:// or https://, ${example}; it begins with "${protocol}".`);
  }
  if (username !== '' || password !== '') {
    throw new UsageError(`Expected <url> without a user and password; send them as --header 'authorization: Basic …'.`);
  }
  return value;
}

/** fetch sets these from the URL and the body, and sends a wrong request, or none, if they differ. */
const SET_BY_FETCH: readonly string[] = ['content-length', 'expect', 'host', 'transfer-encoding'];

/** Headers as `name: value`; the values of a repeated header are joined. @throws UsageError */
export function readHeaders(values: readonly string[]): HttpHeaders {
  const headers = new Headers();
  for (const value of values) {
    // The value may be a key, so no message repeats it.
    const colon = value.indexOf(':');
    if (colon < 1)
      throw new UsageError(
        "Expected --header to be 'name: value', such as 'x-api-key: …'; one has no name before a colon.",
      );
    const name = value.slice(0, colon).trim();
    if (SET_BY_FETCH.includes(name.toLowerCase()))
      throw new UsageError(`Expected no --header ${JSON.stringify(name)}; leave it out, because fetch sets it itself.`);
    try {
      headers.append(name, value.slice(colon + 1).trim());
    } catch {
      throw new UsageError(
        `Expected --header ${JSON.stringify(name)} to be a header: a name without spaces, a value in one line of Latin-1.`,
      );
    }
  }
  return Object.fromEntries(headers);
}
