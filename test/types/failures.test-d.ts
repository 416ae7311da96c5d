import { describe, expectTypeOf, test } from 'vitest';
import {
  type AttemptRecord,
  calculateBackoff,
  classify,
  classifyOperation,
  describeFailure,
  type Failure,
  FAILURES,
  type FailureType,
  formatDelay,
  type HeadersLike,
  type OperationLabel,
  type HintSource,
  HttpStatusError,
  isRetryableError,
  isRetryableStatusCode,
  parseRetryAfterHeader,
  RetryController,
  type RetryEvent,
  type RetryExhaustedError,
  type StopReason,
  type Strategy,
  type WaitReason,
  outcomeOf,
  type CallOutcome,
  type AnswerBroken,
  type RetryState,
} from '../../src/index.ts';
import { retryHint } from '../../src/hints/index.ts';

describe('a failure', () => {
  test('is plain data', () => {
    expectTypeOf<Failure>().toEqualTypeOf<{
      readonly type: FailureType;
      readonly retryable: boolean;
      readonly category: 'retryable' | 'non-retryable' | 'conditional';
      readonly status?: number;
      readonly code?: string;
      readonly provider?: string;
      readonly message: string;
      readonly retryAfterMs?: number;
      readonly hintSource?: HintSource;
      readonly phase: 'connect' | 'response' | 'stream';
      readonly action?: string;
      readonly requestId?: string;
    }>();
  });

  test('has one of these types', () => {
    expectTypeOf<FailureType>().toEqualTypeOf<
      | 'rate_limit'
      | 'overloaded'
      | 'server_error'
      | 'timeout'
      | 'connection_error'
      | 'stream_interrupted'
      | 'cache_error'
      | 'provider_unavailable'
      | 'auth_invalid'
      | 'permission_denied'
      | 'context_too_long'
      | 'invalid_request'
      | 'content_policy'
      | 'quota_exhausted'
      | 'billing_error'
      | 'model_not_found'
      | 'model_deprecated'
      | 'unsupported_feature'
      | 'account_suspended'
      | 'aborted'
      | 'unknown'
    >();
    expectTypeOf<HintSource>().toEqualTypeOf<'retry-after-ms' | 'retry-after' | 'body' | 'message' | 'reset-header'>();
  });

  test('has a row in the table', () => {
    expectTypeOf<keyof typeof FAILURES>().toEqualTypeOf<FailureType>();
    expectTypeOf(FAILURES.rate_limit.http).toEqualTypeOf<readonly number[]>();
    expectTypeOf(FAILURES.rate_limit.strategy).toEqualTypeOf<Strategy | null>();
    expectTypeOf(FAILURES.rate_limit.action).toEqualTypeOf<string | null>();
    expectTypeOf(FAILURES.rate_limit.fallback).toEqualTypeOf<boolean>();
    expectTypeOf<keyof Strategy>().toEqualTypeOf<
      | 'maxRetries'
      | 'baseDelayMs'
      | 'maxDelayMs'
      | 'backoffMultiplier'
      | 'jitter'
      | 'backoff'
      | 'retryAfter'
      | 'fallback'
    >();
  });
});

describe('events', () => {
  test('are distinguished by their type', () => {
    expectTypeOf<RetryEvent['type']>().toEqualTypeOf<
      'retry' | 'recovered' | 'failed' | 'cancelled' | 'fallback' | 'delayed' | 'attempt' | 'broken'
    >();
    type Of<T extends RetryEvent['type']> = Omit<
      Extract<RetryEvent, { type: T }>,
      'callId' | 'method' | 'url' | 'at' | 'type'
    >;
    expectTypeOf<Of<'retry'>>().toEqualTypeOf<{
      readonly retry: number;
      readonly maxRetries: number | null;
      readonly delayMs: number;
      readonly nextAttemptAt: number;
      readonly because: WaitReason;
      readonly failure: Failure;
    }>();
    expectTypeOf<Of<'recovered'>>().toEqualTypeOf<{
      readonly attempts: number;
      readonly elapsedMs: number;
      readonly history: readonly AttemptRecord[];
    }>();
    expectTypeOf<Of<'cancelled'>>().toEqualTypeOf<Of<'recovered'>>();
    expectTypeOf<Of<'failed'>>().toEqualTypeOf<{
      readonly attempts: number;
      readonly elapsedMs: number;
      readonly because: StopReason;
      readonly failure: Failure;
      readonly possibleAt?: number;
      readonly history: readonly AttemptRecord[];
    }>();
    expectTypeOf<Of<'fallback'>>().toEqualTypeOf<{
      readonly from: string;
      readonly to: string;
      readonly failure: Failure;
    }>();
  });

  test('all have the id of their call', () => {
    expectTypeOf<Pick<RetryEvent, 'callId' | 'method' | 'url' | 'at'>>().toEqualTypeOf<{
      readonly callId: string;
      readonly method: string;
      readonly url: string;
      readonly at: number;
    }>();
  });

  test('contain records and reasons', () => {
    expectTypeOf<AttemptRecord>().toEqualTypeOf<{
      readonly attempt: number;
      readonly startedAt: number;
      readonly durationMs: number;
      readonly failure: Failure | null;
      readonly delayMs: number | null;
      readonly because: WaitReason | null;
      readonly target?: string;
      readonly error?: unknown;
    }>();
    expectTypeOf<WaitReason>().toEqualTypeOf<'hint' | 'backoff' | 'fallback' | 'cooldown' | 'pace'>();
    expectTypeOf<StopReason>().toEqualTypeOf<
      | 'not-retryable'
      | 'retries-exhausted'
      | 'retry-after-too-long'
      | 'sleep-budget-exhausted'
      | 'deadline'
      | 'retry-budget-empty'
      | 'circuit-open'
      | 'body-not-replayable'
      | 'irreversible-operation'
      | 'server-said-no'
      | 'refused-by-caller'
      | 'given-up'
      | 'disabled'
      | 'cooldown-too-long'
      | 'too-many-waiting'
      | 'waits-for-itself'
    >();
  });
});

