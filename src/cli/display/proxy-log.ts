/** Logs a running proxy: one line per event for a person, or JSON for a program. */

import { formatDelay, type RetryEvent } from '../../index.ts';
import type { ProxyEvent } from '../../proxy/index.ts';
import { jsonLine } from '../../report/json-line.ts';
import { layOut, type Look, type Tone } from './layout.ts';
import { brokenLines, endingLines, fallbackLines, roundUp, storedLines, waitLines } from './lines.ts';
import { columnsOf, isScreen, type Terminal, type TerminalOutput, wantsColour } from './terminal.ts';

/** The calls that remain when the proxy is asked to stop. */
export interface Remaining {
  readonly running: number;
  readonly waiting: number;
  /** The time until the earliest wait ends; null if no call waits. */
  readonly nextAttemptMs: number | null;
}

export interface ProxyLog {
  listening(url: string, target: string): void;
  warning(message: string): void;
  event(event: ProxyEvent): void;
  stopping(remaining: Remaining): void;
  cancelling(running: number): void;
}

const PLAIN: Look = { columns: Number.POSITIVE_INFINITY, colour: false, keys: false };

/** Writes lines: the address to standard output, everything else to standard error. */
export class LineLog implements ProxyLog {
  readonly #terminal: Terminal;
  readonly #colour: boolean;

  constructor(terminal: Terminal, colour: boolean) {
    this.#terminal = terminal;
    this.#colour = colour;
  }

  listening(url: string, target: string): void {
    this.#print(this.#terminal.output, [`Listening on ${url},`, `sending to ${target}`], 'plain');
  }

  warning(message: string): void {
    this.#print(this.#terminal.errors, [`⚠ ${message}`], 'waiting');
  }

  event(event: ProxyEvent): void {
    const line = wordsOf(event);
    if (line === '') return;
    // The origin is the same for all calls.
    const path = URL.canParse(event.url) ? new URL(event.url).pathname : event.url;
    this.#print(this.#terminal.errors, [`#${event.requestId} ${event.method} ${path}`, line], TONES[event.type]);
  }

  stopping({ running, waiting, nextAttemptMs }: Remaining): void {
    const next =
      nextAttemptMs === null ? '' : `, the next attempt in ${formatDelay(roundUp(Math.max(1, nextAttemptMs)))}`;
    const waits = waiting === 0 ? '' : ` (${waiting === running ? '' : `${waiting} `}waiting to retry${next})`;
    this.#printBelowKey([`Stopping after ${callsOf(running)}${waits};`, 'stop again to cancel']);
  }

  cancelling(running: number): void {
    this.#printBelowKey([`Cancelling ${callsOf(running)}`]);
  }

  /** The terminal has printed ^C on this line, which takes two columns. */
  #printBelowKey(parts: readonly string[]): void {
    const { errors, environment } = this.#terminal;
    if (isScreen(errors, environment)) errors.write('\n');
    this.#print(errors, parts, 'plain');
  }

  #print(output: TerminalOutput, parts: readonly string[], tone: Tone): void {
    const { environment } = this.#terminal;
    const columns = isScreen(output, environment) ? columnsOf(output, PLAIN.columns) : PLAIN.columns;
    const look = { ...PLAIN, columns, colour: wantsColour(output, environment, this.#colour) };
    for (const line of layOut(parts, tone, look)) output.write(`${line}\n`);
  }
}

/** Writes one JSON record per line, to the same outputs. */
export class JsonLog implements ProxyLog {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  listening(url: string, target: string): void {
    write(this.#terminal.output, { type: 'listening', url, target });
  }

  warning(message: string): void {
    write(this.#terminal.errors, { type: 'warning', message });
  }

  event(event: ProxyEvent): void {
    write(this.#terminal.errors, event);
  }

  stopping(remaining: Remaining): void {
    write(this.#terminal.errors, { type: 'stopping', ...remaining });
  }

  cancelling(running: number): void {
    write(this.#terminal.errors, { type: 'cancelling', running });
  }
}

function write(output: TerminalOutput, record: object): void {
  output.write(`${jsonLine(record)}\n`);
}

function callsOf(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

/** The headline of the failure; its advice is for the person who made the call. */
function wordsOf(event: ProxyEvent): string {
  return linesOf(event)[0] ?? '';
}

function linesOf(event: ProxyEvent): readonly string[] {
  switch (event.type) {
    case 'retry':
    case 'delayed':
      return waitLines(event, event.delayMs, PLAIN);
    case 'fallback':
      return fallbackLines(event, PLAIN);
    case 'attempt':
      // The wait before the attempt was logged.
      return [];
    case 'recovered':
      return endingLines({ how: 'answered', event }, PLAIN);
    case 'failed':
      return event.answerOf === undefined
        ? endingLines({ how: 'given-up', event }, PLAIN)
        : storedLines(event, event.answerOf, PLAIN);
    case 'cancelled':
      return endingLines({ how: 'cancelled', event }, PLAIN);
    case 'broken':
      return brokenLines(event, PLAIN);
  }
}

const TONES: Readonly<Record<RetryEvent['type'], Tone>> = {
  attempt: 'quiet',
  broken: 'bad',
  cancelled: 'bad',
  delayed: 'waiting',
  failed: 'bad',
  fallback: 'waiting',
  recovered: 'good',
  retry: 'waiting',
};
