export {
  type Backoff,
  calculateBackoff,
  exponential,
  type ExponentialOptions,
  stepped,
  type SteppedOptions,
} from './backoff.ts';
export { classify, isRetryableError, isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './classify/index.ts';
export { retryConfigFromEnv } from './config-from-env.ts';
export { DEFAULT_RETRY_CONFIG, type GuardLimits, type Outcome, type RetryConfig, type RetryContext } from './config.ts';
export { RetryController } from './controller.ts';
export { describeFailure, type FailureDescription } from './describe-failure.ts';
export {
  type AutoRetryEndEvent,
  type AutoRetryStartEvent,
  autoRetryEvents,
  type ProviderRetryEvent,
  providerRetryEvents,
} from './event-adapters.ts';
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
export {
  createFallback,
  type FallbackKind,
  type FallbackOptions,
  type FallbackTarget,
} from './fallback/create-fallback.ts';
export type { FallbackChain, FallbackRequest, NextTarget, Target } from './fallback/fallback.ts';
export { createKeyRotation, type KeyRotationOptions } from './fallback/key-rotation.ts';
export { FetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
export type { FleetOptions } from './gate/fleet.ts';
export { createGate, type Gate, type GateAnswer, type GateEvent, type GateReading, type Pass } from './gate/gate.ts';
export type { GateOptions } from './gate/gate-options.ts';
export { GateRefusedError, type GateRefusedReason } from './gate/gate-refused-error.ts';
export { formatDelay } from './format-delay.ts';
export { parseRetryAfterHeader, retryHint } from './hints/index.ts';
export { failureBody, HttpStatusError, RetryExhaustedError, retryHistory } from './http-status-error.ts';
export { classifyOperation, type OperationSafety } from './operation.ts';
export { type Presets, presets } from './presets.ts';
export { redact } from './redact.ts';
export { createRetryFetch, type RetryFetch } from './retry-fetch.ts';
export { RetryTransport } from './retry-transport.ts';
export type { Runtime } from './runtime.ts';
export type { Fetch, HeadersLike, HttpHeaders, HttpTransport, TransportResponse } from './transport.ts';
export {
  type Operation,
  type OperationContext,
  type OperationRetryConfig,
  RetrySession,
  withRetry,
} from './with-retry.ts';
