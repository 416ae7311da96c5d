/** The attempts of one call, as its events, its outcome and `retryHistory` show them. */

import type { Decision } from './decide.ts';
import type { AttemptRecord } from './events.ts';
import type { Failure } from './failure.ts';

/** What is known of an attempt by its end. */
export type AttemptFacts = Pick<AttemptRecord, 'attempt' | 'startedAt'> & {
  readonly settledAt: number;
  readonly target: string | undefined;
};

export class AttemptLog {
  readonly #records: AttemptRecord[] = [];

  /** `failure`: null for a success. `decision`: what followed it. */
  add({ attempt, startedAt, settledAt, target }: AttemptFacts, failure: Failure | null, decision?: Decision): void {
    const wait = decision?.retry === true ? decision : undefined;
    this.#records.push(
      Object.freeze({
        attempt,
        startedAt,
        durationMs: Math.max(0, settledAt - startedAt),
        failure,
        delayMs: wait?.delayMs ?? null,
        because: wait?.because ?? null,
        ...(target !== undefined && { target }),
      }),
    );
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
