/** Shows the events of calls: lines for a person, or JSON for a program. */

import {
  describeEvent,
  describeFailure,
  formatDelay,
  type RetryController,
  type RetryEvent,
  watchRetry,
} from '../../index.ts';
import { jsonLine } from '../../report/json-line.ts';
import type { Shown } from '../command.ts';
import { INDENT, layOut, type Look, paint, type Tone } from './layout.ts';
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

  /** `call`: of many calls, the one that the event is of; the event then has one line. */
  show(event: RetryEvent, call?: string): void {
    const tone = toneOf(event);
    const words = `${SIGNS[tone]} ${describeEvent(event)}`;
    const lines = layOut(call === undefined ? words : `${call} ${words}`, tone, this.#look);
    if (event.type === 'failed' && call === undefined) lines.push(...adviceLines(event, this.#look));
    // The wait before an attempt was shown.
    this.#print(event, event.type === 'attempt' ? [] : lines);
  }

  /** Anything else, as a record for a program and in words for a person. */
  note(record: object, words: string, tone: Tone): void {
    this.#print(record, layOut(words, tone, this.#look));
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

  #print(record: object, lines: readonly string[]): void {
    for (const line of this.#shown.json ? [jsonLine(record)] : lines) this.#write(`${line}\n`);
  }

  #write(text: string): void {
    const before = this.#isLive ? ERASE_LINE : '';
    this.#isLive = false;
    if (before + text !== '') this.#output.write(before + text);
  }
}

const SIGNS = { waiting: '⚠', good: '✓', bad: '✗' } as const;

function toneOf({ type }: RetryEvent): keyof typeof SIGNS {
  if (type === 'recovered') return 'good';
  return type === 'failed' || type === 'cancelled' || type === 'broken' ? 'bad' : 'waiting';
}

/** What the failure means, what to do, and when. */
function adviceLines(
  { failure, possibleAt = 0, at }: Extract<RetryEvent, { readonly type: 'failed' }>,
  look: Look,
): string[] {
  const { explanation, actions } = describeFailure(failure);
  const lines = [explanation, ...actions.map((action) => `→ ${action}`)];
  return [
    ...lines.flatMap((text) => layOut(text, 'plain', look, INDENT)),
    ...(possibleAt > at ? layOut(`possible again at ${secondOf(possibleAt)}`, 'quiet', look, INDENT) : []),
  ];
}

const secondOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
