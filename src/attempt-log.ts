/** The attempts of one call, as its events, its outcome and `retryHistory` show them. */

import type { Decision } from './decide.ts';
import type { AttemptRecord } from './events.ts';
import type { Failure } from './failure.ts';

export class AttemptLog {
  readonly #records: AttemptRecord[] = [];

  /** `failure`: null for a success. `decision`: what followed it. */
  add(
    attempt: number,
    startedAt: number,
    settledAt: number,
    target: string | undefined,
    failure: Failure | null,
    decision?: Decision,
  ): void {
    const wait = decision?.retry === true ? decision : undefined;
    const delayMs = wait?.delayMs ?? null;
    const because = wait?.because ?? null;
    const record = { attempt, startedAt, durationMs: Math.max(0, settledAt - startedAt), failure, delayMs, because };
    this.#records.push(Object.freeze(target === undefined ? record : { ...record, target }));
  }

  get length(): number {
    return this.#records.length;
  }

  /** The failure that was noted last. */
  get lastFailure(): Failure | undefined {
    return this.#records.at(-1)?.failure ?? undefined;
  }

  /** As it stands, for keeps. */
  get history(): readonly AttemptRecord[] {
    return Object.freeze([...this.#records]);
  }
}