describe('a controller', () => {
  test('has commands and state', () => {
    expectTypeOf(RetryController).toBeConstructibleWith();
    expectTypeOf<Pick<RetryController, keyof RetryController>>().toEqualTypeOf<{
      enabled: boolean;
      readonly isRetrying: boolean;
      readonly nextAttemptAt: number | null;
      retryNow: () => void;
      giveUp: () => void;
      whenIdle: () => Promise<void>;
      readonly state: RetryState;
      clear: () => void;
      readonly subscribe: (listener: (event: RetryEvent) => void) => () => void;
      readonly onChange: (listener: () => void) => () => void;
    }>();
  });
});

describe('errors', () => {
  test('contain the status and the failure', () => {
    expectTypeOf(HttpStatusError).instance.toExtend<Error>();
    expectTypeOf(HttpStatusError).instance.toHaveProperty('status').toEqualTypeOf<number>();
    expectTypeOf(HttpStatusError).instance.toHaveProperty('failure').toEqualTypeOf<Failure>();
  });

  test('contain the response if `exhausted` is "throw"', () => {
    expectTypeOf<RetryExhaustedError>().toExtend<Error>();
    expectTypeOf<RetryExhaustedError['response']>().toEqualTypeOf<Response>();
    expectTypeOf<RetryExhaustedError['attempts']>().toEqualTypeOf<number>();
    expectTypeOf<RetryExhaustedError['history']>().toEqualTypeOf<readonly AttemptRecord[]>();
  });
});

describe('functions', () => {
  test('of time', () => {
    expectTypeOf(formatDelay).toEqualTypeOf<(ms: number) => string>();
    type Calculate = (
      attempt: number,
      baseDelayMs: number,
      maxDelayMs: number,
      multiplier: number,
      jitterFactor: number,
      random?: () => number,
    ) => number;
    expectTypeOf(calculateBackoff).toEqualTypeOf<Calculate>();
    expectTypeOf(parseRetryAfterHeader).toEqualTypeOf<(header: string | null, nowMs?: number) => number | null>();
    expectTypeOf(retryHint).toBeCallableWith({});
    expectTypeOf(retryHint).toBeCallableWith({ headers: new Headers(), body: '', nowMs: 0 });
    expectTypeOf(retryHint).returns.exclude<null>().toExtend<{ ms: number; source: HintSource }>();
  });

  test('of failures', () => {
    expectTypeOf(classify).returns.toEqualTypeOf<Failure | null>();
    expectTypeOf(classify).toBeCallableWith({ status: 429 });
    expectTypeOf(classify).toBeCallableWith({ status: 429, headers: { a: 'b' }, body: new Uint8Array(), nowMs: 0 });
    expectTypeOf(classify).toBeCallableWith({ error: new Error('x') });
    expectTypeOf(isRetryableStatusCode).toEqualTypeOf<(status: number, codes?: readonly number[]) => boolean>();
    expectTypeOf(isRetryableError).toEqualTypeOf<(error: unknown, codes?: readonly number[]) => boolean>();
    expectTypeOf(describeFailure).toBeCallableWith({
      type: 'unknown',
      retryable: false,
      category: 'non-retryable',
      message: '',
      phase: 'connect',
    });
    expectTypeOf(describeFailure).returns.toExtend<{
      headline: string;
      explanation: string;
      actions: readonly string[];
    }>();
    expectTypeOf<HeadersLike>().not.toBeAny();
  });

  test('of calls', () => {
    expectTypeOf(outcomeOf).toEqualTypeOf<(result: unknown) => CallOutcome | AnswerBroken | undefined>();
    expectTypeOf(classifyOperation).toEqualTypeOf<(label: OperationLabel) => 'safe' | 'conditional' | 'irreversible'>();
  });
});
