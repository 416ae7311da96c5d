/** One call's dealings with the gate: asked before each attempt and each retry, told after each attempt. */

import type { GateRefusal } from '../events/gate-event.ts';
import { raceAbort } from './abort.ts';
import type { CallLog, Spent } from './call-log.ts';
import type { WaitEnd } from '../events/controller.ts';
import { type Decision, limitOfRest } from './decide.ts';
import type { StopReason } from '../failure/history.ts';
import type { Exchange } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import type { GateAnswer, Pass } from '../gate/gate.ts';
import { GateRefusedError, type GateRefusedReason } from '../gate/gate-refused-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { Refusal } from './refusal.ts';
import { sleep, sleepControlled } from './wait.ts';

/** The admission of one call; undefined without a gate. */
export function askGate(policy: Policy, exchange: Exchange<unknown>): Admission | undefined {
  const { gate } = policy.config;
  return gate === undefined ? undefined : new Admission(policy, gate.pass(exchange, policy.runtime));
}

export class Admission {
  readonly #policy: Policy;
  readonly #pass: Pass;
  /** Asked for but not used yet. */
  #answer: GateAnswer | Promise<GateAnswer> | undefined;

  constructor(policy: Policy, pass: Pass) {
    this.#policy = policy;
    this.#pass = pass;
    this.#answer = pass.admit();
  }

  /** Whether the first attempt may be sent at once, as whenever all is well. Asked once, before it. */
  isOpen(): boolean {
    const answer = this.#answer;
    if (answer === undefined || !('go' in answer) || !answer.go) return false;
    this.#answer = undefined;
    return true;
  }

  /** Waits in line before an attempt. null: send it now. Rejects with the signal's reason when it aborts. */
  async enter(signal: AbortSignal | undefined, log: CallLog): Promise<Refusal | null> {
    for (;;) {
      const asked = this.#answer ?? this.#pass.admit();
      this.#answer = undefined;
      const answer = await this.#heard(asked, signal);
      if (answer.go) return null;
      const { waitMs, refused } = answer;
      if (refused !== null) return this.#refusal(stopReason(refused), refused, waitMs);
      // The cooldown may hold a call no longer than the call itself may wait.
      const limit = limitOfRest(waitMs, log.spent(this.#policy.runtime.now()), this.#policy);
      if (limit !== null) return this.#refusal(limit, 'cooldown-too-long', waitMs);
      log.addDelay(waitMs);
      const how = await this.#wait(waitMs, signal);
      if (how === 'given-up') return this.#refusal('given-up', 'given-up', waitMs);
      // A person may come earlier than the server asked; nothing else does.
      if (how === 'retry-now') return null;
    }
  }

  /** A retry takes its token out of the budget, and may have to wait longer than it was going to. */
  async permit(
    decision: Extract<Decision, { retry: true }>,
    failure: Failure,
    spent: Spent,
    signal: AbortSignal | undefined,
  ): Promise<Decision> {
    const answer = await this.#heard(this.#pass.permitRetry(failure, decision.delayMs), signal);
    if (answer.go) return decision;
    if (answer.refused !== null) return { retry: false, because: stopReason(answer.refused) };
    if (answer.waitMs <= decision.delayMs) return decision;
    const limit = limitOfRest(answer.waitMs, spent, this.#policy);
    return limit === null
      ? { retry: true, delayMs: answer.waitMs, because: 'cooldown' }
      : { retry: false, because: limit };
  }

  /** Never throws and is never waited for. An abort says nothing of the server. */
  settled(outcome: 'success' | Failure): void {
    this.#pass.settled(outcome !== 'success' && outcome.type === 'aborted' ? 'cancelled' : outcome);
  }

  /** The call has ended. */
  leave(): void {
    this.#pass.leave();
    // Asked at the call, and never listened to: it was aborted already.
    if (this.#answer instanceof Promise) this.#answer.then(() => this.#pass.leave()).catch(() => {});
  }

  /** A store may take its time, an abort does not wait for it. Whoever has left is not kept in line by a late answer. */
  #heard(asked: GateAnswer | Promise<GateAnswer>, signal: AbortSignal | undefined): GateAnswer | Promise<GateAnswer> {
    if (signal === undefined || !(asked instanceof Promise)) return asked;
    return raceAbort(asked, signal, () => this.#pass.leave());
  }

  async #wait(waitMs: number, signal: AbortSignal | undefined): Promise<WaitEnd> {
    const { runtime, config } = this.#policy;
    if (config.controller !== undefined) {
      return sleepControlled(runtime, { ms: waitMs, until: runtime.now() + waitMs }, signal, config.controller);
    }
    await sleep(runtime, waitMs, signal);
    return 'elapsed';
  }

  #refusal(because: StopReason, reason: GateRefusedReason, waitMs: number): Refusal {
    const error = new GateRefusedError(this.#pass.key, reason, waitMs, this.#policy.runtime.now());
    return { because, error, possibleAt: error.possibleAt };
  }
}

/** A line that is full has no word of its own among the reasons; it refuses for want of room for retries. */
function stopReason(refused: GateRefusal): StopReason {
  return refused === 'too-many-waiting' ? 'retry-budget-empty' : refused;
}
