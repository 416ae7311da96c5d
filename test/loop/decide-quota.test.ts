import { describe, expect, test } from 'vitest';
import { presets } from '../../src/options/presets.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { outcomeOf } from '../../src/events/outcome-of.ts';
import type { RetryConfig } from '../../src/options/config.ts';
import { createRetryFetch } from '../../src/retry-fetch.ts';
import { fakeRuntime, observed, script, URL_OF_TEST } from '../script.ts';
import { decided } from './decisions.ts';

const FIVE_HOURS_MS = 18_000_000;

const quota: Partial<Failure> = { type: 'quota_exhausted', retryable: false, category: 'non-retryable' };
const reopens: Partial<Failure> = { ...quota, retryAfterMs: FIVE_HOURS_MS };
const patient = { ...presets.patient, jitter: 'none' as const };

describe('a used-up quota', () => {
  test('is not retried if its reset is unknown', () => {
    expect(decided(patient, {}, quota)).toEqual({ retry: false, because: 'not-retryable' });
  });

  test.each([
    { limit: { maxRetryAfterMs: 3_600_000 }, because: 'retry-after-too-long' },
    { limit: { maxTotalDelayMs: 3_600_000 }, because: 'sleep-budget-exhausted' },
    { limit: { maxElapsedMs: 3_600_000 }, because: 'deadline' },
  ])('is not waited for beyond a limit of the caller: $because', ({ limit, because }) => {
    expect(decided({ ...patient, ...limit }, {}, reopens)).toEqual({ retry: false, because });
  });

  test.each(['clamp', 'ignore'] as const)('is not retried early with retryAfter: %s', (retryAfter) => {
    expect(decided({ ...patient, retryAfter }, {}, reopens)).toEqual({ retry: false, because: 'not-retryable' });
  });

  test('does not repeat what may not run twice', () => {
    expect(decided(patient, { obstacle: 'irreversible-operation' }, reopens)).toEqual({
      retry: false,
      because: 'irreversible-operation',
    });
  });
});

const used = {
  error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 18_000 },
};

/** A call that is refused once for a used-up quota: its response, the requests, the waits and the moments of its end. */
async function refusedOnce(config: RetryConfig, headers: HeadersInit = {}) {
  const runtime = { ...fakeRuntime(), now: () => 1_000 };
  const slept: number[] = [];
  const inner = script(fakeRuntime(), () => Response.json(used, { status: 429, headers }), 200);
  const { events, ...watched } = observed({
    ...config,
    runtime: { ...runtime, sleep: async (ms) => void slept.push(ms) },
  });
  const response = await createRetryFetch({ fetch: inner, ...watched })(URL_OF_TEST, { method: 'POST', body: '{}' });
  return { response, requests: inner.calls.length, slept, events };
}

test('presets.patient waits for a usage window of five hours and then answers', async () => {
  const { response, slept } = await refusedOnce({ ...presets.patient, jitter: 'none' });
  expect([response.status, slept]).toEqual([200, [FIVE_HOURS_MS]]);
});

test('without the option a used-up quota costs one request, and the event has the moment of its reset', async () => {
  const { requests, events } = await refusedOnce({});
  expect(requests).toBe(1);
  expect(events).toMatchObject([{ type: 'failed', possibleAt: 1_000 + FIVE_HOURS_MS }]);
});

test.each([
  ['a list that leaves its status out', { retryableStatusCodes: [500] }, {}],
  ["a `classify` that says 'stop'", { classify: () => 'stop' as const }, {}],
  ['a server that says not to retry', {}, { 'x-should-retry': 'false' }],
])('%s keeps a call from waiting for the reset of its quota', async (_who, options, headers) => {
  const { response, requests } = await refusedOnce({ ...presets.patient, ...options }, headers);
  expect(requests).toBe(1);
  expect(outcomeOf(response)).toMatchObject({ type: 'failed', because: 'not-retryable' });
});
