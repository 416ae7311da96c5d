/** A command: its name, its help and what it does. Each has a file in `commands`. */

import type { Terminal } from './display/terminal.ts';

export interface CliCommand {
  /** One word. Scripts depend on it, so it never changes. */
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /**
   * The text of `--help`: usage, options, exit codes, examples. Lines have at most 80 columns; the last ends in a line
   * break.
   */
  readonly help: string;
  /**
   * Runs the command with the arguments after its name. Returns the exit code.
   *
   * @throws UsageError if an argument is invalid, in one line that says how to fix it
   */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}
