import { describe, expect, test } from 'vitest';
import type { RetryConfig } from '../../src/options/config.ts';
import { presets } from '../../src/options/presets.ts';
import { createRetryFetch, FAILURES, formatDelay, RetryTransport } from '../../src/index.ts';
import {
  decisionsOf,
  fakeRuntime,
  type FakeRuntime,
  respond,
  script,
  scriptTransport,
  URL_OF_TEST,
} from '../script.ts';

/** What a preset waits for a transport whose every answer is the same. */
async function exhaust(
  config: RetryConfig,
  headers: Record<string, string> = {},
  random?: () => number,
): Promise<{ readonly runtime: FakeRuntime; readonly calls: number }> {
  const runtime = fakeRuntime(random);
  const inner = scriptTransport(() => respond(429, headers));
  const transport = new RetryTransport(inner, { ...config, runtime });
  const response = await transport.post(URL_OF_TEST, {});
  expect(response.status).toBe(429);
  return { runtime, calls: inner.calls.length };
}

const sum = (waits: readonly number[]): number => waits.reduce((total, ms) => total + ms, 0);

describe('patient', () => {
  test('waits 5 s, 10 s, 30 s, 1 m, 5 m, 10 m, 15 m and then 30 m each time, 21 times, and 7h 31m 45s in all', async () => {
    const { runtime, calls } = await exhaust(presets.patient);
    const head = [5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000];
    expect(runtime.slept).toEqual([...head, ...Array.from({ length: 14 }, () => 1_800_000)]);
    expect([calls, formatDelay(sum(runtime.slept))]).toEqual([22, '7h 31m 45s']);
  });

  test('waits for a usage window of five hours', async () => {
    const { runtime } = await exhaust(presets.patient, { 'retry-after': '18000' });
    expect(runtime.slept).toEqual([18_000_000]);
  });

  test('counts hints towards the eight hours, inclusive', async () => {
    const { runtime } = await exhaust(presets.patient, { 'retry-after': String(4 * 3_600) });
    expect(runtime.slept).toEqual([14_400_000, 14_400_000]);
  });

  test('does not wait for a hint beyond eight hours', async () => {
    const { calls } = await exhaust(presets.patient, { 'retry-after': String(8 * 3_600 + 1) });
    expect(calls).toBe(1);
  });

  test('shows each of the first retries and no error when it succeeds', async () => {
    const runtime = fakeRuntime();
    const seen: unknown[] = [];
    const inner = script(runtime, 429, 502, 429, 200);
    const response = await createRetryFetch({
      fetch: inner,
      ...presets.patient,
      runtime,
      onEvent: (event) => {
        for (const decision of decisionsOf([event]))
          seen.push(decision.type === 'retry' ? [decision.retry, decision.delayMs] : decision.type);
      },
    })(URL_OF_TEST);
    expect(response.status).toBe(200);
    expect(seen).toEqual([[1, 5_000], [2, 10_000], [3, 30_000], 'recovered']);
  });
});

describe('background', () => {
  test('waits 3, 5, 10, 30 and then 60 s, ten times: 408 s in all', async () => {
    const { runtime, calls } = await exhaust(presets.background);
    expect(runtime.slept.map((ms) => ms / 1_000)).toEqual([3, 5, 10, 30, 60, 60, 60, 60, 60, 60]);
    expect(sum(runtime.slept)).toBe(408_000);
    expect(calls).toBe(11);
  });

  test('never sends more than one request in three seconds, whatever a hint says', async () => {
    const { runtime } = await exhaust(presets.background);
    expect(Math.min(...runtime.slept)).toBe(3_000);
    const hinted = await exhaust(presets.background, { 'retry-after': '1' });
    expect([hinted.runtime.slept[0], Math.min(...hinted.runtime.slept)]).toEqual([3_000, 3_000]);
  });
});

describe('agent', () => {
  test('waits 2, 4 and 8 s, without jitter', async () => {
    for (const random of [0, 0.999]) {
      const { runtime, calls } = await exhaust(presets.agent, {}, () => random);
      expect([runtime.slept, calls]).toEqual([[2_000, 4_000, 8_000], 4]);
    }
  });
});

describe('recommended', () => {
  test('waits 0.5 s, then twice as long each time up to 20 s, ten times: two minutes and a half', async () => {
    const { runtime, calls } = await exhaust(presets.recommended, {}, () => 0.5);
    expect(runtime.slept).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000, 20_000, 20_000]);
    expect(calls).toBe(11);
  });
});

describe('fleet', () => {
  test('waits with full jitter between 0 and 0.5, 1 and 2 seconds, at most 20, sixteen times', async () => {
    const longest = await exhaust(presets.fleet, {}, () => 0.999_999);
    expect([0, 1, 2, 9].map((retry) => Math.round(longest.runtime.slept[retry] ?? 0))).toEqual([
      500, 1_000, 2_000, 20_000,
    ]);
    expect(longest.calls).toBe(17);
    expect((await exhaust(presets.fleet, {}, () => 0)).runtime.slept[9]).toBe(0);
  });
});

describe('taxonomy', () => {
  const statusOf = {
    rate_limit: 429,
    overloaded: 529,
    server_error: 500,
    timeout: 504,
    provider_unavailable: 502,
  } as const;

  test.each(Object.entries(statusOf))(
    'attempts a call that always ends in %s (%i) as often as its row says',
    async (type, status) => {
      const runtime = fakeRuntime(() => 0.999_999);
      const inner = script(runtime, status);
      await createRetryFetch({ fetch: inner, ...presets.taxonomy, runtime })(URL_OF_TEST);
      const strategy = Object.entries(FAILURES).find(([name]) => name === type)?.[1].strategy;
      expect(inner.calls).toHaveLength(1 + (strategy?.maxRetries ?? 0));
      for (const waitMs of runtime.slept) expect(waitMs).toBeLessThanOrEqual(strategy?.maxDelayMs ?? -1);
    },
  );

  test('obeys a hint of 10 s plus 10 %, and none that is longer', async () => {
    const { runtime } = await exhaust(presets.taxonomy, { 'retry-after': '10' });
    expect(new Set(runtime.slept)).toEqual(new Set([11_000]));
    const refused = await exhaust(presets.taxonomy, { 'retry-after': '12' });
    expect(refused.calls).toBe(1);
  });

  test('counts each type separately', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 504, 500, 504, 500, 200);
    const response = await createRetryFetch({ fetch: inner, ...presets.taxonomy, runtime })(URL_OF_TEST);
    // The second 504 was its last attempt.
    expect([response.status, inner.calls.length]).toEqual([504, 3]);
  });
});

test.each(Object.entries(presets))('%s is frozen and can be spread', (_name, preset) => {
  expect(Object.isFrozen(preset)).toBe(true);
  expect(() => createRetryFetch({ ...preset, maxRetries: 1 })).not.toThrow();
});
