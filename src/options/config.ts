/** The options, as a user writes them. `rows.ts` has a row for each; `policy.ts` fills in the defaults. */

import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import type { RetryController } from '../events/controller.ts';
import type { RetryListener } from '../events/events.ts';
import type { Backoff, Failure, FailureType, Jitter, Strategy } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { WaitReason } from '../failure/reasons.ts';
import type { Gate } from '../gate/gate.ts';
import type { FallbackChain } from '../route/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { InnerFetch, TransportResponse } from '../transport.ts';
import type { OperationLabel, OperationOptions, OperationSafety } from './operation.ts';

/** What is known of a call when a function of the options is called. */
export interface CallInfo {
  /** The same in every event of the call. */
  readonly callId: string;
  /** In upper case; `RUN` for a function. */
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** The attempt that just failed, from 1. */
  readonly attempt: number;
  /** The attempts before it. */
  readonly history: readonly AttemptRecord[];
}

/** What came of an attempt: `error` was thrown, or `response` came with what was read of its body. */
export interface AttemptResult extends CallInfo {
  /** What was thrown, or what `errorIn` found. */
  readonly error?: unknown;
  /** What came; not to be read. */
  readonly response?: Response | TransportResponse;
  /** What was read of its body. */
  readonly body?: string;
}

/** The retry that would follow. */
export interface PlannedRetry extends CallInfo {
  /** What was thrown, or what `errorIn` found. */
  readonly error?: unknown;
  /** Of the attempt that just failed. */
  readonly failure: Failure;
  /** The wait before the retry, in milliseconds. */
  readonly delayMs: number;
  /** What decides the wait. */
  readonly because: WaitReason;
}

/** The request of a call, as the caller wrote it; the method is in upper case. */
export interface RequestInfo {
  /** In upper case. */
  readonly method: string;
  /** As it was given. */
  readonly url: string;
}

/**
 * What every retry has, of a request or a function. Options are read as own properties; `undefined` means the default. A
 * key throws a TypeError if it is at most two letters away from an option, is the name of an option in another library,
 * or is an option that only another function can honour; other unknown keys are ignored. All times are in milliseconds.
 * Presets are of this type.
 */
