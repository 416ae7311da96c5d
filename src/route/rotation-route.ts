/** The route of a call with a rotation: it chooses a target for each attempt, right before it is sent. */

import type { Failure } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import { GateRefusedError } from '../gate/gate-refused-error.ts';
import { firstOf } from './chain-route.ts';
import type { Choice, Move, PlannedRetry, RouteObstacle, Standing, Target, Turn } from './route.ts';
import { type Candidate, type Search, TargetRoute } from './target-route.ts';

export class RotationRoute extends TargetRoute {
  /** How often the call moved to a target that it had not used before. These moves cost no retry. */
  #firstTurns = 0;
  /** Waits because every target rests. */
  #rests = 0;

  standing(nowMs: number, failure: Failure, attempts: number): Standing {
    const { strategies, maxRetries, backoff } = this.policy;
    const next = this.chain.next(failure, this.asked, nowMs, strategies.get(failure.type)?.fallback);
    // A target that is used again costs a retry, or the rotation would never end.
    const counted = attempts - this.#firstTurns;
    const isNew = next !== undefined && next.waitMs === 0 && !this.asked.includes(next.target);
    const hasEnded = counted > maxRetries || backoff.delayFor(counted - 1, { random: () => 0 }) === undefined;
    const isUsed = next !== undefined && (isNew || !hasEnded);
    return {
      attempts: counted,
      maxRetries,
      fallback: isUsed ? { next, restMs: next.waitMs, afterRetries: 0 } : null,
      retriesElsewhere: 0,
    };
  }

  override plan(nowMs: number, retry: PlannedRetry): Choice | Promise<Choice> {
    const search = { question: 'estimate', retry: this.told(nowMs, retry) } as const;
    const first = firstOf(retry, this.current.target);
    // In a plan, a rest is no obstacle: it is the wait that was decided.
    return this.#chooseFrom(nowMs, this.policy.config.gate === undefined ? { ...first, waitMs: 0 } : first, search);
  }

  override take(nowMs: number, { retry, answer, isForced }: Turn): Choice | Promise<Choice> {
    const first = this.chain.choose?.(nowMs) ?? { target: this.current.target, waitMs: 0 };
    const search: Search = { question: isForced ? 'takeAnyway' : 'take', retry, given: answer };
    const chosen = this.#chooseFrom(nowMs, first, search);
    return chosen instanceof Promise ? chosen.then((choice) => this.#withRest(choice)) : this.#withRest(chosen);
  }

  adopt(nowMs: number, choice: Choice, _attempts: number, failure: Failure | undefined): Move | null {
    const { target, isTaken } = choice;
    if (!isTaken && target !== undefined && !this.asked.includes(target)) this.#firstTurns += 1;
    const move = this.moveTo(nowMs, choice, this.#firstTurns);
    // Listeners heard of the key that was planned. Which one is taken is in the history.
    return isTaken || move === null || failure === undefined ? null : { ...move, failure, retries: null };
  }

  /** The first key sends the caller's own request. */
  override keepsKey(target: Target): boolean {
    return target === this.asked[0];
  }

  #chooseFrom(nowMs: number, first: Candidate, search: Search): Choice | Promise<Choice> {
    return this.choose(nowMs, first, search, (passed) => this.chain.choose?.(nowMs, passed));
  }

  /** A rest is an obstacle for an attempt. A rotation whose targets rest again and again ends. */
  #withRest(choice: Choice): Choice {
    const { restMs: waitMs } = choice;
    if (waitMs <= 0) return choice;
    this.#rests += 1;
    const isEndless = waitMs === Number.POSITIVE_INFINITY || this.#rests > this.policy.maxRetries + 1;
    const obstacle: RouteObstacle = {
      stop: isEndless ? 'retries-exhausted' : null,
      waitMs,
      holdMs: waitMs,
      because: 'cooldown',
      isRest: true,
      refusal: () => this.#refusal(choice),
    };
    return { ...choice, obstacle };
  }

  #refusal({ target, session, restMs }: Choice): Error {
    const name = target?.name ?? this.current.name ?? '';
    if (restMs === Number.POSITIVE_INFINITY)
      return new Error(`No target is left: ${name} and all others were refused for good. Replace them.`);
    if (session !== undefined)
      return new GateRefusedError(session.key, 'cooldown-too-long', restMs, this.policy.runtime.now());
    return new Error(`Every target rests: ${name} is free first, in ${formatDelay(restMs)}. Try again then.`);
  }
}
