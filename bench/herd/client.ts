/**
 * One logical request, run by the library's own parts: its policy, its `decide`, its backoff, its gate. Only the loop
 * around them is written again here, for a clock that jumps; it follows the library's step by step.
 */

import { decide } from '../../src/loop/decide.ts';
import type { Failure, FailureType } from '../../src/failure/failure.ts';
import type { GateAnswer, Pass } from '../../src/gate/gate.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { EventQueue } from './event-queue.ts';
import { timedOut } from './failures.ts';

export interface CallOptions {
  readonly policy: Policy;
  readonly pass: Pass | null;
  readonly random: () => number;
  readonly events: EventQueue;
  readonly timeoutMs: number;
  /** Sends one attempt. */
  readonly send: (answer: (failure: Failure | null) => void) => void;
  readonly done: (success: boolean) => void;
}

export class Call {
  readonly #options: CallOptions;
  readonly #startedAtMs: number;
  readonly #countOf: Partial<Record<FailureType, number>> = {};
  #attempts = 0;
  #totalDelayMs = 0;

  constructor(options: CallOptions) {
    this.#options = options;
    this.#startedAtMs = options.events.nowMs;
  }

  /** Sends the next attempt as soon as the gate lets it. */
  attempt(): void {
    const { pass, events, policy } = this.#options;
    const answer = pass === null ? null : now(pass.admit());
    if (answer === null || answer.go) {
      this.#send();
    } else if (answer.refused !== null || answer.waitMs > policy.maxRetryAfterMs) {
      this.#end(false);
    } else {
      events.in(answer.waitMs, () => this.attempt());
    }
  }

  #send(): void {
    const { events, timeoutMs, send } = this.#options;
    this.#attempts += 1;
    let open = true;
    const settle = (failure: Failure | null): void => {
      if (!open) return;
      open = false;
      this.#settled(failure);
    };
    send(settle);
    events.in(timeoutMs, () => settle(timedOut));
  }

  #settled(failure: Failure | null): void {
    const { pass, policy, random, events } = this.#options;
    pass?.settled(failure ?? 'success');
    if (failure === null) {
      this.#end(true);
      return;
    }
    const attemptsOfType = (this.#countOf[failure.type] ?? 0) + 1;
    this.#countOf[failure.type] = attemptsOfType;
    const decision = decide(
      {
        failure,
        serverSaidStop: false,
        attempts: this.#attempts,
        maxRetries: policy.maxRetries,
        attemptsOfType,
        totalDelayMs: this.#totalDelayMs,
        elapsedMs: events.nowMs - this.#startedAtMs,
        obstacle: null,
        fallback: null,
      },
      policy,
      random,
    );
    if (!decision.retry) {
      this.#end(false);
      return;
    }
    const permit = pass === null ? null : now(pass.permitRetry(failure, decision.delayMs));
    if (permit !== null && !permit.go && permit.refused !== null) {
      this.#end(false);
      return;
    }
    const delayMs = permit === null || permit.go ? decision.delayMs : Math.max(decision.delayMs, permit.waitMs);
    this.#totalDelayMs += delayMs;
    events.in(delayMs, () => this.attempt());
  }

  #end(success: boolean): void {
    this.#options.pass?.leave();
    this.#options.done(success);
  }
}

/** A gate in memory answers at once. */
function now(answer: GateAnswer | Promise<GateAnswer>): GateAnswer {
  if (answer instanceof Promise)
    throw new Error('The simulation has no time for promises: use a store that answers at once.');
  return answer;
}
