/**
 * What calls went through, as it happened: a line per failed attempt before the wait that follows it, and a line for the
 * outcome. A file of JSON lines to read afterwards, also when the process did not live to see the outcome: after
 * `kill -9` the file has every attempt whose wait had begun, and at most its last line is torn, which costs no other.
 * A loss of power can take more. A call that succeeds at once writes nothing.
 */

import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { RetryEvent } from '../index.ts';
import { expectCount } from './expect-count.ts';
import { withLock } from './file-lock.ts';
import { copyEntry, type JournalEntry, type JournalEntryBase, MOST_TIMINGS } from './journal-entry.ts';
import { ifThere, recordLine } from './line-file.ts';
import { LineWriter } from './line-writer.ts';
import { scrub, type StepContext } from './stored-values.ts';
import { type FinalEvent, summary } from './summary.ts';

export interface RunJournalOptions {
  /** A file that has grown beyond this becomes `<path>.1`, the one before it `<path>.2`, …. @default 4194304 */
  readonly maxBytes?: number | undefined;
  /** Files that are kept, the current one included; from 1. @default 3 */
  readonly maxFiles?: number | undefined;
  /** Part of every entry. */
  readonly context?: StepContext | undefined;
  /** Called when the file cannot be written or renamed. The line waits in memory and is written before the next. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Calls under way whose written attempts are remembered at most. */
const MOST_OPEN = 10_000;
const MOST_WAITING = 1_000;

/** Writes a journal, file mode 0600. Synchronous, so a line is safe when the listener returns, and never throws. */
export class RunJournal {
  /** For `onEvent`. */
  readonly listener: (event: RetryEvent) => void;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  readonly #context: StepContext;
  readonly #writer: LineWriter;
  /** The attempts that have their line, per call that has not ended. */
  readonly #written = new Map<string, Set<number>>();

  /** @throws TypeError for an option that is not what it should be; the file is not touched yet. */
  constructor(path: string, options: RunJournalOptions = {}) {
    const { maxBytes = 4_194_304, maxFiles = 3, context = {}, onError } = options;
    expectCount('maxBytes', maxBytes);
    expectCount('maxFiles', maxFiles);
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#maxFiles = maxFiles;
    this.#context = context;
    this.#writer = new LineWriter({ path, follow: 'file', maxWaiting: MOST_WAITING, onError });
    this.listener = this.listenerFor({});
  }

  /** Lines that could not be written yet. */
  get waiting(): number {
    return this.#writer.waiting.length;
  }

  /** A listener whose entries say more of what was being done than the journal's own. */
  listenerFor(context: StepContext): (event: RetryEvent) => void {
    return (event) => this.#writer.attempt(() => this.#hear(event, { ...this.#context, ...context }));
  }

  #hear(event: RetryEvent, context: StepContext): void {
    const { requestId, method, url, at } = event;
    const base: JournalEntryBase = { version: 1, requestId, method, url, at, context };
    if (event.type === 'retry') {
      const { attempt, failure, delayMs, because, nextAttemptAt } = event;
      this.#remember(requestId, attempt);
      this.#write({ ...base, kind: 'attempt', attempt, failure, delayMs, because, nextAttemptAt });
    } else if (event.type === 'fallback') {
      const { from, to, failure } = event;
      this.#write({ ...base, kind: 'fallback', from, to, failureType: failure.type });
    } else {
      this.#conclude(event, base);
    }
  }

  #conclude(event: FinalEvent, base: JournalEntryBase): void {
    const { history, attempts, elapsedMs } = event;
    const written = this.#written.get(event.requestId);
    this.#written.delete(event.requestId);
    for (const { attempt, failure, delayMs, because, target } of history) {
      // The last one has no wait after it, and so was not announced.
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

  #remember(requestId: string, attempt: number): void {
    const written = this.#written.get(requestId);
    if (written === undefined) this.#written.set(requestId, new Set([attempt]));
    else written.add(attempt);
    const [oldest] = this.#written.keys();
    if (this.#written.size > MOST_OPEN && oldest !== undefined) this.#written.delete(oldest);
  }

  #write(entry: JournalEntry): void {
    const stored = copyEntry(entry, scrub);
    if (stored === undefined) throw new TypeError('Expected an event as `onEvent` gets it.');
    const size = this.#writer.write(recordLine(stored));
    if (size !== undefined && size > this.#maxBytes) withLock(this.#path, () => this.#rotate());
  }

  /** A line that another process is writing meanwhile stays in the file that it was written to, under its new name. */
  #rotate(): void {
    const size = ifThere(0, () => statSync(this.#path).size);
    // Another process may have been faster.
    if (size <= this.#maxBytes) return;
    const nameOf = (age: number): string => (age === 0 ? this.#path : `${this.#path}.${age}`);
    // Files move up into the first gap, or over the oldest one.
    let free = 1;
    while (free < this.#maxFiles - 1 && existsSync(nameOf(free))) free += 1;
    if (this.#maxFiles === 1) rmSync(this.#path, { force: true });
    else for (let age = free; age > 0; age -= 1) renameSync(nameOf(age - 1), nameOf(age));
  }
}
