/** The overview of the commands. */

import type { CliCommand } from './command.ts';

const NAME_WIDTH = 12;

/** The list of commands. */
export function overview(commands: readonly CliCommand[]): string {
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