export interface RetryPolicy {
  /** How many retries may follow the first attempt; 0 means none. @default 3; with a list in `backoff`, its length */
  readonly maxRetries?: number | undefined;
  /** The wait before the first retry, if the server gives no hint. @default 1000 */
  readonly baseDelayMs?: number | undefined;
  /**
   * The longest wait without a hint, jitter included. Time limits: docs/time-limits.md.
   *
   * @default 60000; none with `backoff`
   */
  readonly maxDelayMs?: number | undefined;
  /** Each wait without a hint is this many times as long as the one before. @default 2 */
  readonly backoffMultiplier?: number | undefined;
  /**
   * The random part of a wait `d` without a hint, with the factor `f`: `none`; `symmetric`, d ± d·f; `full`, 0 to d;
   * `down`, d·(1−f) to d. Jitter may lengthen the wait of a hint, and never shortens it.
   *
   * @default 'symmetric'; 'none' with `backoff`
   */
  readonly jitter?: Jitter | undefined;
  /** The share of a wait that jitter may change, from 0 to 1. @default 0.2 */
  readonly jitterFactor?: number | undefined;
  /**
   * The waits without a hint, in place of waits that grow from `baseDelayMs`: a list, whose last wait repeats if
   * `maxRetries` is larger, or a function of the number of the retry, from 0, beside which `maxRetries` has to be set. They
   * are waited as written, unless `jitter`, `jitterFactor` or `maxDelayMs` is set.
   *
   * @default none
   */
  readonly backoff?: Backoff | undefined;
  /** The longest time that a call may wait in all, hints included. Time limits: docs/time-limits.md. @default Infinity */
  readonly maxTotalDelayMs?: number | undefined;
  /**
   * A time from the start of the call: if the next wait would end after it, the call ends at once. It never cuts an attempt.
   * Below 0 counts as 0. Time limits: docs/time-limits.md.
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
   * How `Retry-After` and every other hint is used. `obey`: wait as long as the server asks, or stop; after the first hint
   * of a call, at least as long as without a hint. `clamp`: wait at most `maxRetryAfterMs`, which may be too early.
   * `ignore`: wait as if there were no hint. A function: obey, and wait as long as it makes of the hint, such as
   * `(hintMs) => hintMs * 1.1`.
   *
   * @default 'obey'
   */
  readonly retryAfter?: 'obey' | 'clamp' | 'ignore' | ((hintMs: number) => number) | undefined;
  /**
   * The longest hint that is obeyed, before a function changes it; a longer hint stops the call. Time limits:
   * docs/time-limits.md.
   *
   * @default `maxDelayMs`, else 60000
   */
  readonly maxRetryAfterMs?: number | undefined;
  /**
   * Waits until a used-up quota is reset, if the server says when. As for a hint, `maxRetryAfterMs` and the limits on
   * waiting apply. Not with `retryAfter: 'clamp'` or `'ignore'`. On in `presets.patient`. Without it the call ends at
   * once, and its event has `possibleAt`.
   *
   * @default false
   */
  readonly waitForQuotaReset?: boolean | undefined;
  /**
   * All statuses that are retried, of responses, and of what a function throws with a status. If you set it, a status of
   * 400 or more that is missing in it is never retried. A status in it is not retried if the body or the headers say that
   * the failure is permanent. Errors inside a 200, and thrown errors without a status, are not affected.
   *
   * @default those of the failures that are retried: the list in `DEFAULT_RETRY_CONFIG`
   */
  readonly retryableStatusCodes?: readonly number[] | undefined;
  /**
   * Called with every failure but an abort, before the limits on retries. `'retry'` makes it retryable, and keeps its type
   * and its hint; `'stop'` ends the call; a failure replaces it; `undefined` keeps it. Anything else is a TypeError. If it
   * throws, the call rejects with that error.
   *
   * @default none
   */
  readonly classify?: ((failure: Failure, result: AttemptResult) => Failure | 'retry' | 'stop' | undefined) | undefined;
  /**
   * Called before every wait; `true` stops the call. An abort or `giveUp` does not wait for its answer. If it throws,
   * the call rejects.
   *
   * @default none
   */
  readonly stopIf?: ((retry: PlannedRetry) => boolean | Promise<boolean>) | undefined;
  /**
   * Options of your own for a type of failure, such as `{ overloaded: { maxRetries: 8 } }`. What you leave out is that of
   * the call. The fields: docs/waiting.md.
   *
   * @default none
   */
  readonly strategies?: Readonly<Partial<Record<FailureType, Strategy>>> | undefined;
  /** Also repeats an operation that may have run and cannot be undone. @default false */
  readonly retryIrreversible?: boolean | undefined;
  /** Shared by all calls under one limit: `createGate`. @default none */
  readonly gate?: Gate | undefined;
  /** A `batch` call waits behind `interactive` calls of the same gate. @default 'interactive' */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /**
   * A name for the limit of the call. All calls with the same name share one limit of the `gate`.
   *
   * @default what the `key` of the gate makes of the request; of a function, the label of its operation
   */
  readonly gateKey?: string | undefined;
  /** Other targets: `createFallback` or `createKeyRotation`. @default none */
  readonly fallback?: FallbackChain | undefined;
  /** For a user interface: retry now, give up, switch off. One controller may be passed to many calls. @default none */
  readonly controller?: RetryController | undefined;
  /** Called with every event of the call; several functions as a list. An error that one throws changes nothing. @default none */
  readonly onEvent?: RetryListener | readonly RetryListener[] | undefined;
  /** Called with the number of a failed attempt (from 1), before the wait that follows it and before `onEvent`. @default none */
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  /** Called once when a retryable failure is given up, before `onEvent`, with the number of attempts made. @default none */
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  /** The id of the call in every event, or a function that makes one for each call. @default random */
  readonly callId?: string | (() => string) | undefined;
  /** Clock, random numbers and sleep, for tests. A missing part is the real one. @default the real ones */
  readonly runtime?: Readonly<Partial<Runtime>> | undefined;
}

