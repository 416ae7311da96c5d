/**
 * Two walks through a planner's taxonomy of failures, end to end, with the numbers of the document that describes them
 * where these agree with each other.
 */

import { describe, expect, test } from 'vitest';
import { createFallback, createRetryFetch, presets, type RetryConfig } from '../../src/index.ts';
import { summary } from '../../src/report/index.ts';
import { openAIHello, streamed } from '../llm/answers.ts';
import { fakeRuntime, observed, respond, respondError, script, type Step } from '../script.ts';

const URL = 'https://api.openai.com/v1/chat/completions';
const REQUEST: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer callers-own-key' },
  body: '{"model":"gpt-4","stream":true}',
};

/** `random`: full jitter draws from nothing to the whole wait, so 1 is the longest. */
function walk(config: RetryConfig, random: () => number, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime(random);
  const inner = script(runtime, ...steps);
  const watched = observed({ ...presets.taxonomy, ...config, runtime });
  const call = (): Promise<Response> => createRetryFetch({ fetch: inner, ...watched })(URL, REQUEST);
  return { call, inner, runtime, events: watched.events };
}

const middle = (): number => 0.5;

function lastOf<T>(items: readonly T[]): T {
  const last = items.at(-1);
  if (last === undefined) throw new Error('Expected at least one.');
  return last;
}

describe('a rate limit, a wait, a success', () => {
  const limited = respondError(429, { message: 'Rate limit reached' }, { 'retry-after': '12' });

  test('waits the 12 s of the server and 10 % more, and succeeds after 2 attempts', async () => {
    // The document accepts no hint above 10 s and waits one of 12 s all the same; it takes a ceiling that allows it.
    const { call, runtime, events } = walk({ maxRetryAfterMs: 60_000 }, middle, limited, 200);
    expect((await call()).status).toBe(200);
    expect(runtime.slept).toEqual([13_200]);
    expect(events).toMatchObject([
      { type: 'retry', delayMs: 13_200, because: 'hint', failure: { type: 'rate_limit', category: 'retryable' } },
      { type: 'recovered', attempts: 2 },
    ]);
    const end = lastOf(events);
    expect(end.type === 'recovered' && summary(end)).toBe(
      'succeeded after 2 attempts in 13.2s (rate limit, waited 13.2s)',
    );
  });
});

describe('a stream that breaks, an overload, another model', () => {
  /**
   * Two numbers of the document contradict its own table. It waits 1.4 s after the broken stream and 7.2 s after the
   * overload, where the first waits of those types are at most 1 and 5 s. And it turns to the other model after the
   * third attempt, which is after two retries, although the number it compares with is three. The stream breaks at 42 %
   * there; a stream that has begun to answer is never retried here, so it breaks before its first content.
   */
  const fallback = createFallback({
    primary: 'gpt-4',
    targets: [{ name: 'claude-3-haiku', model: 'claude-3-haiku' }],
    maxRetriesBeforeFallback: 2,
  });
  const broken = (): Response =>
    respond(
      200,
      { 'content-type': 'text/event-stream' },
      new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) }),
    );
  const overloaded = respondError(503, { message: 'overloaded' });

  test('succeeds after 4 attempts, the last of them on the other model', async () => {
    const longest = (): number => 0.999_999_999;
    const steps = [broken, overloaded, overloaded, streamed(...openAIHello)] as const;
    const { call, inner, runtime, events } = walk({ fallback }, longest, ...steps);
    expect((await call()).status).toBe(200);
    expect(runtime.slept.map(Math.round)).toEqual([1_000, 5_000, 0]);
    expect(inner.calls.map(({ init }) => JSON.parse(String(init?.body)))).toMatchObject([
      { model: 'gpt-4' },
      { model: 'gpt-4' },
      { model: 'gpt-4' },
      { model: 'claude-3-haiku', stream: true },
    ]);
    expect(events).toMatchObject([
      { type: 'retry', retry: 1, failure: { type: 'stream_interrupted', phase: 'stream' } },
      { type: 'retry', retry: 2, failure: { type: 'overloaded' } },
      { type: 'fallback', from: 'gpt-4', to: 'claude-3-haiku', failure: { type: 'overloaded' } },
      { type: 'retry', retry: 3, because: 'fallback', delayMs: 0 },
      { type: 'recovered', attempts: 4 },
    ]);
    const end = lastOf(events);
    expect(end.type === 'recovered' && summary(end)).toBe(
      'succeeded after 4 attempts in 6s (stream interrupted, 2 × overloaded, waited 6s, fell back to claude-3-haiku)',
    );
  });
});
