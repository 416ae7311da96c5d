/** A command of the command line: its name, its help and what it does. One file for each in `commands`. */

import type { Terminal } from './display/terminal.ts';

export interface CliCommand {
  /** One word, as it is typed. It stays as it is: scripts depend on it. */
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** The text of `--help`: usage, options, exit codes, examples; lines of at most 80 columns, a line break at the end. */
  readonly help: string;
  /** What a shell completes: the values of an option by its name (`--preset`), and of the argument by `''`. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /**
   * Runs with the arguments after its name. Gives the exit code.
   *
   * @throws UsageError for invalid arguments, in one line that names the fix
   */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}