/** When a response counts as an answer. */
export interface AnswerOptions {
  /**
   * How long a stream is held, so that a failure before can be retried. `headers`: not at all. `content`: until its first
   * output, thinking included. `text`: until its first text or tool call, so that thinking is held too. `end`: until the
   * answer is complete, for programs that show nothing before that; the caller then gets a new response object with the
   * same url.
   *
   * @default 'content'
   */
  readonly holdUntil?: 'headers' | 'content' | 'text' | 'end' | undefined;
  /**
   * The longest time that a response is held after its headers; then it is handed over, unless it is a JSON object that
   * has begun: see `holdJson`.
   *
   * @default 30000; none with `attemptTimeoutMs`, and none with `text` and `end`, where the two clocks below hold
   */
  readonly maxHoldMs?: number | undefined;
  /** If more bytes arrive, the stream is handed over as it comes. @default 262144; 1 MiB for `text`, 16 MiB for `end` */
  readonly maxHoldBytes?: number | undefined;
  /**
   * Whether a JSON answer of up to 1 MiB is held until it is complete. One that breaks off, or contains an error in spite
   * of its status 200, is retried; one that stalls is retried after `attemptTimeoutMs`, or, if it is an object that has
   * begun, after `idleTimeoutMs` without a byte. `model-requests`: only for requests that are known to go to a model.
   *
   * @default 'model-requests'
   */
  readonly holdJson?: boolean | 'model-requests' | undefined;
  /**
   * Whether the body of a stream fails if it ends without the end of its protocol. `model-requests`: only of requests that
   * are known to go to a model. Independent of retries.
   *
   * @default 'model-requests'; true with `holdUntil: 'end'`
   */
  readonly checkEnd?: boolean | 'model-requests' | undefined;
  /**
   * The body of a stream fails if no byte comes for so long while it is read; a JSON object that is held is retried.
   *
   * @default none; 180000 with `text` and `end`, 300000 for a JSON object
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * The body of a stream fails if no event that is no ping comes for so long; thinking counts as output.
   *
   * @default none; 300000 with `text` and `end`
   */
  readonly outputTimeoutMs?: number | undefined;
}

/** The options of a request over HTTP: those of {@link RetryPolicy}, and some more. */
export interface RetryConfig extends RetryPolicy {
  /**
   * What the request does, which says whether it may run twice: `'safe'`, `'conditional'`, `'irreversible'`, a label of
   * `classifyOperation`, or `{ is, rollback }` for one that can be undone. A label that is not known is irreversible. A
   * function gets the method in upper case and the URL as it was given.
   *
   * @default 'model_request'; for a JSON-RPC body, as in MCP, its method decides: `tools/call` and unknown methods are a
   *   'tool_call'; `initialize`, `ping`, `prompts/get`, and methods that list or read are a 'read'
   */
  readonly operation?:
    | OperationSafety
    | OperationLabel
    | OperationOptions
    | ((request: RequestInfo) => OperationSafety | OperationLabel | OperationOptions)
    | undefined;
  /**
   * Which requests are retried. All others go to the inner fetch untouched: they are not held, copied, delayed or
   * repeated. `model-requests`: a POST whose path is that of an LLM API, such as `/chat/completions` or
   * `:generateContent`; a path that other services have too, such as `/v1/messages` or `/generate`, counts only if the
   * body is that of a model's request. The body of a Blob or a `Request` is read for that before it is sent, from a
   * copy. A function gets the method in upper case and the URL as it was given.
   *
   * @default every request
   */
  readonly retryOnly?: 'model-requests' | ((request: RequestInfo) => boolean) | undefined;
  /** When a response counts as an answer: docs/streams.md. `false`: every response is handed over as it comes. @default {} */
  readonly answers?: AnswerOptions | false | undefined;
  /**
   * What becomes of a response that is given up. `return`: it is returned. `throw`: a retryable one is thrown as
   * `RetryExhaustedError`. `mark`: it gets the header `x-should-retry: false`, so that the SDK that called does not retry
   * it; `mark-permanent`: only if no wait will help.
   *
   * @default 'return'
   */
  readonly exhausted?: 'return' | 'throw' | 'mark' | 'mark-permanent' | undefined;
  /**
   * The name of a header for an idempotency key: one per call and target, the same on every attempt. A key that the
   * request already has is kept for the first target, and replaced for the other targets of `fallback`.
   *
   * @default none
   */
  readonly idempotencyKeyHeader?: string | undefined;
}

