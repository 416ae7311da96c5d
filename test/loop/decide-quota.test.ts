import { describe, expect, test } from 'vitest';
import { presets } from '../../src/options/presets.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { outcomeOf } from '../../src/events/outcome-of.ts';
import { createRetryFetch } from '../../src/retry-fetch.ts';
import { decided } from './decisions.ts';

const FIVE_HOURS_MS = 18_000_000;

const quota: Partial<Failure> = { type: 'quota_exhausted', retryable: false, category: 'non-retryable' };
const reopens: Partial<Failure> = { ...quota, retryAfterMs: FIVE_HOURS_MS };
const patient = { ...presets.patient, jitter: 'none' as const };

describe('a used-up quota', () => {
  test('is not retried by default, even if its reset is known', () => {
    expect(decided({ maxRetryAfterMs: Infinity }, {}, reopens)).toEqual({ retry: false, because: 'not-retryable' });
  });

  test('is waited for until its reset, if the caller wants that', () => {
    expect(decided(patient, {}, reopens)).toEqual({ retry: true, delayMs: FIVE_HOURS_MS, because: 'hint' });
  });

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

test('presets.patient waits for a usage window of five hours and then answers', async () => {
  const slept: number[] = [];
  let sent = 0;
  const inner = async (): Promise<Response> =>
    (sent += 1) === 1 ? Response.json(used, { status: 429 }) : Response.json({});
  const runtime = { now: () => 0, random: () => 0, sleep: async (ms: number) => void slept.push(ms) };
  const fetch = createRetryFetch({ fetch: inner, ...presets.patient, runtime });
  expect((await fetch('https://api.openai.com/v1/responses', { method: 'POST', body: '{}' })).status).toBe(200);
  expect(slept).toEqual([FIVE_HOURS_MS]);
});

test('without the option a used-up quota costs one request, and the event has the moment of its reset', async () => {
  const moments: (number | undefined)[] = [];
  let sent = 0;
  const fetch = createRetryFetch({
    fetch: async () => {
      sent += 1;
      return Response.json(used, { status: 429 });
    },
    runtime: { now: () => 1_000 },
    onEvent: (event) => void (event.type === 'failed' && moments.push(event.possibleAt)),
  });
  await fetch('https://api.openai.com/v1/responses', { method: 'POST', body: '{}' });
  expect(sent).toBe(1);
  expect(moments).toEqual([1_000 + FIVE_HOURS_MS]);
});

test.each([
  ['a list that leaves its status out', { retryableStatusCodes: [500] }, {}],
  ["a `classify` that says 'stop'", { classify: () => 'stop' as const }, {}],
  ['a server that says not to retry', {}, { 'x-should-retry': 'false' }],
])('%s keeps a call from waiting for the reset of its quota', async (_who, options, headers) => {
  let sent = 0;
  const inner = async (): Promise<Response> => {
    sent += 1;
    return Response.json(used, { status: 429, headers });
  };
  const runtime = { now: () => 0, sleep: async () => {} };
  const fetch = createRetryFetch({ fetch: inner, ...presets.patient, ...options, runtime });
  const response = await fetch('https://api.openai.com/v1/responses', { method: 'POST', body: '{}' });
  expect(sent).toBe(1);
  expect(outcomeOf(response)).toMatchObject({ type: 'failed', because: 'not-retryable' });
});
