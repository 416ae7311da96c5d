import { describe, expectTypeOf, test } from 'vitest';
import {
  type Backoff,
  DEFAULT_RETRY_CONFIG,
  type Failure,
  type FailureType,
  type Jitter,
  type AnswerOptions,
  type AttemptResult,
  type OperationLabel,
  type OperationOptions,
  type OperationSafety,
  type RequestInfo,
  type RetryListener,
  type RetryPolicy,
  presets,
  type RetryConfig,
  type PlannedRetry,
  type RetryController,
  type RetryEvent,
  type Runtime,
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
      >
    >().toEqualTypeOf<number>();
  });

  test('has choices', () => {
    expectTypeOf<Option<'jitter'>>().toEqualTypeOf<'none' | 'symmetric' | 'full' | 'down'>();
    expectTypeOf<Jitter>().toEqualTypeOf<'none' | 'symmetric' | 'full' | 'down'>();
    expectTypeOf<Option<'retryAfter'>>().toEqualTypeOf<'obey' | 'clamp' | 'ignore' | ((hintMs: number) => number)>();
    expectTypeOf<Option<'exhausted'>>().toEqualTypeOf<'return' | 'throw' | 'mark' | 'mark-permanent'>();
    expectTypeOf<Option<'answers'>>().toEqualTypeOf<AnswerOptions | false>();
    expectTypeOf<AnswerOptions['holdUntil']>().toEqualTypeOf<'headers' | 'content' | 'text' | 'end' | undefined>();
    expectTypeOf<AnswerOptions['holdJson']>().toEqualTypeOf<boolean | 'model-requests' | undefined>();
    expectTypeOf<AnswerOptions['checkEnd']>().toEqualTypeOf<boolean | 'model-requests' | undefined>();
    expectTypeOf<Option<'priority'>>().toEqualTypeOf<'interactive' | 'batch'>();
    expectTypeOf<Option<'idempotencyKeyHeader'>>().toEqualTypeOf<string>();
    expectTypeOf<Option<'callId'>>().toEqualTypeOf<string | (() => string)>();
    expectTypeOf<Option<'operation'>>().toEqualTypeOf<
      | OperationSafety
      | OperationLabel
      | OperationOptions
      | ((request: RequestInfo) => OperationSafety | OperationLabel | OperationOptions)
    >();
  });

  test('has a schedule, a list and strategies', () => {
    expectTypeOf<Option<'backoff'>>().toEqualTypeOf<Backoff>();
    expectTypeOf<Option<'retryableStatusCodes'>>().toEqualTypeOf<readonly number[]>();
    expectTypeOf<Partial<Record<FailureType, Strategy>>>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxRetries: 2 } }>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxRetries: '2' } }>().not.toExtend<Option<'strategies'>>();
    expectTypeOf<Backoff>().toEqualTypeOf<
      readonly number[] | ((retry: number, failure: Failure) => number | undefined)
    >();
  });

  test('has functions', () => {
    expectTypeOf<Option<'classify'>>().toEqualTypeOf<
      (failure: Failure, result: AttemptResult) => Failure | 'retry' | 'stop' | undefined
    >();
    expectTypeOf<Option<'stopIf'>>().toEqualTypeOf<(retry: PlannedRetry) => boolean | Promise<boolean>>();
    expectTypeOf<Option<'onRetry'>>().toEqualTypeOf<(attempt: number, error: Error, delayMs: number) => void>();
    expectTypeOf<Option<'onExhausted'>>().toEqualTypeOf<(error: Error, attempts: number) => void>();
    expectTypeOf<Option<'onEvent'>>().toEqualTypeOf<RetryListener | readonly RetryListener[]>();
    expectTypeOf<RetryListener>().toEqualTypeOf<(event: RetryEvent) => void>();
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
    expectTypeOf<AttemptResult['response']>().toEqualTypeOf<Response | TransportResponse | undefined>();
    expectTypeOf<AttemptResult['error']>().toBeUnknown();
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

describe('presets', () => {
  test('are policies by name, for requests and functions', () => {
    expectTypeOf(presets.recommended).toEqualTypeOf<RetryPolicy>();
    expectTypeOf(presets.fleet).toEqualTypeOf<RetryPolicy>();
    expectTypeOf(presets.agent).toEqualTypeOf<RetryPolicy>();
    expectTypeOf(presets.taxonomy).toEqualTypeOf<RetryPolicy>();
    expectTypeOf(presets.patient.backoff).toExtend<readonly number[]>();
    expectTypeOf(presets.background).toExtend<RetryPolicy>();
  });
});
