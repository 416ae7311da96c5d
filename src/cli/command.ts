/**
 * A command, told once: what its help prints, how its arguments are read, and what is refused all come from one
 * definition. An invalid argument is refused in one line that says how to fix it.
 */

import { parseArgs } from 'node:util';
import { plainText, wrap } from '../report/plain-text.ts';
import type { Terminal } from './display/terminal.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An option. It reads all texts that follow it on the command line; a switch has none. */
export interface Option<T> {
  /** As the help shows it, such as `-X, --method <name>`. A switch has no `<…>`. */
  readonly usage: string;
  readonly help: string;
  /** `name`: the option, such as `--method`. @throws UsageError */
  readonly read: (texts: readonly string[], name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The options that are given. */
export type ValuesOf<O extends Options> = { readonly [K in keyof O]?: ReturnType<O[K]['read']> };

/** An option with one value; of several, the last one counts. */
export function option<const T>(usage: string, help: string, read: (text: string, name: string) => T): Option<T> {
  return { usage, help, read: (texts, name) => read(texts.at(-1) ?? '', name) };
}

export function flag(usage: string, help: string): Option<boolean> {
  return { usage, help, read: () => true };
}

/** How a command shows its output. */
export interface Shown {
  /** JSON, for a program. */
  readonly json: boolean;
  /** False: no colours, even on a terminal. */
  readonly colour: boolean;
}

export interface Call<O extends Options> {
  /** undefined if it is not given. */
  readonly argument: string | undefined;
  readonly values: ValuesOf<O>;
  readonly shown: Shown;
  readonly terminal: Terminal;
}

export interface Definition<O extends Options> {
  /** One word. Scripts depend on it, so it never changes. */
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** What it does, in lines of at most 80 columns. */
  readonly about: string;
  /** What follows the name, as the help shows it. */
  readonly usage: string;
  /** How many arguments it takes beside its options. */
  readonly takes: 0 | 1;
  readonly options: O;
  /** What `--json` prints. */
  readonly json: string;
  /** Keys, exit codes and examples, in lines of at most 80 columns. */
  readonly notes: string;
  /** Returns the exit code. @throws UsageError if an argument is invalid */
  readonly run: (call: Call<O>) => Promise<number>;
}

export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  /** The text of `--help`. */
  readonly help: string;
  /** Runs the command with the arguments after its name. Returns the exit code. @throws UsageError */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}

export function defineCommand<const O extends Options>(definition: Definition<O>): CliCommand {
  const { name, summary, about, usage, takes, notes } = definition;
  const options = {
    ...definition.options,
    json: flag('--json', definition.json),
    noColor: flag('--no-color', 'no colours; NO_COLOR does the same'),
    help: flag('-h, --help', 'this text'),
  };
  const rows = Object.values(options).flatMap(linesOf).join('\n');
  return {
    name,
    summary,
    help: `${about}\n\nUsage: retry-transport ${name}${usage} [options]\n\n${rows}\n\n${notes}\n`,
    run: async (argv, terminal) => {
      const { texts, positionals } = parse(argv, Object.values(options));
      const [unexpected] = positionals.slice(takes);
      if (unexpected !== undefined) {
        const given = JSON.stringify(unexpected);
        throw new UsageError(`Unexpected argument ${given}; leave it out, or put quotes around a value with spaces.`);
      }
      const values = Object.entries<Option<unknown>>(options).flatMap(([key, each]) => {
        const given = texts.get(nameOf(each));
        return given === undefined ? [] : [[key, each.read(given, nameOf(each))] as const];
      });
      const { json = false, noColor = false, ...rest } = Object.fromEntries(values) as ValuesOf<typeof options>;
      const shown = { json, colour: !noColor };
      return definition.run({ argument: positionals[0], values: rest as ValuesOf<O>, shown, terminal });
    },
  };
}

/** Such as `--method`. */
export function nameOf({ usage }: Option<unknown>): string {
  return /--[\w-]+/.exec(usage)?.[0] ?? usage;
}

const HELP_COLUMN = 24;
const HELP_WIDTH = 80;

function linesOf({ usage, help }: Option<unknown>): readonly string[] {
  const head = `  ${usage}`;
  const lines = wrap(plainText(help), HELP_WIDTH - HELP_COLUMN);
  const isLong = head.length > HELP_COLUMN - 2;
  return [
    ...(isLong ? [head] : []),
    ...lines.map((line, index) => (isLong || index > 0 ? '' : head).padEnd(HELP_COLUMN) + line),
  ];
}

/** Separates the options, with the texts that follow each, from other arguments. @throws UsageError */
function parse(argv: readonly string[], options: readonly Option<unknown>[]) {
  const config = options.map((each) => {
    const [short] = /(?<=^-)\w/.exec(each.usage) ?? [];
    const type = each.usage.includes('<') ? 'string' : 'boolean';
    return [nameOf(each).slice(2), { type, multiple: true, ...(short !== undefined && { short }) } as const] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: Object.fromEntries(config),
      allowPositionals: true,
    });
    const texts = Object.entries(values).map(
      ([name, given = []]) => [`--${name}`, [given].flat().map(String)] as const,
    );
    return { texts: new Map<string, readonly string[]>(texts), positionals };
  } catch (error) {
    throw new UsageError(explain(error, options));
  }
}

/** The messages of `parseArgs` have several lines, and some suggest a fix that does not work here. */
function explain(error: unknown, options: readonly Option<unknown>[]): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const unknown = /^Unknown option '([^']*)'/.exec(line);
  if (unknown !== null) return `Unknown option ${unknown[1]}; the options are ${options.map(nameOf).join(', ')}.`;
  const given = /--[a-z-]+/.exec(line)?.[0] ?? /-\w/.exec(line)?.[0] ?? '';
  if (line.endsWith('argument missing')) return `Expected a value after ${given}.`;
  if (line.endsWith('does not take an argument')) return `${given} takes no value; leave out what follows it.`;
  if (!line.endsWith('argument is ambiguous.')) return `${line.replace(/\.$/, '')}.`;
  const joined = given.startsWith('--') ? `${given}=-…` : `${given}-…`;
  return `Expected a value after ${given}; one that begins with a dash is written ${joined}, without a space.`;
}
