export { type Backoff, calculateBackoff, exponential, type ExponentialOptions, stepped, type SteppedOptions } from './backoff.ts';
export { classify, isRetryableError, isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './classify/index.ts';
export {
  DEFAULT_RETRY_CONFIG,
  type GuardLimits,
  type Outcome,
  type RetryConfig,
  type RetryContext,
} from './config.ts';
export { RetryController } from './controller.ts';
export { describeFailure, type FailureDescription } from './describe-failure.ts';
export type { AttemptRecord, RetryEvent, RetryEventBase, StopReason, WaitReason } from './events.ts';
export {
  type Failure,
  type FailureCategory,
  type FailureRow,
  FAILURES,
  type FailureType,
  type HintSource,
  type Jitter,
  type Strategy,
} from './failure.ts';
export { FetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
export { formatDelay } from './format-delay.ts';
export { parseRetryAfterHeader, retryHint } from './hints/index.ts';
export { HttpStatusError, RetryExhaustedError, retryHistory } from './http-status-error.ts';
export { classifyOperation, type OperationSafety } from './operation.ts';
export { type Presets, presets } from './presets.ts';
export { redact } from './redact.ts';
export { createRetryFetch, type RetryFetch } from './retry-fetch.ts';
export { RetryTransport } from './retry-transport.ts';
export type { Runtime } from './runtime.ts';
export type { Fetch, HeadersLike, HttpHeaders, HttpTransport, TransportResponse } from './transport.ts';
