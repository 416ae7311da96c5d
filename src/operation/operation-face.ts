/** The face of a function: what it throws is a failure, and so is what `errorIn` finds in its value. */

import {
  applyRules,
  isProgramError,
  nothingWasSent,
  OPERATION_WORDING,
  readError,
  type RuledFailure,
} from '../classify/index.ts';
import { ownTimeout, withRetryable } from '../classify/make-failure.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason } from '../failure/reasons.ts';
import type { GateRequest } from '../gate/gate.ts';
import type { Attempt, Face, Failed, GateFacts, Judged, Settled } from '../loop/face.ts';
import { DEFAULT_OPERATION, isIrreversible, type Operation, operationFrom } from '../options/operation.ts';
import type { Policy } from '../options/policy.ts';
import type { RouteRequest, Target } from '../route/route.ts';
import { reasonOf } from '../runtime/abort.ts';
import { mismatch } from '../runtime/expect.ts';
import { get, hasMethod } from '../runtime/values.ts';

/** The argument of an operation. */
export interface OperationContext {
  /** From 1. After `progress()` the running attempt counts as the first. */
  readonly attempt: number;
  /** Aborts with the caller's signal, at the time limit of the attempt, and when a session is cancelled. */
  readonly signal: AbortSignal;
  /** The name of the target of `fallback` that the operation should use; undefined: its own. */
  readonly target: string | undefined;
  /**
   * Says that the operation has got further, such as after each answer of the model in a turn of many: what failed before
   * is over. After retries the event `recovered` follows now. Retries, schedule, strategies and `maxTotalDelayMs` count
   * anew, under a new `callId`; `maxElapsedMs` counts on, and `attemptTimeoutMs` ends. A later failure is retried like a
   * first one, so the next attempt has to go on from here. Such a run makes at most 100 retries in all. Does nothing
   * after the attempt has ended.
   */
  readonly progress: () => void;
}

/** What an attempt calls. */
type Run<R> = (context: OperationContext) => R | Promise<R>;

/** What went wrong in an attempt. */
export interface Fault<R> {
  readonly error: unknown;
  /** The value that it was found in, which the caller gets if no retry follows; absent for what was thrown. */
  readonly found?: { readonly value: R };
  /** Whether it is retried, whatever it says of itself; absent: as it is read. */
  readonly isRetried?: boolean;
}

export class OperationFace<R> implements Face<R>, RouteRequest {
  readonly method = 'RUN';
  readonly url: string;
  readonly secrets: readonly string[] = [];
  readonly signal: AbortSignal | undefined;
  readonly policy: Policy;
  readonly operation: Operation;
  /** A value may be shared by many calls, such as `true` or a cached object. */
  readonly remembersValues = false;
  private readonly run: Run<R>;
  private readonly errorIn: ((value: R) => unknown) | undefined;
  private readonly onProgress: (() => void) | undefined;

  constructor(
    policy: Policy,
    run: Run<R>,
    signal: AbortSignal | undefined,
    errorIn?: (value: R) => unknown,
    onProgress?: () => void,
  ) {
    const { operation } = policy.config;
    this.policy = policy;
    this.run = run;
    this.errorIn = errorIn;
    this.onProgress = onProgress;
    // A function is an option of requests.
    this.operation = operationFrom(typeof operation === 'function' ? undefined : operation, () => DEFAULT_OPERATION);
    this.url = this.operation.label;
    this.signal = signal;
  }

  get request(): this {
    return this;
  }

  at(target: Target): GateRequest {
    return target.offer?.({ url: this.url, headers: {}, body: undefined }) ?? this;
  }

  async send(attempt: Attempt<R>): Promise<R> {
    const { number, target, signal = this.signal ?? new AbortController().signal } = attempt;
    let isOver = false;
    const progress = (): void => {
      if (isOver || signal.aborted) return;
      attempt.progress();
      this.onProgress?.();
    };
    try {
      return await this.run({ attempt: number, signal, target: target?.name, progress });
    } catch (error) {
      // Whatever it throws after an abort, or after its time limit, the reason counts.
      throw signal.aborted ? reasonOf(signal) : error;
    } finally {
      isOver = true;
    }
  }

