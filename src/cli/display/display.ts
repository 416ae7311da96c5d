/**
 * Shows a session as lines for a log or a pipe, or as JSON for a program. The display for a terminal is a module of its
 * own.
 */

import type { RetryEvent } from '../../index.ts';
import { jsonLine } from '../../report/json-line.ts';
import { harmlessText } from './layout.ts';
import { type Ending, endingLines, fallbackLines, waitLines } from './lines.ts';
import { type TerminalOutput, writeTo } from './terminal.ts';

/** Shows a session. Calls come in this order: events and pieces of the answer, one `end`, then `close`. */
export interface Display {
  show(event: RetryEvent): void;
  /** Called when a person asks for the next attempt at once. */
  hurry(): void;
  /** Resolves when the output can take the next piece; rejects when the signal aborts before that. */
  answer(piece: Uint8Array | string, signal: AbortSignal): Promise<void>;
  end(ending: Ending): void;
  /** Releases the terminal. May be called twice, and before `end`. */
  close(): void;
}

const NEWLINE = 0x0a;

/**
 * Writes the answer: unchanged, but to a terminal without control sequences. Remembers whether the last line is
 * complete.
 */
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

  /** Completes an open line before `other` is written to the same terminal. */
  endLine(other: TerminalOutput): void {
    const shared = other === this.#output || (other.isTTY === true && this.#output.isTTY === true);
    if (this.#lineOpen && shared) this.#output.write('\n');
    this.#lineOpen = false;
  }
}

const PLAIN = { columns: Number.POSITIVE_INFINITY, colour: false, keys: false } as const;

/** Writes one line per event, without control characters. */
export class PlainDisplay implements Display {
  readonly #log: TerminalOutput;
  readonly #answer: AnswerWriter;

  constructor(log: TerminalOutput, answer: TerminalOutput) {
    this.#log = log;
    this.#answer = new AnswerWriter(answer);
  }

  show(event: RetryEvent): void {
    if (event.type === 'retry' || event.type === 'delayed') this.#print(waitLines(event, event.delayMs, PLAIN));
    // The line on the end of the call comes later, after the answer.
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

/** Writes one event per line as it happens, and the answer to another output. */
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
    // All other endings were events.
    if (ending.how !== 'broken') return;
    for (const line of endingLines(ending, PLAIN)) this.#errors.write(`${line}\n`);
  }

  close(): void {}
}
