/** The face of a function: its value is a success, whatever it is, and what it throws is a failure. */

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
import { get } from '../runtime/values.ts';

/** Calls the function for an attempt. */
type Call<T> = (attempt: Attempt<T>, signal: AbortSignal | undefined) => T | Promise<T>;

export class OperationFace<T> implements Face<T>, RouteRequest {
  readonly method = 'RUN';
  readonly url: string;
  readonly secrets: readonly string[] = [];
  readonly signal: AbortSignal | undefined;
  readonly policy: Policy;
  readonly operation: Operation;
  /** A value may be shared by many calls, such as `true` or a cached object. */
  readonly remembersValues = false;
  private readonly call: Call<T>;

  constructor(policy: Policy, call: Call<T>, signal: AbortSignal | undefined) {
    const { operation } = policy.config;
    this.policy = policy;
    this.call = call;
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

  async send(attempt: Attempt<T>): Promise<T> {
    return this.call(attempt, attempt.signal ?? this.signal);
  }

  isPlain(): boolean {
    return true;
  }

  judge(settled: Settled<T>): Judged<T> {
    return 'value' in settled ? settled : new FailedOperation(this, settled.error);
  }

  gateFacts(): GateFacts {
    return {};
  }

  late(): void {}

  defer(): void {}

  release(): void {}
}

/** An operation that threw. */
class FailedOperation<T> implements Failed<T> {
  readonly read: RuledFailure;
  readonly isThrown = true;
  readonly isFoundLater = false;
  private readonly face: OperationFace<T>;
  private readonly error: unknown;
  /** Whether it came in p-retry's `AbortError`. */
  private readonly isEnded: boolean;

  constructor(face: OperationFace<T>, thrown: unknown) {
    const { config, runtime, retryableStatusCodes } = face.policy;
    const wrapped = errorInAbortError(thrown);
    const error = wrapped ?? thrown;
    const read = ownTimeout(
      readError(error, { wording: OPERATION_WORDING, nowMs: runtime.now(), codes: retryableStatusCodes ?? undefined }),
      error,
    );
    const failure =
      wrapped === undefined ? withUnknown(read, error, config.retryUnknownErrors) : withRetryable(read, false);
    this.read = applyRules({ failure, basis: 'evidence', serverSaid: null }, null);
    this.face = face;
    this.error = error;
    this.isEnded = wrapped !== undefined;
  }

  result(): ReturnType<Failed<T>['result']> {
    return { error: this.error };
  }

  errorFor(): Error | undefined {
    return this.error as Error | undefined;
  }

  obstacle(): StopReason | null {
    const { operation, policy } = this.face;
    // After p-retry's `AbortError` no other target follows either.
    if (this.isEnded) return 'body-not-replayable';
    if (nothingWasSent(this.error, this.read.failure)) return null;
    return isIrreversible(operation, policy.config.retryIrreversible) ? 'irreversible-operation' : null;
  }

  end(): T {
    throw this.error;
  }

  discard(): void {}
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
