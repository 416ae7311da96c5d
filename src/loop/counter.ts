/** The one counter of attempts: those of the call, of the current target, and by type of failure. */

import type { Failure, FailureType } from '../failure/failure.ts';
import type { TurnCounter } from '../route/route.ts';
import { MAX_CUT_OFF, type Situation, wasCutOff } from './decide.ts';

type Counted = Pick<
  Situation,
  'attempts' | 'attemptsOfStrategy' | 'scheduleIndex' | 'cutOffsLeft' | 'wasHinted' | 'totalDelayMs'
>;

const MOST_RETRIES_WITH_PROGRESS = 100;

/** Created for every call that needs more than a plain attempt. */
export class Counter implements TurnCounter {
  /** Attempts that were started. */
  attempts: number;
  /** Waiting, hints included. */
  totalDelayMs = 0;
  /** Attempts on earlier targets. */
  before = 0;
  /** Attempts on the current target that cost no retry. */
  free = 0;
  /** Failures by type, and those of all types without a strategy. */
  #ofType: Partial<Record<FailureType | 'others', number>> = {};
  /** The targets that the call has been at; undefined until it moves, because a waiting call holds little. */
  #visited: Set<string> | undefined;
  #cutOffsLeft = MAX_CUT_OFF;
  #wasHinted = false;
  readonly earlierRetries: number;

  /** `attempts`: those that were sent before the counter was needed. `earlierRetries`: those before the last progress. */
  constructor(attempts: number, earlierRetries = 0) {
    this.attempts = attempts;
    this.earlierRetries = earlierRetries;
  }

  /** Whether an operation that reports progress and fails again and again has made all retries that it may have. */
  get isSpent(): boolean {
    return this.earlierRetries > 0 && this.earlierRetries + this.attempts > MOST_RETRIES_WITH_PROGRESS;
  }

  /** Attempts that count on the current target. */
  get onTarget(): number {
    return this.attempts - this.before - this.free;
  }

  /** Counts a failure of an attempt that took so long. What `decide` needs to know of the attempts so far. */
  count(failure: Failure, durationMs: number, strategies: ReadonlyMap<FailureType, unknown>): Counted {
    const { type, retryAfterMs } = failure;
    const wasHinted = this.#wasHinted;
    this.#wasHinted ||= retryAfterMs !== undefined;
    const cutOffsLeft = wasCutOff(failure, durationMs) ? --this.#cutOffsLeft : Infinity;
    const hasOwn = strategies.has(type);
    const counted = hasOwn ? type : 'others';
    const attemptsOfStrategy = (this.#ofType[counted] = (this.#ofType[counted] ?? 0) + 1);
    const { onTarget: attempts, totalDelayMs } = this;
    const scheduleIndex = (hasOwn ? attemptsOfStrategy : attempts) - 1;
    return { attempts, attemptsOfStrategy, scheduleIndex, cutOffsLeft, wasHinted, totalDelayMs };
  }

  /** The call goes to another target: one that it has not been at has had no failure yet. */
  move(from: string, to: string): void {
    const visited = (this.#visited ??= new Set()).add(from);
    if (visited.has(to)) return;
    visited.add(to);
    this.#ofType = {};
  }
}
