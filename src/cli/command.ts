/** What a command of the command line is: a name, words about itself, and what it does. One file for each in `commands`. */

import type { Terminal } from './display/terminal.ts';

export interface CliCommand {
  /** One word, as it is typed. It stays as it is: scripts depend on it. */
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** What `--help` prints: usage, options, exit codes, examples; lines of at most 80 columns, a line break at the end. */
  readonly help: string;
  /**
   * Runs with what follows its name. Gives the exit code.
   *
   * @throws UsageError for what cannot be, in one line that names the fix
   */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}
