import { describe, expectTypeOf, test } from 'vitest';
import {
  type Backoff,
  DEFAULT_RETRY_CONFIG,
  exponential,
  type Failure,
  type FailureType,
  type Jitter,
  type Outcome,
  presets,
  type RetryConfig,
  type RetryContext,
  type RetryController,
  type RetryEvent,
  type StreamWatch,
  type Runtime,
  stepped,
  type Strategy,
  type TransportResponse,
} from '../../src/index.ts';

type Option<K extends keyof RetryConfig> = Exclude<RetryConfig[K], undefined>;

describe('RetryConfig', () => {
  test('has only optional members, and undefined means the default', () => {
    expectTypeOf({}).toExtend<RetryConfig>();
    expectTypeOf<{ [K in keyof RetryConfig]: undefined }>().toExtend<RetryConfig>();
    expectTypeOf<RetryConfig>().toEqualTypeOf<Readonly<RetryConfig>>();
  });

  test('has numbers', () => {
    expectTypeOf<
      Option<
        | 'maxRetries'
        | 'baseDelayMs'
        | 'maxDelayMs'
        | 'backoffMultiplier'
        | 'jitterFactor'
        | 'maxTotalDelayMs'
        | 'maxElapsedMs'
        | 'attemptTimeoutMs'
        | 'maxRetryAfterMs'
        | 'retryAfterPaddingFactor'
      >
    >().toEqualTypeOf<number>();
  });

  test('has choices', () => {
    expectTypeOf<Option<'jitter'>>().toEqualTypeOf<'none' | 'symmetric' | 'full' | 'down'>();
    expectTypeOf<Jitter>().toEqualTypeOf<'none' | 'symmetric' | 'full' | 'down'>();
    expectTypeOf<Option<'retryAfter'>>().toEqualTypeOf<'obey' | 'clamp' | 'ignore'>();
    expectTypeOf<Option<'throwOnExhausted' | 'retryUnknownErrors'>>().toEqualTypeOf<boolean>();
    expectTypeOf<Option<'guardJson'>>().toEqualTypeOf<boolean | 'model-requests'>();
    expectTypeOf<Option<'streamWatch'>>().toEqualTypeOf<StreamWatch>();
    expectTypeOf<Option<'markFinalResponse'>>().toEqualTypeOf<boolean | 'permanent'>();
    expectTypeOf<Option<'priority'>>().toEqualTypeOf<'interactive' | 'batch'>();
    expectTypeOf<Option<'methods'>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<
      true | false | { until?: 'content' | 'text' | 'end'; maxHoldMs?: number; maxHoldBytes?: number }
    >().toExtend<Option<'guardStreams'>>();
    expectTypeOf<Option<'idempotencyKeyHeader' | 'attemptHeader'>>().toEqualTypeOf<string>();
    expectTypeOf<Option<'requestId'>>().toEqualTypeOf<string | (() => string)>();
    expectTypeOf<string | ((request: { method: string; url: string }) => string)>().toExtend<Option<'operation'>>();
  });

  test('has a schedule, a list and strategies', () => {
    expectTypeOf<Option<'backoff'>>().toEqualTypeOf<Backoff>();
    expectTypeOf<Option<'retryableStatusCodes'>>().toEqualTypeOf<readonly number[]>();
    expectTypeOf<Partial<Record<FailureType, Partial<Strategy>>>>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxAttempts: 2 } }>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxAttempts: '2' } }>().not.toExtend<Option<'strategies'>>();
  });

  test('has functions', () => {
    expectTypeOf<Option<'classify'>>().toEqualTypeOf<(failure: Failure, outcome: Outcome) => Failure | undefined>();
    expectTypeOf<Option<'shouldRetry'>>().toEqualTypeOf<(context: RetryContext) => boolean | Promise<boolean>>();
    expectTypeOf<Option<'onRetry'>>().toEqualTypeOf<(attempt: number, error: Error, delayMs: number) => void>();
    expectTypeOf<Option<'onExhausted'>>().toEqualTypeOf<(error: Error, attempts: number) => void>();
    expectTypeOf<Option<'onEvent'>>().toEqualTypeOf<(event: RetryEvent) => void>();
    expectTypeOf<Option<'controller'>>().toEqualTypeOf<RetryController>();
  });

  test('has a runtime in parts', () => {
    expectTypeOf<Runtime>().toEqualTypeOf<{
      now(): number;
      random(): number;
      sleep(ms: number, signal?: AbortSignal): Promise<void>;
      monotonic?(): number;
    }>();
    expectTypeOf<Partial<Runtime>>().toExtend<Option<'runtime'>>();
  });

  test('passes the outcome to a function as a response or an error', () => {
    expectTypeOf<Extract<Outcome, { response: unknown }>['response']>().toEqualTypeOf<Response | TransportResponse>();
    expectTypeOf<Extract<Outcome, { error: unknown }>['error']>().toBeUnknown();
  });

  test('refuses wrong types', () => {
    expectTypeOf<{ maxRetries: '3' }>().not.toExtend<RetryConfig>();
    expectTypeOf<{ jitter: 'equal' }>().not.toExtend<RetryConfig>();
    expectTypeOf<{ retryAfter: 'cap' }>().not.toExtend<RetryConfig>();
  });
});

