import { afterEach, describe, expect, test, vi } from 'vitest';
import { type RetryConfig, RetryExhaustedError, outcomeOf } from '../../src/index.ts';
import { respond, respondError, type Step, thrownBy, URL_OF_TEST } from '../script.ts';
import { fetched, reset, scripted } from '../scripted-call.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe("exhausted: 'throw'", () => {
  test('throws an error with the readable response, the attempts and the history', async () => {
    const { call } = scripted({ exhausted: 'throw', maxRetries: 1 }, 503, () => fetched(503, 'busy'));
    const error = await thrownBy(call());
    expect(error).toBeInstanceOf(RetryExhaustedError);
    expect(error).toMatchObject({ attempts: 2, history: [{ attempt: 1 }, { attempt: 2 }] });
    const { response } = error instanceof RetryExhaustedError ? error : { response: undefined };
    expect(response).toMatchObject({ status: 503, url: URL_OF_TEST, bodyUsed: false });
    await expect((response instanceof Response ? response : respond(500)).text()).resolves.toBe('busy');
    expect(outcomeOf(Object(error))?.history ?? []).toHaveLength(2);
    expect(outcomeOf(Object(response))?.history ?? []).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ['a 400', 400],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' })],
    ['a server that said no', respond(429, { 'x-should-retry': 'false' })],
  ])('still returns %s', async (_title, step) => {
    await expect(scripted({ exhausted: 'throw' }, step).call()).resolves.toBeInstanceOf(Response);
  });

  test('still rethrows a thrown error', async () => {
    const error = reset();
    expect(await thrownBy(scripted({ exhausted: 'throw' }, error).call())).toBe(error);
  });
});

describe('exhausted', () => {
  test.each<[RetryConfig['exhausted'], Step, string | null]>([
    ['mark', 503, 'false'],
    ['mark', 400, 'false'],
    ['mark-permanent', 503, null],
    ['mark-permanent', 400, 'false'],
    ['return', 400, null],
    [undefined, 503, null],
  ])('%j on a response of %j that is given up gives x-should-retry: %j', async (exhausted, step, expected) => {
    const response = await scripted({ exhausted, maxRetries: 1 }, step).call();
    expect(response.headers.get('x-should-retry')).toBe(expected);
  });
});

test('the error of an exhausted call says why the call was given up, and when it may succeed', async () => {
  const limited = respond(429, { 'retry-after': '90' });
  const { call } = scripted({ exhausted: 'throw' }, limited);
  expect(await thrownBy(call())).toMatchObject({ because: 'retry-after-too-long', possibleAt: 1_800_000_090_000 });
  const unknown = scripted({ exhausted: 'throw', maxRetries: 0 }, 503);
  expect(await thrownBy(unknown.call())).toMatchObject({ because: 'retries-exhausted', possibleAt: undefined });
});
