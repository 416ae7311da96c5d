/**
 * Retries for any asynchronous operation, with the same decisions, waits and events: for an agent that runs a turn, or
 * a worker that restarts a session.
 */

import { checkConfig } from './options/check-config.ts';
import type { RetryConfig } from './options/config.ts';
import { RetryController } from './events/controller.ts';
import { notify } from './events/events.ts';
import { OperationFace } from './operation/operation-face.ts';
import { type Checks, expectFunction, mismatch } from './runtime/expect.ts';
import type { Failure } from './failure/failure.ts';
import type { Target } from './route/route.ts';
import { type Policy, resolveConfig } from './options/policy.ts';
import { abortError, abortWith, isSignal } from './runtime/abort.ts';
import type { Attempt } from './loop/face.ts';
import { run } from './loop/retry-loop.ts';

/** The argument of an operation. */
export interface OperationContext {
  /** From 1. */
  readonly attempt: number;
  /** Aborts with the caller's signal, at the time limit of the attempt, and when a session is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** The target of a fallback chain that the operation should use; undefined: its own. */
  readonly target: Target | undefined;
}

/** What `withRetry` calls, once for each attempt. It may return a value or a promise. */
export type Operation<T> = (context: OperationContext) => T | Promise<T>;

/** The options of {@link withRetry}: those of a request, and two more. */
export interface OperationRetryConfig extends RetryConfig {
  /** Aborts the call: a wait ends at once, and the signal of the operation aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the failure after a call ended because its input is too long, so that you can shorten it. */
  readonly onContextTooLong?: ((failure: Failure) => void) | undefined;
}

const OPERATION_OPTIONS: Checks = {
  signal: expectSignal,
  onContextTooLong: expectFunction,
};

/**
 * Runs an operation, and retries it while a retry can help. A thrown error is classified by its `status`, `code`,
 * `cause` and message. The first execution is never refused, whatever its label.
 *
 * @throws what the operation threw last, or the reason of an abort; TypeError if an option is invalid
 */
export function withRetry<T>(operation: Operation<T>, config: OperationRetryConfig = {}): Promise<T> {
  if (typeof operation !== 'function')
    throw new TypeError(`Expected \`operation\` to be a function, got ${typeof operation}.`);
  const { signal, onContextTooLong, ...given } = checkConfig(config, OPERATION_OPTIONS);
  const listening: RetryConfig =
    onContextTooLong === undefined
      ? given
      : {
          ...given,
          onEvent: (event) => {
            notify(given.onEvent, event);
            if (event.type === 'failed' && event.failure.type === 'context_too_long')
              notify(onContextTooLong, event.failure);
          },
        };
  const policy = resolveConfig(listening);
  const call = ({ number, target }: Attempt<T>, signalOf: AbortSignal | undefined): T | Promise<T> =>
    operation({ attempt: number, signal: signalOf, target });
  return run(policy, new OperationFace(policy, call, signal ?? undefined));
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
  readonly #config: OperationRetryConfig;
  readonly #policy: Policy;
  #retries = 0;
  #cancel = new AbortController();

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(config: OperationRetryConfig = {}) {
    this.#config = checkConfig(config, OPERATION_OPTIONS);
    this.#policy = resolveConfig(this.#config);
    this.controller = this.#config.controller ?? new RetryController();
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
    const used = this.#retries;
    const { maxRetries, backoff } = this.#policy;
    const either = new AbortController();
    const given = [this.#cancel.signal, signal, this.#config.signal ?? undefined].map((each) =>
      abortWith(each, either),
    );
    const value = await withRetry(operation, {
      ...this.#config,
      controller: this.controller,
      signal: either.signal,
      maxRetries: Math.max(0, maxRetries - used),
      backoff: { delayFor: (retry, context) => backoff.delayFor(retry + used, context) },
      // Counted when it is sent: a wait may be given up, and other runs count too.
      onEvent: (event) => {
        if (event.type === 'attempt' && event.attempt > 1) this.#retries += 1;
        notify(this.#config.onEvent, event);
      },
    }).finally(() => {
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
