/** `retry-transport`: the exports of the core. */

export { calculateBackoff, exponential, stepped } from './options/backoff.ts';
export type { Backoff, ExponentialOptions, SteppedOptions } from './options/backoff.ts';
export { isRetryableError, isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './classify/index.ts';
export { classify } from './classify/classify.ts';
export { retryConfigFromEnv } from './options/config-from-env.ts';
export { DEFAULT_RETRY_CONFIG } from './options/config.ts';
export type { GuardLimits, Outcome, RetryConfig, RetryContext } from './options/config.ts';
export { RetryController } from './events/controller.ts';
export { describeEvent } from './events/describe-event.ts';
export { describeFailure, type FailureDescription } from './failure/describe-failure.ts';
export { autoRetryEvents, providerRetryEvents } from './events/event-adapters.ts';
export type { AutoRetryEndEvent, AutoRetryStartEvent, ProviderRetryEvent } from './events/event-adapters.ts';
export type { RetryEvent, RetryEventBase } from './events/events.ts';
export { createRetryStore, type PendingRetry, type RetryState, type RetryStore } from './events/retry-store.ts';
export { type RetryCountdown, watchRetry } from './events/watch-retry.ts';
export type { AttemptRecord } from './failure/history.ts';
export type { StopReason, WaitReason } from './failure/reasons.ts';
export { FAILURES } from './failure/failure.ts';
export type {
  Failure,
  FailureCategory,
  FailureRow,
  FailureType,
  HintSource,
  Jitter,
  Strategy,
} from './failure/failure.ts';
export { createFallback } from './http/create-fallback.ts';
export type { FallbackKind, FallbackOptions, FallbackTarget, OwnFallback } from './http/create-fallback.ts';
export type { FallbackChain, FallbackRequest, NextTarget, Target } from './route/route.ts';
export { createKeyRotation, type KeyRotationOptions } from './route/key-rotation.ts';
export { FetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
export type { GateEvent, SlotHolder } from './gate/gate-event.ts';
export type { FleetOptions } from './gate/fleet.ts';
export { createGate } from './gate/create-gate.ts';
export type {
  Gate,
  GateAnswer,
  GateOutcome,
  GateReading,
  GateRequest,
  GateRetry,
  GateSession,
  GateSessionOptions,
} from './gate/gate.ts';
export type { GateOptions } from './gate/gate-options.ts';
export type { GateLimits } from './gate/stated-limit.ts';
export { GateRefusedError, type GateRefusedReason } from './gate/gate-refused-error.ts';
export { formatDelay } from './failure/format-delay.ts';
export { parseRetryAfterHeader, retryHint } from './hints/index.ts';
export { failureBody } from './failure/failure-body.ts';
export { HttpStatusError, RetryExhaustedError } from './failure/http-status-error.ts';
export { retryHistory } from './failure/history.ts';
export { STOP_REASONS } from './failure/reasons.ts';
export { classifyOperation, type OperationLabel, type OperationSafety } from './options/operation.ts';
export { type Presets, presets } from './options/presets.ts';
export { redact } from './redact/redact.ts';
export { createRetryFetch, type RetryFetch } from './retry-fetch.ts';
export { RetryTransport } from './retry-transport.ts';
export type { Runtime } from './runtime/runtime.ts';
export type { Fetch, HeadersLike, HttpHeaders, HttpTransport, TransportResponse } from './transport.ts';
export { StalledStreamError, type StallKind, TruncatedStreamError } from './http/stream-errors.ts';
export { createStreamWatch, type StreamWatchOptions } from './http/watch.ts';
export type { StreamWatch } from './options/stream-watch.ts';
export { RetrySession, withRetry } from './with-retry.ts';
export type { Operation, OperationContext, OperationRetryConfig } from './with-retry.ts';
