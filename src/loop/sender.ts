/** Sends the attempts of one call: what each adds to the caller's arguments, its limit, and the look into a success. */

import type { Announcer } from '../events/announcer.ts';
import { type AttemptLimit, sendAttempt, startLimit } from './attempt.ts';
import { type AttemptChanges, type Exchange, hasSucceeded, type Settled } from './exchange.ts';
import type { FallbackRequest, Target } from '../fallback/fallback.ts';
import { isStreamed, lookInside, needsHold } from './hold.ts';
import type { Policy } from '../policy/policy.ts';
import { discard } from '../stream/response-body.ts';
import { createId } from '../runtime.ts';

export class Sender<R> {
  readonly #policy: Policy;
  readonly #exchange: Exchange<R>;
  readonly #announcer: Pick<Announcer, 'secrets' | 'learn'>;
  #limit: AttemptLimit | undefined;
  #idempotencyKey: string | undefined;

  constructor(policy: Policy, exchange: Exchange<R>, announcer: Pick<Announcer, 'secrets' | 'learn'>) {
    this.#policy = policy;
    this.#exchange = exchange;
    this.#announcer = announcer;
  }

  /** Sends attempt `attempt` (from 1). Its limit runs until `inspect` has seen what came of it. */
  send(attempt: number, last: boolean, target: Target | undefined): Promise<Settled<R>> {
    return sendAttempt(this.#exchange, attempt, last, this.#changes(attempt, target)).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
  }

  /**
   * Looks into a success that may carry a failure; anything else is given back as it is, at once. The limit on the
   * attempt ends here.
   */
  inspect(settled: Settled<R>, nowMs: number): Settled<R> | Promise<Settled<R>> {
    if (hasSucceeded(settled) && needsHold(this.#policy, this.#exchange.method, settled.response)) {
      return this.#look(settled.response, nowMs);
    }
    this.#limit?.clear();
    return settled;
  }

  async #look(response: R & Response, nowMs: number): Promise<Settled<R>> {
    const signal = this.#limit?.signal ?? this.#exchange.signal;
    // The head came in time; only what a stream holds back counts as part of it.
    if (!isStreamed(response)) this.#limit?.clear();
    try {
      const inBand = await lookInside(response, this.#policy, signal, nowMs, this.#announcer);
      return inBand === null ? { response } : { response, inBand };
    } catch (error) {
      discard(response);
      return { error };
    } finally {
      this.#limit?.clear();
    }
  }

  /** undefined: the attempt gets the caller's arguments as they are. */
  #changes(attempt: number, target: Target | undefined): AttemptChanges | undefined {
    const { config, attemptTimeoutMs } = this.#policy;
    const { attemptHeader, idempotencyKeyHeader } = config;
    const headers: Record<string, string> = {};
    if (idempotencyKeyHeader !== undefined) headers[idempotencyKeyHeader] = this.#idempotencyKey ??= createId();
    if (attemptHeader !== undefined && attempt > 1) headers[attemptHeader] = String(attempt - 1);
    const { signal } = this.#exchange;
    this.#limit = attemptTimeoutMs === undefined ? undefined : startLimit(attemptTimeoutMs, signal);
    if (this.#limit === undefined && target === undefined && Object.keys(headers).length === 0) return undefined;
    return { signal: this.#limit?.signal ?? signal, headers, target: target && this.#overheard(target) };
  }

  /** A target brings keys of its own, which must not come out of anything we make either. */
  #overheard(target: Target): Target {
    const learn = (request: FallbackRequest): FallbackRequest => {
      this.#announcer.learn(request);
      return request;
    };
    return {
      name: target.name,
      requestFor: (request) => {
        const rewritten = target.requestFor(request);
        return rewritten instanceof Promise ? rewritten.then(learn) : learn(rewritten);
      },
    };
  }
}
