/** The ways to show a session: as lines for a log or a pipe, as JSON for a program. A terminal has its own module. */

import type { RetryEvent } from '../../index.ts';
import { jsonLine } from '../../report/json-line.ts';
import { harmlessText } from './layout.ts';
import { type Ending, endingLines, fallbackLines, waitLines } from './lines.ts';
import { type TerminalOutput, writeTo } from './terminal.ts';

/** Shows a session. Called in this order: events and pieces of the answer, then one end, then `close`. */
export interface Display {
  show(event: RetryEvent): void;
  /** A person asked for the next attempt at once. */
  hurry(): void;
  /** Resolves when there is room for the next piece; rejects when the signal aborts meanwhile. */
  answer(piece: Uint8Array | string, signal: AbortSignal): Promise<void>;
  end(ending: Ending): void;
  /** Gives everything back. May be called twice, and before the end. */
  close(): void;
}

const NEWLINE = 0x0a;

/** Where the answer goes: byte for byte, and to a terminal without what moves its cursor. Knows an open line. */
export class AnswerWriter {
  readonly #output: TerminalOutput;
  readonly #decoder = new TextDecoder();
  #lineOpen = false;

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  async write(answer: Uint8Array | string, signal: AbortSignal): Promise<void> {
    const piece = this.#output.isTTY === true ? harmlessText(this.#textOf(answer)) : answer;
    if (piece.length === 0) return;
    this.#lineOpen = piece.at(-1) !== (typeof piece === 'string' ? '\n' : NEWLINE);
    await writeTo(this.#output, piece, signal);
  }

  #textOf(answer: Uint8Array | string): string {
    return typeof answer === 'string' ? answer : this.#decoder.decode(answer, { stream: true });
  }

  /** Ends an open line before something else is written where the answer is seen as well. */
  endLine(other: TerminalOutput): void {
    const shared = other === this.#output || (other.isTTY === true && this.#output.isTTY === true);
    if (this.#lineOpen && shared) this.#output.write('\n');
    this.#lineOpen = false;
  }
}

const PLAIN = { columns: Number.POSITIVE_INFINITY, colour: false, keys: false } as const;

/** One line per event, no control characters. */
export class PlainDisplay implements Display {
  readonly #log: TerminalOutput;
  readonly #answer: AnswerWriter;

  constructor(log: TerminalOutput, answer: TerminalOutput) {
    this.#log = log;
    this.#answer = new AnswerWriter(answer);
  }

  show(event: RetryEvent): void {
    if (event.type === 'retry' || event.type === 'delayed') this.#print(waitLines(event, event.delayMs, PLAIN));
    // How a call ended is told when the answer, which comes after it, has been written.
    if (event.type === 'fallback') this.#print(fallbackLines(event, PLAIN));
  }

  hurry(): void {}

  answer(piece: Uint8Array | string, signal: AbortSignal): Promise<void> {
    return this.#answer.write(piece, signal);
  }

  end(ending: Ending): void {
    this.#answer.endLine(this.#log);
    this.#print(endingLines(ending, PLAIN));
  }

  close(): void {}

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#log.write(`${line}\n`);
  }
}

/** One event a line, as it happens; the answer elsewhere. */
export class JsonDisplay implements Display {
  readonly #events: TerminalOutput;
  readonly #errors: TerminalOutput;
  readonly #answer: AnswerWriter;

  constructor(events: TerminalOutput, errors: TerminalOutput) {
    this.#events = events;
    this.#errors = errors;
    this.#answer = new AnswerWriter(errors);
  }

  show(event: RetryEvent): void {
    this.#events.write(`${jsonLine(event)}\n`);
  }

  hurry(): void {}

  answer(piece: Uint8Array | string, signal: AbortSignal): Promise<void> {
    return this.#answer.write(piece, signal);
  }

  end(ending: Ending): void {
    this.#answer.endLine(this.#errors);
    // Everything else was an event.
    if (ending.how !== 'broken') return;
    for (const line of endingLines(ending, PLAIN)) this.#errors.write(`${line}\n`);
  }

  close(): void {}
}
