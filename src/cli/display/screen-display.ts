/** Shows a session on a terminal: a wait counts down in place, and leaves one quiet line. */

import type { RetryEvent } from '../../index.ts';
import { AnswerWriter, type Display } from './display.ts';
import type { Look } from './layout.ts';
import { type Ending, endingLines, fallbackLines, roundUp, waitedLines, type WaitEvent, waitLines } from './lines.ts';
import { Painter } from './painter.ts';
import { columnsOf, type TerminalOutput } from './terminal.ts';

/** Short enough to show every second. Nothing is written unless the text changes. */
const TICK_MS = 100;
const NARROWEST = 20;
const DEFAULT_COLUMNS = 80;

export interface ScreenOptions {
  readonly screen: TerminalOutput;
  /** The output for the answer: the same terminal, or a file. */
  readonly answer: TerminalOutput;
  readonly colour: boolean;
  readonly keys: boolean;
  readonly now: () => number;
}

interface Wait {
  readonly event: WaitEvent;
  until: number;
}

export class ScreenDisplay implements Display {
  readonly #options: ScreenOptions;
  readonly #painter: Painter;
  readonly #answer: AnswerWriter;
  #wait: Wait | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#painter = new Painter(options.screen);
    this.#answer = new AnswerWriter(options.answer);
  }

  show(event: RetryEvent): void {
    this.#settle();
    if (event.type === 'fallback') this.#painter.print(fallbackLines(event, this.#look()));
    // A move to another target waits for nothing.
    if ((event.type !== 'retry' && event.type !== 'delayed') || event.delayMs === 0) return;
    const wait = { event, until: event.nextAttemptAt };
    this.#wait = wait;
    this.#paint(wait);
    this.#timer = setInterval(() => this.#paint(wait), TICK_MS);
  }

  hurry(): void {
    if (this.#wait === undefined) return;
    this.#wait.until = Math.min(this.#wait.until, this.#options.now());
    this.#paint(this.#wait);
  }

  async answer(piece: Uint8Array | string, signal: AbortSignal): Promise<void> {
    this.#settle();
    return this.#answer.write(piece, signal);
  }

  end(ending: Ending): void {
    this.#settle();
    this.#answer.endLine(this.#options.screen);
    this.#painter.print(endingLines(ending, this.#look()));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#painter.close();
  }

  #paint({ event, until }: Wait): void {
    this.#painter.paint(waitLines(event, roundUp(Math.max(0, until - this.#options.now())), this.#look()));
  }

  #settle(): void {
    clearInterval(this.#timer);
    if (this.#wait === undefined) return;
    const { event, until } = this.#wait;
    this.#wait = undefined;
    const end = Math.min(until, this.#options.now());
    // A wait counts from the response, which came shortly before the event.
    const waitedMs = end >= event.nextAttemptAt ? event.delayMs : Math.max(0, end - event.at);
    this.#painter.print(waitedLines(event, waitedMs, this.#look()));
  }

  #look(): Look {
    const { screen, colour, keys } = this.#options;
    // Leaves one column free: some terminals wrap a line as soon as its last column is filled.
    return { columns: Math.max(NARROWEST, columnsOf(screen, DEFAULT_COLUMNS) - 1), colour, keys };
  }
}
