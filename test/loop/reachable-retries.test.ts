import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { createFallback, createKeyRotation, createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { fakeRuntime, observed, respondError, script, URL_OF_TEST } from '../script.ts';

const limited = respondError(429, { type: 'rate_limit_error', message: 'Slow down.' });

/** What the `retry` events of a call say that never succeeds, and the retries that it made. */
async function counted(config: RetryConfig): Promise<{ readonly told: (number | null)[]; readonly made: number }> {
  const runtime = fakeRuntime();
  const inner = script(runtime, limited);
  const { events, ...watched } = observed({ runtime, ...config });
  await createRetryFetch({ fetch: inner, ...watched })(URL_OF_TEST, { method: 'POST', body: '{}' });
  const told = events.flatMap((event) => (event.type === 'retry' ? event.maxRetries : []));
  return { told, made: inner.calls.length - 1 };
}

describe('the number of retries that a call can still make, in its events,', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 12 });
  const maxRetries = fc.option(fc.integer({ min: 0, max: 15 }), { nil: undefined });
  const ofType = fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined });

  test('is the number that it makes if nothing else ends it, from the first event on', async () => {
    const holds = fc.asyncProperty(steps, maxRetries, ofType, async (delaysMs, most, retries) => {
      const { told, made } = await counted({
        backoff: delaysMs,
        ...(most !== undefined && { maxRetries: most }),
        ...(retries !== undefined && { strategies: { rate_limit: { maxRetries: retries } } }),
      });
      expect(told).toEqual(Array.from({ length: made }, () => made));
    });
    await fc.assert(holds, { numRuns: 200 });
  });

  test('is null if only a budget ends the call', async () => {
    const { told, made } = await counted({ backoff: [100], maxRetries: Infinity, maxTotalDelayMs: 1_000 });
    expect([told, made]).toEqual([Array.from({ length: 10 }, () => null), 10]);
  });

  test('of a function is the one that was said, because it is not asked in advance', async () => {
    const { told, made } = await counted({ backoff: (retry) => (retry < 2 ? 1 : undefined), maxRetries: 5 });
    expect([told, made]).toEqual([[5, 5], 2]);
    const endless = await counted({ backoff: (retry) => (retry < 2 ? 1 : undefined), maxRetries: Infinity });
    expect([endless.told, endless.made]).toEqual([[null, null], 2]);
  });

  test('ends with a schedule that ends late', async () => {
    const { told, made } = await counted({ backoff: [1], maxRetries: 200 });
    expect([new Set(told), made]).toEqual([new Set([200]), 200]);
  });

  test.each([
    [0, 1],
    [1, 0],
    [2, 3],
  ])(
    'includes from the beginning those on every target of a chain: %i before it falls back, %i after',
    async (before, additional) => {
      const fallback = createFallback({
        targets: [{ name: 'other', url: 'https://other.example/v1', covers: ['rate_limit'] }],
        maxRetriesBeforeFallback: before,
        additionalRetries: additional,
      });
      const { told, made } = await counted({ fallback });
      // The turn to the other target is a retry too.
      const all = before + 1 + additional;
      expect([told, made]).toEqual([Array.from({ length: all }, () => all), all]);
    },
  );

  test('includes the first use of each key of a rotation', async () => {
    const { told, made } = await counted({
      fallback: createKeyRotation({ keys: ['key-one', 'key-two'], restMs: { rate_limit: 100 } }),
      maxRetries: 2,
    });
    expect([told.at(-1), made]).toEqual([made, made]);
  });
});
