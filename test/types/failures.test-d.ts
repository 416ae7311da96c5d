import { describe, expectTypeOf, test } from 'vitest';
import {
  classify,
  describeFailure,
  type Failure,
  FAILURES,
  type FailureType,
  type HeadersLike,
  type HintSource,
  HttpStatusError,
  type RetryEvent,
  type StopReason,
  type Strategy,
  type WaitReason,
} from '../../src/index.ts';
import { retryHint } from '../../src/hints/index.ts';

describe('a failure', () => {
  test('has a row in the table', () => {
    expectTypeOf<keyof typeof FAILURES>().toEqualTypeOf<FailureType>();
    expectTypeOf(FAILURES.rate_limit.http).toEqualTypeOf<readonly number[]>();
    expectTypeOf(FAILURES.rate_limit.strategy).toEqualTypeOf<Strategy | null>();
    expectTypeOf(FAILURES.rate_limit.action).toEqualTypeOf<string | null>();
    expectTypeOf(FAILURES.rate_limit.fallback).toEqualTypeOf<boolean>();
  });
});

describe('events', () => {
  test('are distinguished by their type', () => {
    expectTypeOf<Extract<RetryEvent, { type: 'retry' }>['because']>().toEqualTypeOf<WaitReason>();
    expectTypeOf<Extract<RetryEvent, { type: 'failed' }>['because']>().toEqualTypeOf<StopReason>();
  });

  test('all have the id of their call', () => {
    expectTypeOf<RetryEvent['callId' | 'method' | 'url']>().toEqualTypeOf<string>();
  });
});

describe('errors', () => {
  test('contain the status and the failure', () => {
    expectTypeOf(HttpStatusError).instance.toExtend<Error>();
    expectTypeOf(HttpStatusError).instance.toHaveProperty('status').toEqualTypeOf<number>();
    expectTypeOf(HttpStatusError).instance.toHaveProperty('failure').toEqualTypeOf<Failure>();
  });
});

describe('functions', () => {
  test('of time', () => {
    expectTypeOf(retryHint).toBeCallableWith({});
    expectTypeOf(retryHint).toBeCallableWith({ headers: new Headers(), body: '', nowMs: 0 });
    expectTypeOf(retryHint).returns.exclude<null>().toExtend<{ ms: number; source: HintSource }>();
  });

  test('of failures', () => {
    expectTypeOf(classify).returns.toEqualTypeOf<Failure | null>();
    expectTypeOf(classify).toBeCallableWith({ status: 429 });
    expectTypeOf(classify).toBeCallableWith({ status: 429, headers: { a: 'b' }, body: new Uint8Array(), nowMs: 0 });
    expectTypeOf(classify).toBeCallableWith({ error: new Error('x') });
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
});
