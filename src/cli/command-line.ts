/** Finds the command that the arguments name, runs it, and prints help and errors. */

import { createRequire } from 'node:module';
import { type CliCommand, UsageError } from './command.ts';
import { ANSWERED, BAD_ARGUMENTS } from './exit-code.ts';
import { classifyCommand } from './commands/classify.ts';
import { demoCommand } from './commands/demo.ts';
import { proxyCommand } from './commands/proxy.ts';
import { requestCommand } from './commands/request.ts';
import type { Terminal } from './display/terminal.ts';

const COMMANDS: readonly CliCommand[] = [requestCommand, proxyCommand, classifyCommand, demoCommand];

/** Runs the command that the arguments name. Never rejects because of a user's mistake. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const text = textFor(argv);
    if (text === undefined) return await commandOf(argv[0]).run(argv.slice(1), terminal);
    terminal.output.write(text);
    return ANSWERED;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.errors.write(`${error.message} See --help.\n`);
    return BAD_ARGUMENTS;
  }
}

/** The help or the version; undefined if a command is to be run. */
function textFor([name, ...argv]: readonly string[]): string | undefined {
  if (name === '--version') return `${version()}\n`;
  if (name === undefined || name === '--help' || name === '-h') return overview();
  if (name === 'help') return argv[0] === undefined ? overview() : commandOf(argv[0]).help;
  const end = argv.indexOf('--');
  const asksForHelp = (end === -1 ? argv : argv.slice(0, end)).some((text) => text === '--help' || text === '-h');
  return asksForHelp ? commandOf(name).help : undefined;
}

function commandOf(name: string = ''): CliCommand {
  const command = COMMANDS.find((known) => known.name === name);
  if (command !== undefined) return command;
  const names = `the commands are ${COMMANDS.map((known) => known.name).join(', ')}`;
  if (/^https?:/.test(name))
    throw new UsageError('Expected a command before the URL, as in: retry-transport request <url>.');
  if (name.startsWith('-')) throw new UsageError(`Expected a command before ${name}; ${names}.`);
  throw new UsageError(`Unknown command ${JSON.stringify(name)}; ${names}.`);
}

/** Read through the package's own name, which leads to the same file from the sources and from the build. */
function version(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)('retry-transport/package.json');
  return manifest.version;
}

const NAME_WIDTH = 12;

function overview(): string {
  return `Retries calls of LLM APIs, and shows each wait.

Usage: retry-transport <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(NAME_WIDTH)}${summary}`).join('\n')}

  help <command>    options and examples; <command> --help does the same
  --version         the version

In a clone, npx node src/cli/main.ts <command> does the same; npm start is the
demo.
`;
}
