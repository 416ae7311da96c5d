/** The options, and their defaults. */

import type { Backoff } from './backoff.ts';
import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import type { RetryController } from '../events/controller.ts';
import type { RetryEvent } from '../events/events.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { WaitReason } from '../failure/reasons.ts';
import type { FallbackChain } from '../route/route.ts';
import type { Failure, FailureType, Jitter, Strategy } from '../failure/failure.ts';
import type { Gate } from '../gate/gate.ts';
import type { OperationLabel, OperationSafety } from './operation.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { StreamWatch } from './stream-watch.ts';
import type { TransportResponse } from '../transport.ts';

/**
 * The outcome of an attempt: a response, with the part of its body that was read to classify it, or what was thrown.
 */
export type Outcome =
  | { readonly response: Response | TransportResponse; readonly body: string | undefined }
  | { readonly error: unknown };

/** The argument of `shouldRetry`: the retry that would follow. */
export interface RetryContext {
  readonly requestId: string;
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** The attempt that just failed, from 1. */
  readonly attempt: number;
  readonly failure: Failure;
  readonly delayMs: number;
  readonly because: WaitReason;
  readonly history: readonly AttemptRecord[];
}

/** How far a stream is held, and the limits of that. */
export interface GuardLimits {
  /**
   * `content`: until the first output, thinking included. `text`: until the first text or tool call, so that thinking
   * is held too. `end`: until the answer is complete, for programs that show nothing before that; the caller gets a new
   * response object with the same url.
   *
   * @default 'content'
   */
  readonly until?: 'content' | 'text' | 'end' | undefined;
  /**
   * The longest time after the response headers; then the stream is handed over.
   *
   * @default `attemptTimeoutMs`, else 30000; none with `until: 'text'` and `'end'`, where the limits of `streamWatch` hold
   */
  readonly maxHoldMs?: number | undefined;
  /** If more bytes arrive, the stream is handed over as it comes. @default 262144; 1 MiB for 'text', 16 MiB for 'end' */
  readonly maxHoldBytes?: number | undefined;
}

/**
 * The options. They are read as own properties; `undefined` means the default. A key throws a TypeError if it is at
 * most two letters away from an option, or is the name of an option in another library; other unknown keys are ignored.
 * All times are in milliseconds.
 */
