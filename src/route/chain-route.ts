/** The route of a call with a fallback chain: it begins with the request's own target, and a failure leads to the next. */

import type { Failure, FailureType } from '../failure/failure.ts';
import type { GateRequest } from '../gate/gate.ts';
import type {
  Choice,
  FallbackChain,
  Move,
  NextTarget,
  PlannedRetry,
  RoutePolicy,
  Standing,
  Target,
  Turn,
} from './route.ts';
import { type Candidate, heldFailure, holderOf, type Search, TargetRoute } from './target-route.ts';

/** How many targets are left for a failure. */
export type CountLeft = (type: FailureType, asked: readonly Target[], fallsBack?: boolean) => number;

export class ChainRoute extends TargetRoute {
  readonly #countLeft: CountLeft;

  constructor(policy: RoutePolicy, request: GateRequest, chain: FallbackChain, countLeft: CountLeft) {
    super(policy, request, chain);
    this.#countLeft = countLeft;
  }

  standing(nowMs: number, failure: Failure, attempts: number): Standing {
    const { chain, policy, current } = this;
    const { maxRetries } = policy;
    const isOnFirst = current.attemptsBefore === 0;
    const retries = isOnFirst ? maxRetries : chain.additionalRetries;
    // A further target has its retries to the end.
    const afterRetries = isOnFirst ? Math.min(maxRetries, chain.maxRetriesBeforeFallback) : retries;
    const next = this.#after(failure, this.asked, nowMs);
    // A custom chain may name a target again, and would never end.
    const isNew = next !== undefined && !this.asked.includes(next.target);
    return {
      attempts: attempts - current.attemptsBefore,
      maxRetries: retries,
      fallback: isNew ? { next, restMs: next.waitMs, afterRetries } : null,
      retriesElsewhere: isNew ? this.#retriesElsewhere(failure.type) : 0,
    };
  }

  override plan(nowMs: number, retry: PlannedRetry): Choice | Promise<Choice> {
    const search = { question: 'estimate', retry: this.told(nowMs, retry) } as const;
    return this.#chooseFrom(nowMs, firstOf(retry, this.current.target), search, retry.failure);
  }

  override take(nowMs: number, { failure, retry, answer, isForced }: Turn): Choice | Promise<Choice> {
    const search: Search = { question: isForced ? 'takeAnyway' : 'take', retry, given: answer };
    return this.#chooseFrom(nowMs, { target: this.current.target, waitMs: 0 }, search, failure);
  }

  adopt(nowMs: number, choice: Choice, attempts: number, failure: Failure | undefined): Move | null {
    const cause = failure ?? heldFailure(choice.passedOver ?? choice.answer, this.current.name ?? '');
    const move = this.moveTo(nowMs, choice, attempts);
    if (move === null) return null;
    return { ...move, failure: cause, retries: this.chain.additionalRetries + this.#retriesElsewhere(cause.type) };
  }

  #retriesElsewhere(type: FailureType): number {
    const left = this.#countLeft(type, this.asked, this.policy.strategies.get(type)?.fallback);
    return left * (1 + this.chain.additionalRetries);
  }

  #after(
    failure: Parameters<FallbackChain['next']>[0],
    asked: readonly Target[],
    nowMs: number,
  ): NextTarget | undefined {
    return this.chain.next(failure, asked, nowMs, this.policy.strategies.get(failure.type)?.fallback);
  }

  /** `failure`: the one that the chain looks for a target for; before it, what the gate knows of the first target. */
  #chooseFrom(nowMs: number, first: Candidate, search: Search, failure: Failure | undefined): Choice | Promise<Choice> {
    return this.choose(nowMs, first, search, (passed, { answer }) => {
      const heldBy = holderOf(answer);
      const types = failure !== undefined ? [failure.type] : heldBy !== null ? [heldBy] : OPENS_CIRCUITS;
      for (const type of types) {
        const next = this.#after({ type }, [...this.asked, ...passed], nowMs);
        if (next !== undefined) return next;
      }
      return undefined;
    });
  }
}

/** The target that a decision names, before the gate is asked. */
export function firstOf({ moves, rests, delayMs, next }: PlannedRetry, current: Target | undefined): Candidate {
  if (moves && next !== undefined) return next;
  // While this target rests, another one of the chain may be used.
  const isRest = rests === 'all targets' || (rests === 'this target' && next !== undefined);
  return { target: current, waitMs: isRest ? delayMs : 0 };
}

/** The failures that may have opened a circuit, which does not say which one it was. */
const OPENS_CIRCUITS: readonly FailureType[] = [
  'provider_unavailable',
  'overloaded',
  'server_error',
  'rate_limit',
  'timeout',
  'connection_error',
];
