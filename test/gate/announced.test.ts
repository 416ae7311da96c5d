import { describe, expect, test } from 'vitest';
import { readAnnounced } from '../../src/gate/announced.ts';
import { createGate, createRetryFetch } from '../../src/index.ts';
import { fakeRuntime, respond, script, URL_OF_TEST } from '../script.ts';
import { atOnce, waitOf } from './sessions.ts';

const NOW_MS = Date.parse('2026-11-22T07:00:00Z');

describe('the limits that servers announce', () => {
  test.each([
    [
      'OpenAI and Groq',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
      },
      { unit: 'requests', remaining: 59, limit: 60, resetMs: 1_000 },
    ],
    [
      'OpenAI’s tokens',
      {
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      { unit: 'tokens', remaining: 149_984, limit: 150_000, resetMs: 360_000 },
    ],
    [
      'Anthropic, by the clock of the server',
      {
        date: 'Sun, 22 Nov 2026 06:00:00 GMT',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-22T06:00:30Z',
      },
      { unit: 'tokens', remaining: 0, limit: 40_000, resetMs: 30_000 },
    ],
    [
      'RateLimit of draft 11',
      { ratelimit: '"minute";r=3;t=5', 'ratelimit-policy': '"minute";q=100;w=60' },
      { unit: 'requests', remaining: 3, limit: 100, resetMs: 5_000 },
    ],
    [
      'Azure, below zero',
      { 'x-ratelimit-remaining-tokens': '-12', 'x-ratelimit-reset-tokens': '7' },
      { unit: 'tokens', remaining: 0, limit: null, resetMs: 7_000 },
    ],
    [
      'Azure API Management',
      { 'x-ms-ratelimit-remaining-requests': '4' },
      { unit: 'requests', remaining: 4, limit: null, resetMs: null },
    ],
  ])('%s', (_, headers, expected) => {
    expect(readAnnounced(headers, NOW_MS)).toContainEqual(expect.objectContaining(expected));
  });

  test('a reset that is a date counts from now, not from the date of a cached response', () => {
    const headers = {
      date: new Date(NOW_MS - 600_000).toUTCString(),
      age: '600',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(NOW_MS + 5_000).toISOString(),
    };
    expect(readAnnounced(headers, NOW_MS)).toMatchObject([{ remaining: 0, resetMs: 5_000 }]);
  });

  test('headers without limits have no effect', () => {
    expect(readAnnounced({ 'content-type': 'text/plain', 'x-ratelimit-remaining-requests': 'many' }, NOW_MS)).toEqual(
      [],
    );
  });
});

describe('a gate with `announced`', () => {
  const REQUEST = { url: 'https://api.example.com/' };
  const runtime = { now: Date.now, random: () => 0.5 };
  const headers = (remaining: number, limit = 10): Record<string, string> => ({
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': '8s',
  });

  test('sends nothing before the reset if nothing remains', () => {
    const gate = createGate({ announced: true });
    const call = gate.session(REQUEST, { runtime });
    void call.take(1_000, null);
    call.report(1_100, { type: 'success', headers: headers(0) });
    const next = gate.session(REQUEST, { runtime });
    const answer = atOnce(next.estimate(1_200, null));
    expect(answer).toMatchObject({ go: false, because: 'cooldown', waitMs: 7_900, holdMs: 7_900 });
    expect(atOnce(next.take(9_200, null)).go).toBe(true);
  });

  test('reads a reset that is a date by the clock of its call', async () => {
    const clock = fakeRuntime();
    const reset = new Date(clock.time + 5_000).toISOString();
    const announcing = { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': reset };
    const inner = script(clock, respond(200, announcing), 200);
    const fetch = createRetryFetch(inner, { gate: createGate({ announced: true }), runtime: clock });
    await fetch(URL_OF_TEST);
    await fetch(URL_OF_TEST);
    expect(clock.slept).toEqual([5_000]);
  });

  test('an answer that comes after the end of its window does not make the next window empty', () => {
    const gate = createGate({ announced: true });
    const report = (sentMs: number, answeredMs: number, announced: Record<string, string>): void => {
      const call = gate.session(REQUEST, { runtime });
      void call.take(sentMs, null);
      call.report(answeredMs, { type: 'success', headers: announced });
    };
    report(1_000, 1_100, headers(1));
    report(8_950, 9_020, { ...headers(0), 'x-ratelimit-reset-requests': '50ms' });
    expect(waitOf(gate.session(REQUEST, { runtime }).take(9_300, null))).toBe(0);
  });

  test('slows down so that the rest lasts until the reset', () => {
    const gate = createGate({ announced: true });
    const call = gate.session(REQUEST, { runtime });
    void call.take(1_000, null);
    call.report(1_000, { type: 'success', headers: headers(4) });
    const waits = Array.from({ length: 4 }, () => waitOf(gate.session(REQUEST, { runtime }).take(1_000, null)));
    expect(waits.at(-1)).toBeGreaterThan(4_000);
    expect(waits.at(-1)).toBeLessThanOrEqual(9_000);
  });

  test('counts the requests that were sent after the server wrote its response', () => {
    const gate = createGate({ announced: true });
    const first = gate.session(REQUEST, { runtime });
    void first.take(1_000, null);
    first.report(1_100, { type: 'success', headers: headers(3) });
    const sent = Array.from({ length: 3 }, () => gate.session(REQUEST, { runtime }));
    for (const call of sent) call.takeAnyway(1_200);
    expect(atOnce(gate.session(REQUEST, { runtime }).take(1_300, null))).toMatchObject({
      go: false,
      because: 'cooldown',
    });
  });

  test('ignores announced limits unless the option is on', () => {
    const gate = createGate();
    const call = gate.session(REQUEST, { runtime });
    void call.take(1_000, null);
    call.report(1_100, { type: 'success', headers: headers(0) });
    expect(atOnce(gate.session(REQUEST, { runtime }).take(1_200, null)).go).toBe(true);
  });

  test('paces by tokens with an estimate, which it corrects by the count of the server', () => {
    const gate = createGate({ announced: true, cost: () => 100 });
    const tokens = (remaining: number): Record<string, string> => ({
      'x-ratelimit-limit-tokens': '10000',
      'x-ratelimit-remaining-tokens': String(remaining),
      'x-ratelimit-reset-tokens': '60s',
    });
    let remaining = 10_000;
    for (let count = 0; count < 40; count += 1) {
      const call = gate.session(REQUEST, { runtime });
      call.takeAnyway(1_000 + count);
      call.report(1_000 + count, { type: 'success', headers: tokens((remaining -= 200)) });
    }
    // 2,000 tokens remain: at 200 each they last for ten requests, at the 100 of the estimate for twenty.
    const waits = Array.from({ length: 3 }, () => waitOf(gate.session(REQUEST, { runtime }).take(1_100, null)));
    const apart = (waits[2] ?? 0) - (waits[1] ?? 0);
    expect(apart).toBeGreaterThan(4_000);
    expect(apart).toBeLessThan(8_000);
  });
});
