/** What the commands have in common in reading their arguments. What cannot be is refused in one line that names the fix. */

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { HttpHeaders } from '../index.ts';

/** The command line could not be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How a command shows what happens. */
export interface Shown {
  /** For a program: JSON on standard output. */
  readonly json: boolean;
  /** False: no colours, also where they could be. */
  readonly colour: boolean;
}

/** The options of a command that shows something. */
export const SHOWN_OPTIONS: {
  readonly json: { readonly type: 'boolean' };
  readonly color: { readonly type: 'boolean' };
} = { json: { type: 'boolean' }, color: { type: 'boolean' } };

/** How the parser is asked. */
interface Rules<T extends ParseArgsOptionsConfig> {
  readonly args: string[];
  readonly options: T;
  readonly allowPositionals: true;
  readonly allowNegative: true;
  readonly strict: true;
}

/** Takes options and other arguments apart. @throws UsageError */
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

/** The parser's own messages run over several lines and some of them name a remedy that is none here. */
function explain(error: unknown, options: readonly string[]): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const unknown = /^Unknown option '([^']*)'/.exec(line);
  if (unknown === null) return explainValue(line);
  const names = [...options, 'help'].map((name) => (name === 'color' ? '--no-color' : `--${name}`));
  return `Unknown option ${unknown[1]}; the options are ${names.join(', ')}.`;
}

/** What is wrong with the value of an option that there is. */
function explainValue(line: string): string {
  const option = /--[a-z-]+/.exec(line)?.[0] ?? /-\w/.exec(line)?.[0] ?? '';
  if (line.endsWith('argument missing')) return `Expected a value after ${option}.`;
  if (line.endsWith('does not take an argument')) return `${option} takes no value; leave out what follows it.`;
  if (!line.endsWith('argument is ambiguous.')) return `${line.replace(/\.$/, '')}.`;
  const joined = option.startsWith('--') ? `${option}=-…` : `${option}-…`;
  return `Expected a value after ${option}; one that begins with a dash is written ${joined}, without a space.`;
}

/** What is shown how, from the values of {@link SHOWN_OPTIONS}. */
export function readShown(values: { readonly json?: boolean; readonly color?: boolean }): Shown {
  return { json: values.json ?? false, colour: values.color ?? true };
}

/** Refuses what is left after the arguments that a command takes. */
export function expectNoMore([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new UsageError(
    `Unexpected argument ${JSON.stringify(first)}; leave it out, or put quotes around a value with spaces.`,
  );
}

/** One of several words, for `--option`. */
export function readWord<const T extends string>(option: string, value: string, words: readonly T[]): T {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new UsageError(`Expected --${option} to be one of ${words.join(', ')}, got ${JSON.stringify(value)}.`);
}

/** How many, for `--option`. */
export function readCount(option: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UsageError(`Expected --${option} to be a whole number such as 5, got ${JSON.stringify(value)}.`);
}

/** A whole URL over http or https, without credentials in it. */
export function readUrl(value: string, name: string): string {
  const example = 'such as https://api.example.com/v1/messages';
  if (!URL.canParse(value))
    throw new UsageError(`Expected ${name} to be a whole URL ${example}, got ${JSON.stringify(value)}.`);
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(
      `Expected ${name} to begin with http:// or https://, ${example}; it begins with "${protocol}".`,
    );
  }
  if (username !== '' || password !== '') {
    throw new UsageError(
      `Expected ${name} without a user and password; send them as --header 'authorization: Basic …'.`,
    );
  }
  return value;
}

/** Headers as `name: value`; one that is given twice is sent as a list. */
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