/** The options of {@link createRetryFetch}. */
export interface RetryFetchConfig extends RetryConfig {
  /** The fetch to wrap: the global one, undici's, node-fetch's, or one of your own. @default `globalThis.fetch`, read at each call */
  readonly fetch?: InnerFetch | undefined;
}

/** The options of {@link withRetry} and `RetrySession`: those of {@link RetryPolicy}, and some more. */
export interface OperationRetryConfig<T = unknown> extends RetryPolicy {
  /** What the function does, as in {@link RetryConfig}. @default 'model_request' */
  readonly operation?: OperationSafety | OperationLabel | OperationOptions | undefined;
  /** Aborts the call: a wait ends at once, and the signal of the operation aborts. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * Also retries a thrown error that no rule recognises. A TypeError, SyntaxError or AssertionError of the program is never
   * retried.
   *
   * @default false
   */
  readonly retryUnknownErrors?: boolean | undefined;
  /**
   * Called with every value: what is wrong with it. An error or another object is read as if it were thrown; `true` or a
   * text, such as `'empty answer'`, is retried; `undefined`, `null`, `false` or `''` accepts the value. When no retry
   * follows, the call resolves with the value. `retryStream` calls it with each value of the stream until the first
   * content; by default a value with the type `'error'` is an error, which is retried if the value says `retryable: true`.
   * If it throws, the call rejects.
   *
   * @default none
   */
  readonly errorIn?: ((value: T) => unknown) | undefined;
}

/** The options of {@link retryStream}: those of {@link OperationRetryConfig}, and one more. */
export interface StreamRetryConfig<T = unknown> extends OperationRetryConfig<T> {
  /**
   * Called with each value until it says `true`: whether the value is content, after which nothing is retried. Values
   * before it are held, and dropped with their attempt if that is retried.
   *
   * @default every value
   */
  readonly isContent?: ((value: T) => boolean) | undefined;
}

/** Every option of every face, for the checks and the policy. */
export type AnyConfig = RetryFetchConfig & Omit<StreamRetryConfig<never>, 'operation'>;

/** The options in {@link DEFAULT_RETRY_CONFIG}. */
type Defaulted =
  | 'maxRetries'
  | 'baseDelayMs'
  | 'maxDelayMs'
  | 'backoffMultiplier'
  | 'jitter'
  | 'jitterFactor'
  | 'retryableStatusCodes'
  | 'retryAfter';

/**
 * The defaults: three retries, waits of at most a minute, hints obeyed. Made in a function, so that a bundler can drop
 * them.
 */
export const DEFAULT_RETRY_CONFIG: { readonly [K in Defaulted]: Exclude<RetryConfig[K], undefined> } =
  /* @__PURE__ */ Object.freeze({
    maxRetries: 3,
    baseDelayMs: 1_000,
    maxDelayMs: 60_000,
    backoffMultiplier: 2,
    jitter: 'symmetric',
    jitterFactor: 0.2,
    retryableStatusCodes: RETRYABLE_STATUS_CODES,
    retryAfter: 'obey',
  });
