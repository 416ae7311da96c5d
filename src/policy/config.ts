/** The options: what callers may say, and what holds when they say nothing. */

import type { Backoff } from './backoff.ts';
import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import type { RetryController } from '../events/controller.ts';
import type { RetryEvent } from '../events/events.ts';
import type { AttemptRecord, WaitReason } from '../failure/history.ts';
import type { FallbackChain } from '../fallback/fallback.ts';
import type { Failure, FailureType, Jitter, Strategy } from '../failure/failure.ts';
import type { Gate } from '../gate/gate.ts';
import type { OperationSafety } from './operation.ts';
import type { Runtime } from '../runtime.ts';
import type { TransportResponse } from '../transport.ts';

/** What an attempt gave: a response, with as much of its body as was read to classify it, or what was thrown. */
export type Outcome =
  | { readonly response: Response | TransportResponse; readonly body: string | undefined }
  | { readonly error: unknown };

/** What `shouldRetry` is asked about: the retry that would follow. */
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

/** How long a stream may be held before its first content. */
export interface GuardLimits {
  /** From the response head. @default 30000 */
  readonly maxHoldMs?: number | undefined;
  /** @default 262144 */
  readonly maxHoldBytes?: number | undefined;
}

/** The options. Read as own properties; `undefined` means the default. A key that is at most two letters away from an
 * option is a TypeError, and other unknown keys are ignored. */
