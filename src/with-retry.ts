/**
 * Retries for any asynchronous operation, with the same decisions, waits and events: for an agent that runs a turn, or
 * a worker that restarts a session.
 */

import { isProgramError, OPERATION_WORDING } from './classify/index.ts';
import { withRetryable } from './classify/make-failure.ts';
import { checkConfig } from './options/check-config.ts';
import type { RetryConfig } from './options/config.ts';
import { DEFAULT_OPERATION } from './options/operation.ts';
import { RetryController } from './events/controller.ts';
import { notify } from './events/events.ts';
import type { AttemptChanges, Exchange } from './loop/exchange.ts';
import { type Checks, expectFunction, mismatch } from './runtime/expect.ts';
import type { Failure } from './failure/failure.ts';
import type { Target } from './route/route.ts';
import { rememberHistory, retryHistory } from './failure/history.ts';
import { type Policy, resolveConfig } from './options/policy.ts';
import { abortError, abortWith, isSignal } from './runtime/abort.ts';
import { get } from './runtime/values.ts';
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
  const label = typeof given.operation === 'string' ? given.operation : DEFAULT_OPERATION;
  return run(policy, new OperationExchange(operation, label, signal ?? undefined, given.retryUnknownErrors)).then(
    (box) => {
      const history = retryHistory(box);
      if (history.length > 0) rememberHistory(box.value, history);
      return box.value;
    },
  );
}

function expectSignal(name: string, value: unknown): void {
  if (value !== null && !isSignal(value)) throw new TypeError(mismatch(name, 'an AbortSignal', value));
}

/**
 * The error in p-retry's `AbortError`, which p-retry rejects with; undefined for any other error. The `AbortError` of a
 * signal has no `originalError`.
 */
function errorInAbortError(error: unknown, depth = 0): Error | undefined {
  if (get(error, 'name') !== 'AbortError' || depth > MAX_WRAPPERS) return undefined;
  const wrapped = get(error, 'originalError');
  return wrapped instanceof Error ? (errorInAbortError(wrapped, depth + 1) ?? wrapped) : undefined;
}

/** One `AbortError` may be in another. */
const MAX_WRAPPERS = 16;

/** Puts the result into an object, so that a result which looks like a failed response is not read as one. */
class OperationExchange<T> implements Exchange<{ readonly value: T }> {
  readonly method = 'RUN';
  readonly url: string;
  readonly headers = undefined;
  readonly body = undefined;
  readonly wording = OPERATION_WORDING;
  readonly signal: AbortSignal | undefined;
  readonly #operation: Operation<T>;
  readonly #retriesUnknown: boolean;
  /** The error in p-retry's `AbortError`, as an attempt has thrown it. */
  #wrapped: Error | undefined;
  /** Whether the last attempt ended with it. */
  #isEnded = false;

  constructor(operation: Operation<T>, label: string, signal: AbortSignal | undefined, retriesUnknown = false) {
    this.#operation = operation;
    this.#retriesUnknown = retriesUnknown;
    this.url = label;
    this.signal = signal;
  }

  /** After p-retry's `AbortError` no other target follows either. */
  get replayable(): boolean {
    return !this.#isEnded;
  }

  async send(attempt: number, _last: boolean, changes: AttemptChanges | undefined): Promise<{ readonly value: T }> {
    const context = { attempt, signal: changes?.signal ?? this.signal, target: changes?.target };
    try {
      return { value: await this.#operation(context) };
    } catch (error) {
      const wrapped = errorInAbortError(error);
      if (wrapped === undefined) throw error;
      this.#wrapped = wrapped;
      throw wrapped;
    }
  }

  /**
   * With `retryUnknownErrors` an error that no rule recognises is retryable; an error of the program never is, and the
   * error's own word counts for more.
   */
  reread(failure: Failure, error: unknown): Failure {
    // By the error: an attempt whose time limit is over may still throw.
    this.#isEnded = this.#wrapped !== undefined && this.#wrapped === error;
    if (this.#isEnded) return withRetryable(failure, false);
    const isRefused = (get(error, 'retryable') ?? get(error, 'isRetryable')) === false;
    const isRetried = this.#retriesUnknown && !isRefused && failure.type === 'unknown' && !isProgramError(error);
    return isRetried ? withRetryable(failure, true) : failure;
  }

  defer(): void {}

  release(): void {}
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