  isPlain(_value: R): boolean {
    return this.errorIn === undefined;
  }

  judge(settled: Settled<R>): Judged<R> {
    if ('error' in settled) return new FailedOperation(this, settled);
    const fault = this.faultIn(settled.value);
    return fault === undefined ? settled : new FailedOperation(this, fault);
  }

  protected faultIn(value: R): Fault<R> | undefined {
    return this.errorIn && faultOf(this.errorIn(value), value);
  }

  gateFacts(_value: R): GateFacts | undefined {
    return {};
  }

  /** Lets go of what an attempt has come to. */
  late?(value: R): void;
}

/** What `errorIn` makes of a value; undefined: nothing is wrong. @throws TypeError for a promise */
export function faultOf<R>(wrong: unknown, value: R): Fault<R> | undefined {
  if (!wrong) return undefined;
  const found = { value };
  if (typeof wrong !== 'object') {
    const error = new Error(wrong === true ? 'The value was refused by `errorIn`.' : String(wrong));
    return { error, found, isRetried: true };
  }
  if (hasMethod(wrong, 'then')) {
    // Its rejection would end the process.
    Promise.resolve(wrong).catch(() => {});
    throw new TypeError(mismatch('errorIn()', 'an error, true, a text or undefined', wrong));
  }
  return { error: wrong, found };
}

/** An attempt that threw, or whose value is an error. */
class FailedOperation<R> implements Failed<R> {
  readonly read: RuledFailure;
  readonly isThrown = true;
  /** The time that it takes to read an error is not taken off the wait after it. */
  readonly isFoundLater = true;
  readonly recorded: { readonly error: unknown };
  private readonly face: OperationFace<R>;
  private readonly found: Fault<R>['found'];
  /** Whether it came in p-retry's `AbortError`. */
  private readonly isEnded: boolean;

  constructor(face: OperationFace<R>, { error: given, found, isRetried }: Fault<R>) {
    const { config, runtime, retryableStatusCodes } = face.policy;
    const wrapped = errorInAbortError(given);
    const error = wrapped ?? given;
    const read = ownTimeout(
      readError(error, { wording: OPERATION_WORDING, nowMs: runtime.now(), codes: retryableStatusCodes ?? undefined }),
      error,
    );
    const stated = wrapped === undefined ? isRetried : false;
    const retriesUnknown = found === undefined && config.retryUnknownErrors;
    const failure = stated === undefined ? withUnknown(read, error, retriesUnknown) : withRetryable(read, stated);
    this.read = applyRules({ failure, basis: 'evidence', serverSaid: null }, null);
    this.face = face;
    this.recorded = { error };
    this.found = found;
    this.isEnded = wrapped !== undefined;
  }

  result(): ReturnType<Failed<R>['result']> {
    return this.recorded;
  }

  errorFor(): Error | undefined {
    return this.recorded.error as Error | undefined;
  }

  obstacle(): StopReason | null {
    const { operation, policy } = this.face;
    // After p-retry's `AbortError` no other target follows either.
    if (this.isEnded) return 'body-not-replayable';
    if (nothingWasSent(this.recorded.error, this.read.failure)) return null;
    return isIrreversible(operation, policy.config.retryIrreversible) ? 'irreversible-operation' : null;
  }

  end(): R {
    if (this.found === undefined) throw this.recorded.error;
    return this.found.value;
  }

  discard(): void {
    if (this.found !== undefined) this.face.late?.(this.found.value);
  }
}

/**
 * With `retryUnknownErrors` an error that no rule recognises is retryable; an error of the program never is, and the
 * error's own word counts for more.
 */
function withUnknown(failure: Failure, error: unknown, retriesUnknown = false): Failure {
  if (!retriesUnknown || failure.type !== 'unknown' || isProgramError(error)) return failure;
  const isRefused = (get(error, 'retryable') ?? get(error, 'isRetryable')) === false;
  return isRefused ? failure : withRetryable(failure, true);
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