export interface RetryConfig {
  /** Retries after the first attempt; 0 = never. @default 3, and with a `backoff` as many as its schedule has */
  readonly maxRetries?: number | undefined;
  /** The first wait of our own. @default 1000 */
  readonly baseDelayMs?: number | undefined;
  /** The longest wait of our own, jitter included. @default 60000 */
  readonly maxDelayMs?: number | undefined;
  /** @default 2 */
  readonly backoffMultiplier?: number | undefined;
  /** @default 'symmetric' */
  readonly jitter?: Jitter | undefined;
  /** From 0 to 1. Also how far a hint is spread, upwards only. @default 0.2 */
  readonly jitterFactor?: number | undefined;
  /** Replaces base, multiplier, jitter, factor and the cap on waits of our own. */
  readonly backoff?: Backoff | undefined;
  /** All scheduled waiting of a call, hints included; inclusive. @default Infinity */
  readonly maxTotalDelayMs?: number | undefined;
  /** Refuses a wait that would end later than this after the first attempt began; never cuts an attempt. @default Infinity */
  readonly maxElapsedMs?: number | undefined;
  /** For the response head, and the first content while a stream is held; never cuts a healthy stream. @default none */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * Set: a status of 400 or more that is not in it is never retried; one in it is, unless body or headers say
   * permanent. Says nothing about errors inside a 200 or thrown errors.
   *
   * @default the taxonomy decides, of which `DEFAULT_RETRY_CONFIG` shows the statuses
   */
  readonly retryableStatusCodes?: readonly number[] | undefined;
  /** `obey`: wait a hint out whole, or stop. `clamp`: at most `maxDelayMs`, and so come early. @default 'obey' */
  readonly retryAfter?: 'obey' | 'clamp' | 'ignore' | undefined;
  /** The longest hint that is obeyed, inclusive, before padding; Infinity = any. @default `maxDelayMs` */
  readonly maxRetryAfterMs?: number | undefined;
  /** 0.1 waits 10 % longer than asked. @default 0 */
  readonly retryAfterPaddingFactor?: number | undefined;
  /** The methods that are retried; others are sent once. @default all: a call of an LLM API is a POST */
  readonly methods?: readonly string[] | undefined;
  /** Only for `withRetry` and `RetrySession`: also retries an error that nothing recognises, but never a program's own. @default false */
  readonly retryUnknownErrors?: boolean | undefined;
  /** Per failure type, merged over the row of `FAILURES`; a type that is not named keeps the one backoff. */
  readonly strategies?: Readonly<Partial<Record<FailureType, Partial<Strategy>>>> | undefined;
  /** The last word on a classification; undefined keeps it. A throw rejects the call. */
  readonly classify?: ((failure: Failure, outcome: Outcome) => Failure | undefined) | undefined;
  /** Asked before every retry; may only say no. Raced with the abort; a throw rejects the call. */
  readonly shouldRetry?: ((context: RetryContext) => boolean | Promise<boolean>) | undefined;
  /** Holds a streamed answer until its first content, so that a failure before it can be retried. @default true */
  readonly guardStreams?: boolean | GuardLimits | undefined;
  /** Also holds small JSON answers that may carry an error inside a 200. @default false */
  readonly guardJson?: boolean | undefined;
  /** A label for `classifyOperation`. @default 'model_request' */
  readonly operation?: string | ((request: { readonly method: string; readonly url: string }) => string) | undefined;
  /** What an `operation` label that nobody knows counts as. @default 'irreversible' */
  readonly unknownOperation?: OperationSafety | undefined;
  /** Also repeats what may have run and cannot be undone. @default false */
  readonly retryIrreversible?: boolean | undefined;
  /** Awaited before a `conditional` operation is repeated; without it such an operation is not. A throw rejects the call. */
  readonly rollback?: ((failure: Failure) => void | Promise<void>) | undefined;
  /** Sends one key per call under this name, the same on every attempt; a key of the caller's stays. @default none */
  readonly idempotencyKeyHeader?: string | undefined;
  /** Sends the number of the retry under this name, on retries. @default none */
  readonly attemptHeader?: string | undefined;
  /** Throws `RetryExhaustedError` for a retryable response that was given up. @default false */
  readonly throwOnExhausted?: boolean | undefined;
  /**
   * Adds `x-should-retry: false` to a response that was given up, so that an SDK above does not start over. `permanent`:
   * only to one that no wait will mend.
   *
   * @default false
   */
  readonly markFinalResponse?: boolean | 'permanent' | undefined;
  /** Where else to ask: `createFallback` or `createKeyRotation`. @default nowhere */
  readonly fallback?: FallbackChain | undefined;
  /** What this call shares with others of the same limit: `createGate`, or `presets.fleet`. @default nothing */
  readonly gate?: Gate | undefined;
  /** `batch` waits behind `interactive` calls of the same gate. @default 'interactive' */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /** For `withRetry` and `RetrySession`: whose limit the operation is under, in place of a request that tells. @default the label of the operation */
  readonly gateKey?: string | undefined;
  readonly controller?: RetryController | undefined;
  /** @default random */
  readonly requestId?: string | (() => string) | undefined;
  /** Before every wait: the attempt that just failed (from 1), its error, the wait. Called before `onEvent`. */
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  /** Once, when a retryable failure is given up: its error and the attempts made. Called before `onEvent`. */
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  /** What is missing is the real one. */
  readonly runtime?: Readonly<Partial<Runtime>> | undefined;
}

/** The options that have a default of their own. */
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
  | 'operation'
  | 'throwOnExhausted'
  | 'markFinalResponse';

/** The defaults: three retries, waits of at most a minute, hints obeyed. In a function, so that a bundler can drop them. */
export const DEFAULT_RETRY_CONFIG: { readonly [K in Defaulted]: Exclude<RetryConfig[K], undefined> } =
  /* @__PURE__ */ (() =>
    Object.freeze({
      maxRetries: 3,
      baseDelayMs: 1_000,
      maxDelayMs: 60_000,
      backoffMultiplier: 2,
      jitter: 'symmetric',
      jitterFactor: 0.2,
      maxTotalDelayMs: Number.POSITIVE_INFINITY,
      maxElapsedMs: Number.POSITIVE_INFINITY,
      retryableStatusCodes: RETRYABLE_STATUS_CODES,
      retryAfter: 'obey',
      retryAfterPaddingFactor: 0,
      guardStreams: true,
      guardJson: false,
      operation: 'model_request',
      throwOnExhausted: false,
      markFinalResponse: false,
    }))();
