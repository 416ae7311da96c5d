/**
 * How far a call has come: the attempts made and when, the failures by type, the waits that were scheduled. The decision
 * asks it what has been used up, and events, outcome and `retryHistory` show it.
 */

import type { Decision } from './decide.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { Failure, FailureType } from '../failure/failure.ts';

/** What a call has used up of its patience, in milliseconds. */
export interface Spent {
  /** Scheduled waiting, hints included. */
  readonly totalDelayMs: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
}

export class CallLog {
  /** Attempts that were begun. */
  attempts = 0;
  /** When the last attempt gave its answer, or what it is judged by: the wait after it counts from there. */
  settledAt: number;
  readonly #startedAt: number;
  readonly #records: AttemptRecord[] = [];
  #attemptStartedAt: number;
  #totalDelayMs = 0;
  #countOf: Partial<Record<FailureType, number>> | undefined;

  /** `startedAt`: milliseconds since the epoch, as all times here. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.#attemptStartedAt = startedAt;
    this.settledAt = startedAt;
  }

  begin(now: number): void {
    this.attempts += 1;
    this.#attemptStartedAt = now;
  }

  /** Counts a failure. How many of its type there have been, this one included. */
  count(type: FailureType): number {
    const counts = (this.#countOf ??= {});
    return (counts[type] = (counts[type] ?? 0) + 1);
  }

  /** On another target the counting starts afresh. */
  forgetCounts(): void {
    this.#countOf = undefined;
  }

  addDelay(ms: number): void {
    this.#totalDelayMs += ms;
  }

  spent(now: number): Spent {
    // A clock that was set back has not given any time back.
    return { totalDelayMs: this.#totalDelayMs, elapsedMs: Math.max(0, now - this.#startedAt) };
  }

  /** A wait counts from the response head, as the server's hint does. */
  countsFrom(now: number): number {
    // The clock counts whole milliseconds, so one of those that seem to have passed may not have.
    return Math.min(now, this.settledAt + 1);
  }

  /** When a wait is over. A cooldown was told just now. */
  endOf({ delayMs, because }: Extract<Decision, { retry: true }>, now: number): number {
    return Math.max(now, (because === 'cooldown' ? now : this.countsFrom(now)) + delayMs);
  }

  /** Notes the last attempt. `failure`: null for a success. `decision`: what followed it. */
  note(target: string | undefined, failure: Failure | null, decision?: Decision): void {
    const wait = decision?.retry === true ? decision : undefined;
    const record = {
      attempt: this.attempts,
      startedAt: this.#attemptStartedAt,
      durationMs: Math.max(0, this.settledAt - this.#attemptStartedAt),
      failure,
      delayMs: wait?.delayMs ?? null,
      because: wait?.because ?? null,
    };
    this.#records.push(Object.freeze(target === undefined ? record : { ...record, target }));
  }

  /** Whether the last attempt has been noted. */
  get isNoted(): boolean {
    return this.#records.length === this.attempts;
  }

  /** The failure that was noted last. */
  get lastFailure(): Failure | undefined {
    return this.#records.at(-1)?.failure ?? undefined;
  }

  /** As it stands, for keeps. */
  get history(): readonly AttemptRecord[] {
    return Object.freeze([...this.#records]);
  }

  /** What the last event of the call says of it. */
  account(now: number): { attempts: number; elapsedMs: number; history: readonly AttemptRecord[] } {
    return { attempts: this.attempts, elapsedMs: this.spent(now).elapsedMs, history: this.history };
  }
}
