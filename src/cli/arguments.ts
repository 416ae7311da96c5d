/** The command line as data. Whatever cannot be is refused in one line that names the fix. */

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { HttpHeaders, Presets } from '../index.ts';
import { SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';

/** The presets that are values; others are made with options, which a command line has no words for. */
type PresetName = Extract<keyof Presets, 'standard' | 'patient' | 'background' | 'agent' | 'taxonomy'>;

const PRESET_NAMES: readonly PresetName[] = ['standard', 'patient', 'background', 'agent', 'taxonomy'];

/** How a command shows what happens. */
export interface Shown {
  /** One event a line on standard output, as JSON. */
  readonly json: boolean;
  /** False: no colours, also where they could be. */
  readonly colour: boolean;
}

interface DemoCommand extends Shown {
  readonly name: 'demo';
  readonly scenario: ScenarioName;
  /** 2 is twice as fast. */
  readonly speed: number;
}

export interface RequestCommand extends Shown {
  readonly name: 'request';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** As it was given: text, `@file` or `-`. */
  readonly data: string | undefined;
  /** Names in lower case. */
  readonly headers: HttpHeaders;
  readonly preset: PresetName;
}

export type Command = DemoCommand | RequestCommand | { readonly name: 'help' };

/** The command line could not be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  url: { type: 'string' },
  method: { type: 'string', short: 'X' },
  data: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
  preset: { type: 'string' },
  scenario: { type: 'string' },
  speed: { type: 'string' },
  json: { type: 'boolean' },
  color: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** Reads the arguments. @throws UsageError */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals } = readArguments(argv);
  if (values.help === true) return { name: 'help' };
  const [first, ...more] = positionals;
  if (first !== undefined && first !== 'demo' && first !== 'request') {
    throw new UsageError(`Unknown command ${JSON.stringify(first)}; the commands are demo and request <url>.`);
  }
  const url = values.url ?? (first === 'request' ? more.shift() : undefined);
  if (more.length > 0)
    throw new UsageError(`Unexpected argument ${JSON.stringify(more[0])}; put quotes around a value with spaces.`);
  const shown = { json: values.json ?? false, colour: values.color ?? true };

  if (first === 'demo' || (first === undefined && url === undefined)) {
    for (const name of ['url', 'method', 'data', 'header', 'preset'] as const) {
      if (values[name] === undefined) continue;
      throw new UsageError(
        first === 'demo'
          ? `--${name} is for a request; leave out "demo".`
          : `--${name} needs to know where to; add --url https://….`,
      );
    }
    return { name: 'demo', scenario: readScenario(values.scenario), speed: readSpeed(values.speed), ...shown };
  }

  if (values.speed !== undefined) throw new UsageError('--speed is for the demonstration; a request has --preset.');
  if (values.scenario !== undefined) throw new UsageError('--scenario is for the demonstration; a request has --url.');
  if (url === undefined)
    throw new UsageError('request needs a URL, as in: request https://api.example.com/v1/messages.');
  return {
    name: 'request',
    method: readMethod(values.method, values.data),
    url: readUrl(url),
    data: values.data,
    headers: readHeaders(values.header ?? []),
    preset: readPreset(values.preset ?? 'standard'),
    ...shown,
  };
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    throw new UsageError(explain(error));
  }
}

/** The parser's own messages run over several lines and some of them name a remedy that is none here. */
function explain(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const unknown = /^Unknown option '([^']*)'/.exec(line);
  if (unknown === null) return `${line.replace(/\.$/, '')}.`;
  const names = Object.keys(OPTIONS).map((name) => (name === 'color' ? '--no-color' : `--${name}`));
  return `Unknown option ${unknown[1]}; the options are ${names.join(', ')}.`;
}

function readScenario(value = 'overload'): ScenarioName {
  const scenario = SCENARIO_NAMES.find((name) => name === value);
  if (scenario !== undefined) return scenario;
  throw new UsageError(`Expected --scenario to be one of ${SCENARIO_NAMES.join(', ')}, got ${JSON.stringify(value)}.`);
}

function readSpeed(value = '1'): number {
  const speed = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (speed > 0 && Number.isFinite(speed)) return speed;
  throw new UsageError(
    `Expected --speed to be a number above 0, such as 2 for twice as fast, got ${JSON.stringify(value)}.`,
  );
}

function readMethod(value: string | undefined, data: string | undefined): 'GET' | 'POST' {
  const method = value?.toUpperCase() ?? (data === undefined ? 'GET' : 'POST');
  if (method === 'GET' && data !== undefined)
    throw new UsageError('GET sends no --data; leave out --method, or say --method POST.');
  if (method === 'GET' || method === 'POST') return method;
  throw new UsageError(`Expected --method to be GET or POST, got ${JSON.stringify(value)}.`);
}

function readUrl(value: string): string {
  const example = 'such as https://api.example.com/v1/messages';
  if (!URL.canParse(value))
    throw new UsageError(`Expected --url to be a whole URL ${example}, got ${JSON.stringify(value)}.`);
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`Expected --url to begin with http:// or https://, ${example}; it begins with "${protocol}".`);
  }
  if (username !== '' || password !== '') {
    throw new UsageError("Expected --url without a user and password; send them as --header 'authorization: Basic …'.");
  }
  return value;
}

function readHeaders(values: readonly string[]): HttpHeaders {
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

function readPreset(value: string): PresetName {
  const preset = PRESET_NAMES.find((name) => name === value);
  if (preset !== undefined) return preset;
  throw new UsageError(`Expected --preset to be one of ${PRESET_NAMES.join(', ')}, got ${JSON.stringify(value)}.`);
}