export interface RetryConfig {
  /** How many retries may follow the first attempt; 0 means none. @default 3; with a `backoff`, as many as its schedule has */
  readonly maxRetries?: number | undefined;
  /** The wait before the first retry, if the server gives no hint. @default 1000 */
  readonly baseDelayMs?: number | undefined;
  /** The longest wait without a hint, jitter included. Time limits: docs/time-limits.md. @default 60000 */
  readonly maxDelayMs?: number | undefined;
  /** Each wait without a hint is this many times as long as the one before. @default 2 */
  readonly backoffMultiplier?: number | undefined;
  /**
   * The random part of a wait `d` without a hint, with the factor `f`: `none`; `symmetric`, d ± d·f; `full`, 0 to d;
   * `down`, d·(1−f) to d. Jitter may lengthen the wait of a hint, and never shortens it.
   *
   * @default 'symmetric'
   */
  readonly jitter?: Jitter | undefined;
  /** The share of a wait that jitter may change, from 0 to 1. @default 0.2 */
  readonly jitterFactor?: number | undefined;
  /**
   * A schedule for the waits without a hint, such as `stepped([1000, 5000])`. The five options above do not change these
   * waits. If you also set `maxRetries`, the smaller number of retries counts.
   */
  readonly backoff?: Backoff | undefined;
  /** The longest time that a call may wait in all, hints included. Time limits: docs/time-limits.md. @default Infinity */
  readonly maxTotalDelayMs?: number | undefined;
  /**
   * A time from the start of the call: if the next wait would end after it, the call ends at once. It never cuts an attempt.
   * Time limits: docs/time-limits.md.
   *
   * @default Infinity
   */
  readonly maxElapsedMs?: number | undefined;
  /**
   * The limit on one attempt: up to the response headers; up to the first output while a stream is held; up to the end
   * of a JSON body that is held. It never cuts a stream after its first output. An attempt that exceeds it is a
   * `timeout` and is retried. All time limits: docs/time-limits.md.
   *
   * @default none
   */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * All statuses that are retried. If you set it, a status of 400 or more that is missing in it is never retried. A
   * status in it is not retried if the body or the headers say that the failure is permanent. Errors inside a 200 and
   * thrown errors are not affected.
   *
   * @default those of the failures that are retried: the list in `DEFAULT_RETRY_CONFIG`
   */
  readonly retryableStatusCodes?: readonly number[] | undefined;
  /**
   * How `Retry-After` and every other hint is used. `obey`: wait as long as the server asks, or stop. `clamp`: wait at
   * most `maxDelayMs`, which may be too early. `ignore`: wait as if there were no hint.
   *
   * @default 'obey'
   */
  readonly retryAfter?: 'obey' | 'clamp' | 'ignore' | undefined;
  /**
   * The longest hint that is obeyed; a longer hint stops the call. `retryAfterPaddingFactor` does not count here. Time
   * limits: docs/time-limits.md.
   *
   * @default `maxDelayMs`
   */
  readonly maxRetryAfterMs?: number | undefined;
  /** Added to a hint: 0.1 waits 10 % longer than the server asks. @default 0 */
  readonly retryAfterPaddingFactor?: number | undefined;
  /**
   * Which requests are retried. All others go to the inner fetch untouched: they are not held, copied, delayed or
   * repeated. `model-requests`: a POST whose path is that of an LLM API, such as `/chat/completions` or
   * `:generateContent`; a path that other services have too, such as `/v1/messages` or `/generate`, counts only if the
   * body is that of a model's request. The body of a Blob or a `Request` is read for that before it is sent, from a
   * copy. A function gets the method in upper case and the URL as it was given. Not for `withRetry`, which has no
   * requests.
   *
   * @default every request
   */
  readonly retryOnly?:
    | 'model-requests'
    | ((request: { readonly method: string; readonly url: string }) => boolean)
    | undefined;
  /**
   * The methods that are retried; a request with another method is sent once.
   *
   * @default all, because a call of an LLM API is a POST
   */
  readonly methods?: readonly string[] | undefined;
  /**
   * Only for `withRetry`, `RetrySession` and the clients of `retry-transport/llm`: also retries an error that no rule
   * recognises. A TypeError, SyntaxError or AssertionError of the program is never retried.
   *
   * @default false
   */
  readonly retryUnknownErrors?: boolean | undefined;
  /**
   * Waits and attempts of your own for a type of failure, such as `{ overloaded: { maxAttempts: 8 } }`. A field that you
   * leave out keeps its default. The fields: docs/waiting.md.
   */
  readonly strategies?: Readonly<Partial<Record<FailureType, Partial<Strategy>>>> | undefined;
  /**
   * Called with every failure; returns another classification, or `undefined` to keep it. If it throws, the call
   * rejects with that error.
   */
  readonly classify?: ((failure: Failure, outcome: Outcome) => Failure | undefined) | undefined;
  /**
   * Called before every retry; `false` stops the call. An abort does not wait for its answer. If it throws, the call
   * rejects.
   */
  readonly shouldRetry?: ((context: RetryContext) => boolean | Promise<boolean>) | undefined;
  /**
   * Holds a streamed response until its first content (with `until`, its first text or its end), so that a
   * failure before that can be retried. Time limits: docs/time-limits.md.
   *
   * @default true
   */
  readonly guardStreams?: boolean | GuardLimits | undefined;
  /**
   * Takes `createStreamWatch()`. The body of a stream then fails if it goes silent, or ends before the answer is
   * complete. Such a failure is retried only if `guardStreams` has `until: 'text'` or `'end'`, and still holds the stream.
   * Time limits: docs/time-limits.md.
   *
   * @default none
   */
  readonly streamWatch?: StreamWatch | undefined;
  /**
   * Holds a JSON response of up to 1 MiB until it is complete. A response that breaks off, or contains an error in
   * spite of its status 200, is retried; one that stalls is retried after `attemptTimeoutMs`. `model-requests`: only
   * for requests that are known to go to a model.
   *
   * @default 'model-requests'
   */
  readonly guardJson?: boolean | 'model-requests' | undefined;
  /**
   * Waits until a used-up quota is reset, if the server says when. As for a hint, `maxRetryAfterMs` and the limits on
   * waiting apply. Not with `retryAfter: 'clamp'` or `'ignore'`. On in `presets.patient`. Without it the call ends at
   * once, and its event has `possibleAt`.
   *
   * @default false
   */
  readonly waitForQuotaReset?: boolean | undefined;
  /**
   * What the request does: a label for `classifyOperation`, or a function that returns one. The function gets the
   * method in upper case and the URL as it was given.
   *
   * @default 'model_request'; for a JSON-RPC body, as in MCP, its method decides: `tools/call` and unknown methods are a
   *   'tool_call'; `initialize`, `ping`, `prompts/get`, and methods that list or read are a 'read'
   */
  readonly operation?:
    | OperationLabel
    | ((request: { readonly method: string; readonly url: string }) => OperationLabel)
    | undefined;
  /** What an unknown `operation` label counts as. @default 'irreversible' */
  readonly unknownOperation?: OperationSafety | undefined;
  /** Also repeats an operation that may have run and cannot be undone. @default false */
  readonly retryIrreversible?: boolean | undefined;
  /**
   * Undoes an operation such as `file_write`, so that it may be repeated. Awaited before each repetition; without
   * `rollback`, such an operation is repeated only if nothing was sent. If it throws, the call rejects.
   */
  readonly rollback?: ((failure: Failure) => void | Promise<void>) | undefined;
  /**
   * The name of a header for an idempotency key: one per call and target, the same on every attempt. A key that the
   * request already has is kept for the first target, and replaced for the other targets of `fallback`.
   *
   * @default none
   */
  readonly idempotencyKeyHeader?: string | undefined;
  /** The name of a header with the number of the retry, such as `x-retry-count`; on retries only. @default none */
  readonly attemptHeader?: string | undefined;
  /** When a call gives up, throws `RetryExhaustedError` instead of returning the last retryable response. @default false */
  readonly throwOnExhausted?: boolean | undefined;
  /**
   * Adds `x-should-retry: false` to a response that was given up, so that the SDK that called does not retry it.
   * `permanent`: only if no wait will help.
   *
   * @default false
   */
  readonly markFinalResponse?: boolean | 'permanent' | undefined;
  /** Other targets: `createFallback` or `createKeyRotation`. @default none */
  readonly fallback?: FallbackChain | undefined;
  /** Shared by all calls under one limit: `createGate`, or the gate of `presets.fleet()`. @default none */
  readonly gate?: Gate | undefined;
  /** A `batch` call waits behind `interactive` calls of the same gate. @default 'interactive' */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /**
   * A name for the limit of the call. All calls with the same name share one limit of the `gate`.
   *
   * @default what the `key` of the gate makes of the request; for `withRetry` and `RetrySession`, the label of the operation
   */
  readonly gateKey?: string | undefined;
  /** For a user interface: retry now, give up, switch off. One controller may be passed to many calls. */
  readonly controller?: RetryController | undefined;
  /** The id of the call in every event, or a function that makes one for each call. @default random */
  readonly requestId?: string | (() => string) | undefined;
  /** Called with the number of a failed attempt (from 1), before the wait that follows it and before `onEvent`. */
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  /** Called once when a retryable failure is given up, before `onEvent`, with the number of attempts made. */
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  /** Called with every event of the call. An error that it throws changes nothing. */
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  /** Clock, random numbers and sleep, for tests. A missing part is the real one. */
  readonly runtime?: Readonly<Partial<Runtime>> | undefined;
}

