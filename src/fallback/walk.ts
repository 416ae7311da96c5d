/** Where one call is on its chain: the target it asks, what it has asked before, and where a failure would lead. */

import type { Situation } from '../decide.ts';
import type { Failure } from '../failure.ts';
import type { Policy } from '../policy.ts';
import { sleep } from '../wait.ts';
import type { NextTarget, Target } from './fallback.ts';

export class Walk {
  readonly #policy: Policy;
  readonly #asked: Target[] = [];
  #next: NextTarget | undefined;
  /** Attempts made before the present target was turned to. */
  #attemptsBefore = 0;

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

  /** Retries that the present target may have. */
  get maxRetries(): number {
    const { config, maxRetries } = this.#policy;
    return this.#attemptsBefore === 0 || config.fallback === undefined ? maxRetries : config.fallback.additionalRetries;
  }

  /** What the decision has to know of the chain. Asks the chain where this failure leads. */
  look(failure: Failure, attempts: number, nowMs: number): Pick<Situation, 'attempts' | 'maxRetries' | 'fallback'> {
    const { maxRetries } = this;
    const chain = this.#policy.config.fallback;
    this.#next = chain?.next(failure, this.#asked, nowMs);
    const afterRetries = Math.min(maxRetries, chain?.maxRetriesBeforeFallback ?? 0);
    const fallback = this.#next === undefined ? null : { waitMs: this.#next.waitMs, afterRetries };
    return { attempts: attempts - this.#attemptsBefore, maxRetries, fallback };
  }

  /** Turns to where `look` pointed, after `attempts` attempts in all. The name of what it turns to. */
  turn(attempts: number): string | undefined {
    if (this.#next === undefined) return undefined;
    this.#asked.push(this.#next.target);
    this.#attemptsBefore = attempts;
    return this.#next.target.name;
  }

  /** The target of the attempt that follows. Waits while a chain that chooses for each attempt has none that is free. */
  async choose(signal: AbortSignal | undefined): Promise<Target | undefined> {
    const { config, runtime } = this.#policy;
    if (config.fallback?.choose === undefined) return this.target;
    for (;;) {
      const { target, waitMs } = config.fallback.choose(runtime.now());
      if (waitMs === 0) {
        if (this.target !== target) this.#asked.push(target);
        return target;
      }
      await sleep(runtime, waitMs, signal);
    }
  }
}
