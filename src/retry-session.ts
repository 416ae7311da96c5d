/** Operations of one conversation, or of one worker: a controller with runs of its own, and one count of retries. */

import { RetryController } from './events/controller.ts';
import type { RetryEvent } from './events/events.ts';
import { progress } from './loop/progress.ts';
import { run } from './loop/retry-loop.ts';
import { resolveFunction } from './operation/function-policy.ts';
import { OperationFace, type OperationContext } from './operation/operation-face.ts';
import type { OperationRetryConfig } from './options/config.ts';
import { type Policy, resolveWith } from './options/policy.ts';
import { abortError, abortWith, isSignal } from './runtime/abort.ts';
import { expectFunction, givenOptions } from './runtime/expect.ts';
import { doNothing } from './runtime/runtime.ts';
import type { Operation } from './with-retry.ts';

/** A run that has not ended. */
interface Run {
  /** That of its present attempt. */
  progress: () => void;
  ended: Promise<unknown>;
}

/** The retries that count when a run begins, and those of the chain that runs. */
interface Chain {
  readonly policy: Policy;
  readonly restart: () => void;
  /** Whether the run had the event `failed`. */
  readonly hasFailed: () => boolean;
}

/**
 * Runs operations, and is the controller of them: it ends their waits (`retryNow`, `giveUp`), switches retries off
 * (`enabled`), and shows them (`state`, `isRetrying`, `whenIdle`, `subscribe`). The schedule starts again after a success,
 * a cancel and an exhaustion; after a failure that no retry can help the next run continues it.
 */
export class RetrySession extends RetryController {
  readonly #config: OperationRetryConfig;
  readonly #policy: Policy;
  readonly #runs = new Set<Run>();
  #retries = 0;
  #cancel = new AbortController();

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(config: OperationRetryConfig = {}) {
    super();
    this.#policy = resolveFunction('RetrySession', config);
    this.#config = givenOptions(config);
  }

  /** Retries made since the schedule started. */
  get retries(): number {
    return this.#retries;
  }

  /**
   * Runs an operation. `overrides`: options of this run, put over those of the session as in `with`; its `signal` counts
   * beside that of the session. Limits on waiting and `strategies` count anew in each run.
   *
   * @throws like {@link withRetry}
   */
  run<T>(operation: Operation<T>, overrides: OperationRetryConfig<NoInfer<T>> = {}): Promise<T> {
    expectFunction('operation', operation);
    if (isSignal(overrides)) throw new TypeError('Expected `overrides` to be options, got a signal. Write { signal }.');
    const { policy, restart, hasFailed } = this.#chainOf(overrides);
    const given = givenOptions<OperationRetryConfig<T>>(overrides);
    const { errorIn = Object.hasOwn(overrides, 'errorIn') ? undefined : this.#config.errorIn } = given;
    const either = new AbortController();
    const releases = [this.#cancel.signal, this.#config.signal, given.signal].map((signal) =>
      abortWith(signal ?? undefined, either),
    );
    const entry: Run = { progress: doNothing, ended: Promise.resolve() };
    const begin = (context: OperationContext): T | Promise<T> => {
      entry.progress = context.progress;
      return operation(context);
    };
    const ended = run(policy, new OperationFace(policy, begin, either.signal, errorIn, restart), undefined, progress)
      .then((value) => {
        // A success at the first attempt makes no event.
        if (!hasFailed()) restart();
        return value;
      })
      .finally(() => {
        this.#runs.delete(entry);
        for (const release of releases) release();
      });
    entry.ended = ended;
    this.#runs.add(entry);
    return ended;
  }

  /** `progress()` of every running operation. */
  progress(): void {
    for (const entry of Array.from(this.#runs)) entry.progress();
  }

  /**
   * Ends all waits, and aborts the signals of running operations: their runs reject with `reason`. A run whose promise the
   * caller does not keep makes no unhandled rejection. Later runs are not affected.
   */
  cancel(reason: unknown = abortError('The session was cancelled.', 'AbortError')): void {
    const cancelled = this.#cancel;
    this.#cancel = new AbortController();
    this.#retries = 0;
    for (const { ended } of this.#runs) ended.catch(doNothing);
    cancelled.abort(reason);
  }

  /** The policy of a run with the rest of the schedule. */
  #chainOf(overrides: OperationRetryConfig<never>): Chain {
    const policy = resolveWith(this.#policy, 'RetrySession', overrides, resolve);
    const { common } = policy;
    let used = this.#retries;
    let isFailed = false;
    const restart = (): void => {
      used = 0;
      this.#retries = 0;
    };
    // Counted when it is sent: a wait may be given up, and other runs count too.
    const count = (event: RetryEvent): void => {
      if (event.type === 'attempt' && event.attempt > 1) this.#retries += 1;
      isFailed = event.type === 'failed';
      const isKept = event.type === 'failed' && event.because === 'not-retryable';
      if ((isFailed && !isKept) || event.type === 'recovered' || event.type === 'cancelled') restart();
    };
    return {
      restart,
      hasFailed: () => isFailed,
      policy: {
        ...policy,
        get maxRetries() {
          return Math.max(0, policy.maxRetries - used);
        },
        common: {
          ...common,
          get maxRetries() {
            return Math.max(0, common.maxRetries - used);
          },
          schedule: (retry, ...others) => common.schedule(retry + used, ...others),
        },
        onEvent: [count, ...policy.onEvent],
        controllers: [this, ...policy.controllers],
      },
    };
  }
}

const resolve = (config: object): Policy => resolveFunction('RetrySession', config);
