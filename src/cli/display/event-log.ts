/** Shows the events of calls: lines for a person, or JSON for a program. */

import { formatDelay, type RetryController, type RetryEvent, watchRetry } from '../../index.ts';
import { jsonLine } from '../../report/json-line.ts';
import type { Shown } from '../arguments.ts';
import { layOut, type Look, paint, type Tone } from './layout.ts';
import { linesOf, toneOf } from './lines.ts';
import { isScreen, lookOf, type Terminal, type TerminalOutput } from './terminal.ts';

const ERASE_LINE = '\r\u001B[2K';

export class EventLog {
  readonly #terminal: Terminal;
  readonly #output: TerminalOutput;
  readonly #shown: Shown;
  /** Whether the last line is a countdown. */
  #isLive = false;

  constructor(terminal: Terminal, output: TerminalOutput, shown: Shown) {
    this.#terminal = terminal;
    this.#output = output;
    this.#shown = shown;
  }

  get isScreen(): boolean {
    return !this.#shown.json && isScreen(this.#output, this.#terminal.environment);
  }

  show(event: RetryEvent): void {
    if (this.#shown.json) this.#write(`${jsonLine(event)}\n`);
    else this.#print(linesOf(event, this.#look));
  }

  /** An event of one of many calls, in a line that begins with these words. */
  showBriefly(event: RetryEvent, words: string): void {
    if (this.#shown.json) return this.show(event);
    const [first] = linesOf(event, PLAIN);
    if (first !== undefined) this.#print(layOut(`${words} ${first}`, toneOf(event), this.#look));
  }

  /** Anything else, as a record for a program and in words for a person. */
  note(record: Readonly<Record<string, unknown>>, words: string, tone: Tone): void {
    if (this.#shown.json) this.#write(`${jsonLine(record)}\n`);
    else this.#print(layOut(words, tone, this.#look));
  }

  /** Counts the waits down, on a screen. The returned function stops it. */
  countDown(controller: RetryController, hasKeys: boolean): () => void {
    if (!this.isScreen) return () => {};
    const keys = hasKeys ? ', enter retries, esc cancels' : '';
    const stop = watchRetry(controller, (wait) => {
      if (wait === null) return this.#write('');
      const line = `  ${formatDelay(wait.secondsLeft * 1_000)} left${keys}`.slice(0, this.#look.columns - 1);
      this.#write(paint(line, 'waiting', this.#look.colour));
      this.#isLive = true;
    });
    return () => {
      stop();
      this.#write('');
    };
  }

  get #look(): Look {
    const { environment } = this.#terminal;
    const { columns, colour } = lookOf(this.#output, environment, this.#shown.colour);
    // A countdown in the last column would begin a line.
    return { columns: this.isScreen ? columns - 1 : Infinity, colour };
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#write(`${line}\n`);
  }

  #write(text: string): void {
    const before = this.#isLive ? ERASE_LINE : '';
    this.#isLive = false;
    if (before + text !== '') this.#output.write(before + text);
  }
}

const PLAIN: Look = { columns: Infinity, colour: false };
