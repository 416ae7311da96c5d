/**
 * Records the attempts of calls while they run: one line of JSON per failed attempt, written before the wait after it,
 * and one for the outcome. After `kill -9` the file has every attempt whose wait had begun; at most its last line is
 * cut. A power failure can lose more. A call that succeeds at the first attempt writes nothing.
 */

import { type Check, checkOptions, expectFunction, expectObject, number } from '../runtime/expect.ts';
import type { RetryEvent } from '../index.ts';
import { storedEntry, type JournalEntry, type JournalEntryBase, MOST_TIMINGS } from './journal-entry.ts';
import { jsonLine } from './json-line.ts';
import { LineFile } from './line-file.ts';
import { expectContext, scrub, type StepContext } from './stored-values.ts';
import { type FinalEvent, summary } from './summary.ts';

/** The options of `RunJournal`. */
export interface RunJournalOptions {
  /** When the file is larger, it is renamed to `<path>.1`, the older file to `<path>.2`, …. @default 4194304 */
  readonly maxBytes?: number | undefined;
  /** How many files are kept, from 1, including the current file. @default 3 */
  readonly maxFiles?: number | undefined;
  /** Added to every entry. */
  readonly context?: StepContext | undefined;
  /** Called when the file cannot be written or renamed. The line waits in memory and is written before the next line. */
  readonly onError?: ((error: Error) => void) | undefined;
}

const checksOfOptions = (): { readonly [K in keyof RunJournalOptions]-?: Check } => ({
  maxBytes: number({ integer: true, min: 1 }),
  maxFiles: number({ integer: true, min: 1 }),
  context: expectContext,
  onError: expectFunction,
});

const MOST_OPEN = 10_000;
const MOST_WAITING = 1_000;

/** Writes a journal of file mode 0600, synchronously, and never throws. */
export class RunJournal {
  /** For `onEvent`. */
  readonly listener: (event: RetryEvent) => void;
  readonly #maxBytes: number;
  readonly #context: StepContext;
  readonly #file: LineFile;
  /** By running call, the attempts that are already written. */
  readonly #written = new Map<string, Set<number>>();

  /** Does not touch the file yet. @throws TypeError if the path or an option is invalid; the message names it */
  constructor(path: string, options: RunJournalOptions = {}) {
    checkOptions('', expectObject('options', options, 'an object such as { maxFiles: 5 }'), checksOfOptions());
    const { maxBytes = 4_194_304, maxFiles = 3, context = {}, onError } = options;
    this.#maxBytes = maxBytes;
    this.#context = context;
    this.#file = new LineFile({ path, maxFiles, maxWaiting: MOST_WAITING, onError });
    this.listener = this.listenerFor({});
  }

  /** How many lines could not be written yet. */
  get waiting(): number {
    return this.#file.waiting.length;
  }

  /** A listener that adds more context to its entries. */
  listenerFor(context: StepContext): (event: RetryEvent) => void {
    return (event) => this.#file.attempt(() => this.#hear(event, { ...this.#context, ...context }));
  }

  #hear(event: RetryEvent, context: StepContext): void {
    const { callId, method, url, at } = event;
    const base: JournalEntryBase = { version: 1, callId, method, url, at, context };
    switch (event.type) {
      case 'retry': {
        const { retry: attempt, failure, delayMs, because, nextAttemptAt } = event;
        this.#remember(callId, attempt);
        this.#write({ ...base, kind: 'attempt', attempt, failure, delayMs, because, nextAttemptAt });
        return;
      }
      case 'fallback': {
        const { from, to, failure } = event;
        this.#write({ ...base, kind: 'fallback', from, to, failureType: failure.type });
        return;
      }
      case 'recovered':
      case 'failed':
      case 'cancelled':
        this.#conclude(event, base);
        return;
      // The attempt before such a wait is already written.
      case 'delayed':
      case 'attempt':
      // The call itself has succeeded.
      case 'broken':
    }
  }

  #conclude(event: FinalEvent, base: JournalEntryBase): void {
    const { history, attempts, elapsedMs } = event;
    const written = this.#written.get(event.callId);
    this.#written.delete(event.callId);
    for (const { attempt, failure, delayMs, because, target } of history) {
      // The last attempt had no wait after it, so no event has reported it.
      if (delayMs !== null && written?.has(attempt) === true) continue;
      this.#write({
        ...base,
        kind: 'attempt',
        attempt,
        failure,
        delayMs,
        because,
        ...(target !== undefined && { target }),
      });
    }
    this.#write({
      ...base,
      kind: 'outcome',
      outcome: event.type === 'recovered' ? 'succeeded' : event.type,
      attempts,
      elapsedMs,
      ...(event.type === 'failed' && { because: event.because }),
      summary: summary(event),
      timings: history.slice(-MOST_TIMINGS),
    });
  }

  #remember(callId: string, attempt: number): void {
    const written = this.#written.get(callId);
    if (written === undefined) this.#written.set(callId, new Set([attempt]));
    else written.add(attempt);
    const [oldest] = this.#written.keys();
    if (this.#written.size > MOST_OPEN && oldest !== undefined) this.#written.delete(oldest);
  }

  #write(entry: JournalEntry): void {
    const stored = storedEntry(entry, scrub);
    if (stored === undefined) throw new TypeError('Expected an event as `onEvent` gets it.');
    const size = this.#file.write(jsonLine(stored));
    if (size !== undefined && size > this.#maxBytes) this.#file.rotate(this.#maxBytes);
  }
}
