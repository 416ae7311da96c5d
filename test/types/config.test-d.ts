import { describe, expectTypeOf, test } from 'vitest';
import {
  DEFAULT_RETRY_CONFIG,
  type FailureType,
  type Jitter,
  type RetryPolicy,
  presets,
  type RetryConfig,
  type Runtime,
  type Strategy,
} from '../../src/index.ts';

type Option<K extends keyof RetryConfig> = Exclude<RetryConfig[K], undefined>;

describe('RetryConfig', () => {
  test('has only optional members, and undefined means the default', () => {
    expectTypeOf({}).toExtend<RetryConfig>();
    expectTypeOf<{ [K in keyof RetryConfig]: undefined }>().toExtend<RetryConfig>();
    expectTypeOf<RetryConfig>().toEqualTypeOf<Readonly<RetryConfig>>();
  });

  test('has strategies for some types of failure', () => {
    expectTypeOf<Partial<Record<FailureType, Strategy>>>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxRetries: 2 } }>().toExtend<Option<'strategies'>>();
    expectTypeOf<{ rate_limit: { maxRetries: '2' } }>().not.toExtend<Option<'strategies'>>();
  });

  test('has a runtime in parts', () => {
    expectTypeOf<Partial<Runtime>>().toExtend<Option<'runtime'>>();
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