/** The options in {@link DEFAULT_RETRY_CONFIG}. */
type Defaulted =
  | 'maxRetries'
  | 'baseDelayMs'
  | 'maxDelayMs'
  | 'backoffMultiplier'
  | 'jitter'
  | 'jitterFactor'
  | 'maxTotalDelayMs'
  | 'maxElapsedMs'
  | 'retryableStatusCodes'
  | 'retryAfter'
  | 'retryAfterPaddingFactor'
  | 'guardStreams'
  | 'guardJson'
  | 'waitForQuotaReset'
  | 'throwOnExhausted'
  | 'markFinalResponse';

/**
 * The defaults: three retries, waits of at most a minute, hints obeyed. Made in a function, so that a bundler can drop
 * them.
 */
export const DEFAULT_RETRY_CONFIG: { readonly [K in Defaulted]: Exclude<RetryConfig[K], undefined> } =
  /* @__PURE__ */ makeDefaults();

function makeDefaults(): typeof DEFAULT_RETRY_CONFIG {
  return Object.freeze({
    maxRetries: 3,
    baseDelayMs: 1_000,
    maxDelayMs: 60_000,
    backoffMultiplier: 2,
    jitter: 'symmetric',
    jitterFactor: 0.2,
    maxTotalDelayMs: Infinity,
    maxElapsedMs: Infinity,
    retryableStatusCodes: RETRYABLE_STATUS_CODES,
    retryAfter: 'obey',
    retryAfterPaddingFactor: 0,
    guardStreams: true,
    guardJson: 'model-requests',
    waitForQuotaReset: false,
    throwOnExhausted: false,
    markFinalResponse: false,
  });
}
