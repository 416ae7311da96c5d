/** `retry-transport`: the exports of the core. */

export { classify } from './classify/classify.ts';
export { isRetryableError, isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './classify/index.ts';
export { RetryController } from './events/controller.ts';
export { describeEvent } from './events/describe-event.ts';
export { describeFailure } from './failure/describe-failure.ts';
export type {
  AnswerBroken,
  AttemptDelayed,
  AttemptSent,
  CallCancelled,
  CallFailed,
  CallOutcome,
  CallRecovered,
  EventOf,
  RetryEvent,
  RetryListener,
  RetryPlanned,
  TargetChanged,
} from './events/events.ts';
export { outcomeOf } from './events/outcome-of.ts';
export type { PendingRetry, RetryState } from './events/retry-state.ts';
export { type RetryCountdown, watchRetry } from './events/watch-retry.ts';
export { FAILURES } from './failure/failure.ts';
export type {
  Backoff,
  Failure,
  FailureCategory,
  FailureType,
  HintSource,
  Jitter,
  Strategy,
} from './failure/failure.ts';
export { formatDelay } from './failure/format-delay.ts';
export type { AttemptRecord } from './failure/history.ts';
export { failureBody } from './failure/failure-body.ts';
export { HttpStatusError, RetryExhaustedError } from './failure/http-status-error.ts';
export { STOP_REASONS, type StopReason, type WaitReason } from './failure/reasons.ts';
export { FetchTransport } from './fetch-transport.ts';
export { createGate } from './route/create-gate.ts';
export type { GateEvent, SlotHolder } from './gate/gate-event.ts';
export type { CircuitBreakerOptions, GateOptions, RetryBudgetOptions } from './gate/gate-options.ts';
export { GateRefusedError } from './gate/gate-refused-error.ts';
export type { Gate, GateReading, GateRequest } from './gate/gate.ts';
export type { GateLimits } from './gate/stated-limit.ts';
export type { Store } from './gate/store.ts';
export { parseRetryAfterHeader } from './hints/index.ts';
export { calculateBackoff } from './options/backoff.ts';
export { retryConfigFromEnv } from './options/config-from-env.ts';
export { DEFAULT_RETRY_CONFIG } from './options/config.ts';
export type {
  AnswerOptions,
  AttemptResult,
  CallInfo,
  OperationRetryConfig,
  PlannedRetry,
  RequestInfo,
  RetryConfig,
  RetryFetchConfig,
  RetryPolicy,
  StreamRetryConfig,
} from './options/config.ts';
export {
  classifyOperation,
  type OperationLabel,
  type OperationOptions,
  type OperationSafety,
} from './options/operation.ts';
export { presets } from './options/presets.ts';
export { redact } from './redact/redact.ts';
export type { OperationContext } from './operation/operation-face.ts';
export { createRetryFetch, type RetryFetch } from './retry-fetch.ts';
export { RetrySession } from './retry-session.ts';
export { retryStream } from './retry-stream.ts';
export { RetryTransport } from './retry-transport.ts';
export { createFallback, type FallbackOptions, type FallbackTarget } from './http/create-fallback.ts';
export { createKeyRotation, type KeyRotationOptions } from './http/key-rotation.ts';
export type { FallbackChain, FallbackRequest } from './route/route.ts';
export type { Runtime } from './runtime/runtime.ts';
export { NotAnAnswerError } from './http/not-an-answer-error.ts';
export { StalledStreamError, TruncatedStreamError } from './http/stream-errors.ts';
export type { Fetch, HeadersLike, HttpHeaders, InnerFetch, HttpTransport, TransportResponse } from './transport.ts';
export { type Operation, withRetry } from './with-retry.ts';
