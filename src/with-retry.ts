/**
 * Retries for any asynchronous operation, with the same decisions, waits and events: for an agent that runs a turn, or
 * a worker that restarts a session.
 */

import { RetryController } from './events/controller.ts';
import type { RetryListener } from './events/events.ts';
import type { Attempt } from './loop/face.ts';
import { run } from './loop/retry-loop.ts';
import { OperationFace } from './operation/operation-face.ts';
import type { OperationRetryConfig } from './options/config.ts';
import { type Policy, resolveConfig } from './options/policy.ts';
import { abortError, abortWith, isSignal } from './runtime/abort.ts';
import { mismatch } from './runtime/expect.ts';

/** The argument of an operation. */
export interface OperationContext {
  /** From 1. */
  readonly attempt: number;
  /** Aborts with the caller's signal, at the time limit of the attempt, and when a session is cancelled. */
  readonly signal: AbortSignal;
  /** The name of the target of `fallback` that the operation should use; undefined: its own. */
  readonly target: string | undefined;
}

/** What `withRetry` calls, once for each attempt. It may return a value or a promise. */
export type Operation<T> = (context: OperationContext) => T | Promise<T>;

/**
 * Runs an operation, and retries it while a retry can help. A thrown error is classified by its `status`, `code`,
 * `cause` and message. The first execution is never refused, whatever its label.
 *
 * @throws what the operation threw last, or the reason of an abort; TypeError if an option is invalid
 */
export function withRetry<T>(operation: Operation<T>, config: OperationRetryConfig = {}): Promise<T> {
  if (typeof operation !== 'function')
    throw new TypeError(`Expected \`operation\` to be a function, got ${typeof operation}.`);
  const policy = resolveConfig('withRetry', config);
  return runOperation(operation, policy, policy.config.signal ?? undefined);
}

function runOperation<T>(operation: Operation<T>, policy: Policy, signal: AbortSignal | undefined): Promise<T> {
  const call = ({ number, target }: Attempt<T>, given = new AbortController().signal): T | Promise<T> =>
    operation({ attempt: number, signal: given, target: target?.name });
  return run(policy, new OperationFace(policy, call, signal));
}

function expectSignal(name: string, value: unknown): void {
  if (value !== null && !isSignal(value)) throw new TypeError(mismatch(name, 'an AbortSignal', value));
}

/**
 * Operations that share one count of retries. Only a success resets the count: an operation that is given up and
 * started again continues the schedule.
 */
export class RetrySession {
  readonly controller: RetryController;
  readonly #policy: Policy;
  #retries = 0;
  #cancel = new AbortController();

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(config: OperationRetryConfig = {}) {
    this.#policy = resolveConfig('RetrySession', config);
    this.controller = this.#policy.config.controller ?? new RetryController();
  }

  /** Whether failed operations are retried. */
  get enabled(): boolean {
    return this.controller.enabled;
  }

  set enabled(enabled: boolean) {
    this.controller.enabled = enabled;
  }

  get isRetrying(): boolean {
    return this.controller.isRetrying;
  }

  /** Retries made since the last success or `reset`. */
  get retries(): number {
    return this.#retries;
  }

  /**
   * Runs an operation with the rest of the schedule. A success resets the schedule. Limits on waiting and `strategies`
   * count anew in each run.
   *
   * @throws like {@link withRetry}
   */
  async run<T>(operation: Operation<T>, signal?: AbortSignal): Promise<T> {
    expectSignal('signal', signal ?? null);
    if (typeof operation !== 'function') throw new TypeError(mismatch('operation', 'a function', operation));
    const used = this.#retries;
    const { maxRetries, common, onEvent, config } = this.#policy;
    const either = new AbortController();
    const given = [this.#cancel.signal, signal, config.signal ?? undefined].map((each) => abortWith(each, either));
    // Counted when it is sent: a wait may be given up, and other runs count too.
    const count: RetryListener = (event) => {
      if (event.type === 'attempt' && event.attempt > 1) this.#retries += 1;
    };
    const rest: Policy = {
      ...this.#policy,
      maxRetries: Math.max(0, maxRetries - used),
      common: {
        ...common,
        maxRetries: Math.max(0, common.maxRetries - used),
        schedule: (retry, ...others) => common.schedule(retry + used, ...others),
      },
      onEvent: [count, ...onEvent],
      controllers: [this.controller],
    };
    const value = await runOperation(operation, rest, either.signal).finally(() => {
      for (const release of given) release();
    });
    this.reset();
    return value;
  }

  /** Resets the schedule. */
  reset(): void {
    this.#retries = 0;
  }

  /** Ends all waits and running operations: their runs reject with `reason`. Later runs are not affected. */
  cancel(reason: unknown = abortError('The session was cancelled.', 'AbortError')): void {
    const cancelled = this.#cancel;
    this.#cancel = new AbortController();
    this.reset();
    cancelled.abort(reason);
  }

  /** Resolves when no operation of the session is retrying, after the last event was delivered. */
  whenIdle(): Promise<void> {
    return this.controller.whenIdle();
  }
}
