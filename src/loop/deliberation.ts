/**
 * What follows a failed attempt when everybody was asked who has a say: the policy, the caller's `shouldRetry`, the gate,
 * and the deadline after they have taken their time.
 */

import type { Admission } from './admission.ts';
import type { Announcer } from '../events/announcer.ts';
import type { CallLog } from './call-log.ts';
import { type Decision, decide } from './decide.ts';
import type { Exchange } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import type { Walk } from './walk.ts';
import type { Policy } from '../policy/policy.ts';
import { isPermitted, obstacleTo } from './repeat.ts';
import type { Judgement } from './verdict.ts';

export class Deliberation {
  readonly #policy: Policy;
  readonly #exchange: Exchange<unknown>;
  readonly #announcer: Announcer;
  readonly #walk: Walk;
  readonly #gate: Admission | undefined;
  readonly #log: CallLog;

  constructor(
    policy: Policy,
    exchange: Exchange<unknown>,
    announcer: Announcer,
    walk: Walk,
    gate: Admission | undefined,
    log: CallLog,
  ) {
    this.#policy = policy;
    this.#exchange = exchange;
    this.#announcer = announcer;
    this.#walk = walk;
    this.#gate = gate;
    this.#log = log;
  }

  /** What the policy says. Counts the failure: called once for each. */
  decide({ failure, serverSaidStop }: Judgement, now: number): Decision {
    const attemptsOfType = this.#log.count(failure.type);
    const { attempts, maxRetries, fallback } = this.#walk.look(failure, this.#log.attempts, now);
    const mayRepeat = failure.retryable || fallback !== null;
    const obstacle = mayRepeat ? obstacleTo(this.#policy, this.#exchange, this.#announcer, failure) : null;
    // As of the moment that the wait counts from.
    const spent = this.#log.spent(this.#log.countsFrom(now));
    return decide(
      { failure, serverSaidStop, attempts, maxRetries, attemptsOfType, ...spent, obstacle, fallback },
      this.#policy,
      () => this.#policy.runtime.random(),
    );
  }

  /** What the others make of a retry. A promise only where one of them is asked. */
  permit(decision: Decision, failure: Failure): Decision | Promise<Decision> {
    const isAsked = this.#gate !== undefined || this.#policy.config.shouldRetry !== undefined;
    return decision.retry && isAsked ? this.#ask(decision, failure) : decision;
  }

  async #ask(decision: Extract<Decision, { retry: true }>, failure: Failure): Promise<Decision> {
    const { runtime, config, maxElapsedMs } = this.#policy;
    const { signal } = this.#exchange;
    if (config.shouldRetry !== undefined) {
      const permitted = await isPermitted(this.#policy, this.#announcer, this.#log, decision, failure, signal);
      if (!permitted) return { retry: false, because: 'refused-by-caller' };
    }
    const spent = this.#log.spent(runtime.now());
    const agreed = (await this.#gate?.permit(decision, failure, spent, signal)) ?? decision;
    if (!agreed.retry) return agreed;
    const { elapsedMs } = this.#log.spent(this.#log.endOf(agreed, runtime.now()));
    return elapsedMs > maxElapsedMs ? { retry: false, because: 'deadline' } : agreed;
  }
}
