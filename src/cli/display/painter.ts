/**
 * Updates lines in place at the bottom of a terminal. It moves the cursor only up and erases only its own lines, so
 * that earlier output stays.
 */

import { widthOf } from './layout.ts';
import { columnsOf, type TerminalOutput } from './terminal.ts';

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const ERASE_BELOW = '\u001B[J';

export class Painter {
  readonly #output: TerminalOutput;
  #live: readonly string[] = [];

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  /** Shows lines that the next call replaces. */
  paint(lines: readonly string[]): void {
    if (lines.length === this.#live.length && lines.every((line, index) => line === this.#live[index])) return;
    this.#output.write(`${HIDE_CURSOR}${this.#erase()}${lines.join('\n')}`);
    this.#live = lines;
  }

  /** Replaces the changing lines by lines that stay. */
  print(lines: readonly string[]): void {
    const erase = this.#erase();
    const restore = this.#live.length === 0 ? '' : SHOW_CURSOR;
    this.#live = [];
    const text = lines.map((line) => `${line}\n`).join('');
    if (erase + restore + text !== '') this.#output.write(`${erase}${restore}${text}`);
  }

  /** Releases the terminal, with the cursor visible below the output. */
  close(): void {
    if (this.#live.length === 0) return;
    this.#live = [];
    this.#output.write(`\n${SHOW_CURSOR}`);
  }

  #erase(): string {
    if (this.#live.length === 0) return '';
    // A terminal that became narrower has wrapped these lines.
    const columns = columnsOf(this.#output, Number.POSITIVE_INFINITY);
    const rows = this.#live.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return `\r${rows > 1 ? `\u001B[${rows - 1}A` : ''}${ERASE_BELOW}`;
  }
}
