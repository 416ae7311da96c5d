/** Where one call is on its chain: the target it asks, what it has asked before, and where a failure would lead. */

import type { Spent } from './call-log.ts';
import { limitOfRest, type Situation } from './decide.ts';
import type { Failure } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import type { Policy } from '../policy/policy.ts';
import type { Refusal } from './refusal.ts';
import type { NextTarget, Target } from '../fallback/fallback.ts';

export class Walk {
  readonly #policy: Policy;
  readonly #asked: Target[] = [];
  #next: NextTarget | undefined;
  /** Attempts made before the present target was turned to. */
  #attemptsBefore = 0;
  /** Turns to a target that this call had not asked: with a chain that chooses for each attempt they cost no retry. */
  #firstTurns = 0;
  #waits = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** undefined: the caller's own request. */
  get target(): Target | undefined {
    return this.#asked.at(-1);
  }

  /** The name of the present target; undefined without a chain. */
  get name(): string | undefined {
    return this.target?.name ?? this.#policy.config.fallback?.primary;
  }

  /** Retries that the call may have in all, as far as it has come. */
  get maxRetries(): number {
    const { config, maxRetries } = this.#policy;
    if (this.rotates) return maxRetries + this.#firstTurns;
    return this.#attemptsBefore === 0 ? maxRetries : this.#attemptsBefore + (config.fallback?.additionalRetries ?? 0);
  }

  /** How long the target that `look` found is to be left alone; undefined when there is none or it is free. */
  get restMs(): number | undefined {
    return this.#next?.waitMs || undefined;
  }

  /** The target of each attempt is chosen right before it, and by then nobody may be free. */
  get rotates(): boolean {
    return this.#policy.config.fallback?.choose !== undefined;
  }

  /** What the decision has to know of the chain. Asks the chain where this failure leads. */
  look(failure: Failure, attempts: number, nowMs: number): Pick<Situation, 'attempts' | 'maxRetries' | 'fallback'> {
    const { config, maxRetries, strategies } = this.#policy;
    const chain = config.fallback;
    this.#next = chain?.next(failure, this.#asked, nowMs, strategies.get(failure.type)?.fallback);
    if (this.rotates) return this.#lookAround(attempts - this.#firstTurns);
    const onTarget = this.#attemptsBefore === 0 ? maxRetries : (chain?.additionalRetries ?? 0);
    const afterRetries = Math.min(onTarget, chain?.maxRetriesBeforeFallback ?? 0);
    const fallback = this.#next === undefined ? null : { waitMs: this.#next.waitMs, afterRetries };
    return { attempts: attempts - this.#attemptsBefore, maxRetries: onTarget, fallback };
  }

  /** Turns to where `look` pointed, after `attempts` attempts in all. The name of what it turns to. */
  turn(attempts: number): string | undefined {
    if (this.#next === undefined) return undefined;
    const { target } = this.#next;
    if (!this.#asked.includes(target)) this.#firstTurns += 1;
    this.#asked.push(target);
    this.#attemptsBefore = attempts;
    return target.name;
  }

  /**
   * Settles the target of the attempt that is about to be sent. More than 0: all of them rest; ask again after so long,
   * unless that is refused because it is too long, or was done often enough.
   *
   * @param spent what the call has waited, and how long it has taken
   */
  choose(nowMs: number, spent: Spent): number | Refusal {
    const chosen = this.#policy.config.fallback?.choose?.(nowMs);
    if (chosen === undefined) return 0;
    const { target, waitMs } = chosen;
    if (waitMs === 0) {
      if (this.target !== target) this.#asked.push(target);
      return 0;
    }
    if (waitMs === Number.POSITIVE_INFINITY) {
      const error = new Error(
        `Nobody is left to ask: ${target.name} and all others were refused for good. Replace them.`,
      );
      return { because: 'retries-exhausted', error, possibleAt: null };
    }
    this.#waits += 1;
    const limit = limitOfRest(waitMs, spent, this.#policy);
    const because = limit ?? (this.#waits > this.#policy.maxRetries + 1 ? 'retries-exhausted' : null);
    if (because === null) return waitMs;
    const when = formatDelay(waitMs);
    const error = new Error(
      `Nothing is free to ask: ${target.name} is the first that will be, in ${when}. Ask again then.`,
    );
    return { because, error, possibleAt: nowMs + waitMs };
  }

  /** Going round again is a retry like any other, or the round would never end. */
  #lookAround(attempts: number): Pick<Situation, 'attempts' | 'maxRetries' | 'fallback'> {
    const { maxRetries } = this.#policy;
    const next = this.#next;
    const isNew = next !== undefined && next.waitMs === 0 && !this.#asked.includes(next.target);
    if (!isNew && attempts > maxRetries) this.#next = undefined;
    const fallback = this.#next === undefined ? null : { waitMs: this.#next.waitMs, afterRetries: 0 };
    return { attempts, maxRetries, fallback };
  }
}
