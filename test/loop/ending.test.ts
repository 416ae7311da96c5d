import { afterEach, describe, expect, test, vi } from 'vitest';
import { type RetryConfig, RetryExhaustedError, retryHistory } from '../../src/index.ts';
import { respond, respondError, type Step, thrownBy, URL_OF_TEST } from '../script.ts';
import { fetched, reset, scripted } from '../scripted-call.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('throwOnExhausted', () => {
  test('throws an error with the readable response, the attempts and the history', async () => {
    const { call } = scripted({ throwOnExhausted: true, maxRetries: 1 }, 503, () => fetched(503, 'busy'));
    const error = await thrownBy(call());
    expect(error).toBeInstanceOf(RetryExhaustedError);
    expect(error).toMatchObject({ attempts: 2, history: [{ attempt: 1 }, { attempt: 2 }] });
    const { response } = error instanceof RetryExhaustedError ? error : { response: undefined };
    expect(response).toMatchObject({ status: 503, url: URL_OF_TEST, bodyUsed: false });
    await expect((response instanceof Response ? response : respond(500)).text()).resolves.toBe('busy');
    expect(retryHistory(Object(error))).toHaveLength(2);
    expect(retryHistory(Object(response))).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ['a 400', 400],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' })],
    ['a server that said no', respond(429, { 'x-should-retry': 'false' })],
  ])('still returns %s', async (_title, step) => {
    await expect(scripted({ throwOnExhausted: true }, step).call()).resolves.toBeInstanceOf(Response);
  });

  test('still rethrows a thrown error', async () => {
    const error = reset();
    expect(await thrownBy(scripted({ throwOnExhausted: true }, error).call())).toBe(error);
  });

  test('throws for a hint that is too long, too', async () => {
    const call = scripted({ throwOnExhausted: true }, respond(429, { 'retry-after': '2592000' })).call();
    await expect(call).rejects.toBeInstanceOf(RetryExhaustedError);
  });
});

describe('markFinalResponse', () => {
  test('marks a response that was given up, and keeps its url, body and history', async () => {
    const { call } = scripted({ markFinalResponse: true, maxRetries: 1 }, () => fetched(503, 'busy', { 'x-a': '1' }));
    const response = await call();
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect([response.status, response.url, response.headers.get('x-a'), await response.text()]).toEqual([
      503,
      URL_OF_TEST,
      '1',
      'busy',
    ]);
    expect(retryHistory(response)).toHaveLength(2);
  });

  test('marks what is thrown by throwOnExhausted', async () => {
    const error = await thrownBy(scripted({ markFinalResponse: true, throwOnExhausted: true }, 503).call());
    expect(error).toMatchObject({ response: { status: 503 } });
    expect(
      error instanceof RetryExhaustedError &&
        error.response instanceof Response &&
        error.response.headers.get('x-should-retry'),
    ).toBe('false');
  });

  test('does not change a success, and nothing unless it is set', async () => {
    expect((await scripted({ markFinalResponse: true }, 200).call()).headers.has('x-should-retry')).toBe(false);
    expect((await scripted({ markFinalResponse: true }, 503, 200).call()).headers.has('x-should-retry')).toBe(false);
    expect((await scripted({}, 503).call()).headers.has('x-should-retry')).toBe(false);
  });
});

describe('markFinalResponse', () => {
  test.each<[RetryConfig['markFinalResponse'], Step, string | null]>([
    [true, 503, 'false'],
    [true, 400, 'false'],
    ['permanent', 503, null],
    ['permanent', 400, 'false'],
    [false, 400, null],
    [undefined, 503, null],
  ])('%j on a response of %j that is given up gives x-should-retry: %j', async (markFinalResponse, step, expected) => {
    const response = await scripted({ markFinalResponse, maxRetries: 1 }, step).call();
    expect(response.headers.get('x-should-retry')).toBe(expected);
  });
});

test('the error of throwOnExhausted says why the call was given up, and when it may succeed', async () => {
  const limited = respond(429, { 'retry-after': '90' });
  const { call } = scripted({ throwOnExhausted: true }, limited);
  expect(await thrownBy(call())).toMatchObject({ because: 'retry-after-too-long', possibleAt: 1_800_000_090_000 });
  const unknown = scripted({ throwOnExhausted: true, maxRetries: 0 }, 503);
  expect(await thrownBy(unknown.call())).toMatchObject({ because: 'retries-exhausted', possibleAt: undefined });
});
