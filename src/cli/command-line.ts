/** Finds the command that the arguments name, runs it, and prints help and errors. */

import { createRequire } from 'node:module';
import { UsageError } from './arguments.ts';
import type { CliCommand } from './command.ts';
import { classifyCommand } from './commands/classify.ts';
import { demoCommand } from './commands/demo.ts';
import { proxyCommand } from './commands/proxy.ts';
import { requestCommand } from './commands/request.ts';
import { ANSWERED, BAD_ARGUMENTS } from './exit-code.ts';
import type { Terminal } from './display/terminal.ts';

const COMMANDS: readonly CliCommand[] = [requestCommand, proxyCommand, classifyCommand, demoCommand];

/** Runs the command that the arguments name. Never rejects because of a user's mistake. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(argv, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.errors.write(`${error.message} See --help.\n`);
    return BAD_ARGUMENTS;
  }
}

async function run([name, ...argv]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') return print(overview(COMMANDS), terminal);
  if (name === '--version') return print(`${version()}\n`, terminal);
  if (name === 'help') return print(helpOn(argv), terminal);
  const command = commandOf(name);
  return asksForHelp(argv) ? print(command.help, terminal) : command.run(argv, terminal);
}

function commandOf(name: string): CliCommand {
  const command = COMMANDS.find((known) => known.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((known) => known.name).join(', ');
  if (/^https?:/.test(name))
    throw new UsageError('Expected a command before the URL, as in: retry-transport request <url>.');
  if (name.startsWith('-')) throw new UsageError(`Expected a command before ${name}; the commands are ${names}.`);
  throw new UsageError(`Unknown command ${JSON.stringify(name)}; the commands are ${names}.`);
}

function helpOn([name]: readonly string[]): string {
  return name === undefined ? overview(COMMANDS) : commandOf(name).help;
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((argument) => argument === '--help' || argument === '-h');
}

/** Read through the package's own name, which leads to the same file from the sources and from the build. */
function version(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)('retry-transport/package.json');
  return manifest.version;
}

function print(text: string, terminal: Terminal): number {
  terminal.output.write(text);
  return ANSWERED;
}

const NAME_WIDTH = 12;

function overview(commands: readonly CliCommand[]): string {
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(NAME_WIDTH)}${summary}`);
  return `Retries calls of LLM APIs, and shows each wait.

Usage: retry-transport <command> [options]

${rows.join('\n')}

  help <command>    options and examples; <command> --help does the same
  --version         the version

In a clone, npx node src/cli/main.ts <command> does the same; npm start is the
demo.
`;
}