describe('the defaults', () => {
  test('are a config without missing values', () => {
    expectTypeOf(DEFAULT_RETRY_CONFIG).toExtend<RetryConfig>();
    expectTypeOf(DEFAULT_RETRY_CONFIG.maxRetries).toEqualTypeOf<number>();
    expectTypeOf(DEFAULT_RETRY_CONFIG.retryableStatusCodes).toEqualTypeOf<readonly number[]>();
    expectTypeOf(DEFAULT_RETRY_CONFIG.jitter).toEqualTypeOf<Jitter>();
  });
});

describe('schedules', () => {
  test('are values with delayFor', () => {
    expectTypeOf(exponential)
      .parameter(0)
      .exclude<undefined>()
      .toHaveProperty('maxDelayMs')
      .toEqualTypeOf<number | undefined>();
    expectTypeOf(exponential).toBeCallableWith();
    expectTypeOf(exponential).toBeCallableWith({
      baseDelayMs: 1,
      maxDelayMs: Number.POSITIVE_INFINITY,
      multiplier: 2,
      jitter: 'down',
      jitterFactor: 0.5,
    });
    expectTypeOf(exponential).returns.toEqualTypeOf<Backoff>();
    expectTypeOf(stepped).toBeCallableWith([1, 2] as const);
    expectTypeOf(stepped).toBeCallableWith([], {
      tailMs: null,
      budgetMs: 1,
      maxRetries: 1,
      jitter: 'full',
      jitterFactor: 1,
    });
    expectTypeOf(stepped).returns.toEqualTypeOf<Backoff>();
    expectTypeOf<Backoff['delayFor']>().returns.toEqualTypeOf<number | undefined>();
    expectTypeOf<Backoff['delayFor']>().toBeCallableWith(0);
    expectTypeOf<Backoff['delayFor']>().toBeCallableWith(0, { random: () => 0.5 });
    expectTypeOf<{ delayFor: (retry: number) => number }>().toExtend<Backoff>();
  });
});

describe('presets', () => {
  test('are configs by name', () => {
    expectTypeOf(presets.standard).toEqualTypeOf<RetryConfig>();
    expectTypeOf(presets.patient).toEqualTypeOf<RetryConfig>();
    expectTypeOf(presets.background).toEqualTypeOf<RetryConfig>();
    expectTypeOf(presets.agent).toEqualTypeOf<RetryConfig>();
    expectTypeOf(presets.taxonomy).toEqualTypeOf<RetryConfig>();
  });
});
