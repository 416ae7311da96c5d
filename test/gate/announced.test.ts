import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { tokenBucket } from '../../bench/limiters/limiters.ts';
import { Announced } from '../../src/gate/announced.ts';
import { type Report, Requests } from './announced-requests.ts';
import { createGate, createRetryFetch, type GateOptions } from '../../src/index.ts';
import type { GateOutcome } from '../../src/gate/gate.ts';
import { fakeRuntime, respond, script, URL_OF_TEST } from '../script.ts';
import { rateLimited } from './failures.ts';
import { bench, REQUEST, waitOf } from './sessions.ts';
import { openSession } from '../../src/gate/open-gate.ts';

describe('an announced limit', () => {
  test('is empty until its reset if nothing remains', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_100, { remaining: 0 });
    expect(requests.emptyFor(1_100)).toBe(8_000);
    expect(requests.emptyFor(5_100)).toBe(4_000);
    expect(requests.emptyFor(9_100)).toBe(0);
  });

  test('is used by each request that is sent before the next report', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_100, { remaining: 2 });
    requests.send(1_200);
    expect(requests.emptyFor(1_200)).toBe(0);
    requests.send(1_200);
    expect(requests.emptyFor(1_200)).toBe(7_900);
  });

  test.each([
    ['before the report came', 7_600, 7_600],
    ['before it, also without a reset', null, 7_500],
  ])('is used by the requests that were sent %s', (_when, resetMs, emptyMs) => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 9 });
    const first = requests.send(1_200);
    requests.send(1_300);
    requests.send(1_400);
    first(1_500, { remaining: 2, resetMs });
    expect(requests.emptyFor(1_500)).toBe(emptyMs);
  });

  test('lets requests through as they come while more than a quarter and more than five remain', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 6 });
    expect(requests.apartMs(1_000)).toBe(0);
    requests.answer(1_000, 1_000, { remaining: 26, limit: 100 });
    expect(requests.apartMs(1_000)).toBe(0);
    requests.answer(1_000, 1_000, { remaining: 25, limit: 100 });
    expect(requests.apartMs(1_000)).toBeCloseTo(320);
  });

  test('spreads what remains until its reset, and then at the rate of a whole window', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 4 });
    expect(requests.apartMs(1_000)).toBe(2_000);
    expect(requests.apartMs(5_000)).toBe(1_000);
    expect(requests.apartMs(5_000, 9_001)).toBe(800);
    // After the reset the limit is taken for full, but nothing has confirmed that yet.
    expect(requests.apartMs(9_100)).toBeCloseTo(790);
    expect(requests.emptyFor(9_100)).toBe(0);
  });

  test('has no effect without a reset', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_100, { remaining: 0, resetMs: null });
    expect([requests.emptyFor(1_100), requests.apartMs(1_100)]).toEqual([0, 0]);
    requests.answer(1_000, 1_100, { remaining: 0, resetMs: 0 });
    expect([requests.emptyFor(1_100), requests.apartMs(1_100)]).toEqual([0, 0]);
  });

  test('counts a request that was sent before anything was announced as nothing', () => {
    const requests = new Requests();
    const early = requests.send(500);
    requests.answer(1_000, 1_000, { remaining: 3 });
    early(1_100, { remaining: 2, resetMs: 7_900 });
    expect(requests.emptyFor(1_100)).toBe(0);
    expect(requests.announced.spend(0, 1_000)).not.toBeNull();
    expect(new Announced().spend(0, 1_000)).toBeNull();
  });

  test('keeps the known reset when a report has none', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 4 });
    requests.answer(1_500, 1_500, { remaining: 0, resetMs: null });
    expect(requests.emptyFor(1_500)).toBe(7_500);
  });

  test('without a size is at least as large as it was ever seen', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 99, limit: null });
    requests.answer(1_100, 1_100, { remaining: 26, limit: null, resetMs: 7_900 });
    expect(requests.apartMs(1_100)).toBe(0);
    requests.answer(1_200, 1_200, { remaining: 25, limit: null, resetMs: 7_800 });
    expect(requests.apartMs(1_200)).toBeCloseTo(312);
  });

  test('of several the one that admits the least counts', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 0, resetMs: 2_000 }, { name: 'day', remaining: 0, resetMs: 60_000 });
    expect(requests.emptyFor(1_000)).toBe(60_000);
    requests.answer(1_000, 1_000, { remaining: 4, resetMs: 2_000 }, { name: 'day', remaining: 5, resetMs: 60_000 });
    expect(requests.apartMs(1_000)).toBe(12_000);
  });

  test('is unknown after ten minutes without a report', () => {
    const requests = new Requests();
    expect(requests.announced.isForgotten(0)).toBe(true);
    requests.answer(1_000, 1_000, { remaining: 0 });
    requests.answer(500_000, 500_000);
    expect(requests.announced.isForgotten(601_000)).toBe(false);
    expect(requests.announced.isForgotten(601_001)).toBe(true);
  });

  test('hears a late report on an earlier window, but does not take its rest for the present one', () => {
    const requests = new Requests();
    const late = requests.send(1_000);
    for (let sentMs = 10_000; sentMs < 48_000; sentMs += 2_500)
      requests.answer(sentMs, sentMs + (sentMs % 3) * 600, { remaining: 9, resetMs: 10_000 - (sentMs % 10_000) });
    late(49_000, { remaining: 0, resetMs: 9_000 });
    expect(requests.emptyFor(49_000)).toBe(0);
  });

  test('ignores a report that was overtaken by a later one', () => {
    const requests = new Requests();
    requests.answer(900, 900, { remaining: 9 });
    const first = requests.send(1_000);
    requests.answer(1_100, 1_200, { remaining: 4, resetMs: 7_700 });
    first(1_300, { remaining: 9, resetMs: 7_600 });
    expect(requests.apartMs(1_300)).toBeCloseTo(7_600 / 4);
  });
});

describe('a limit that is announced wrongly, or changes', () => {
  const shortMs = fc.integer({ min: 0, max: 60_000 });
  const amount = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 10 ** 15 }));
  const step = fc.record({
    afterMs: shortMs,
    tokens: fc.integer({ min: 0, max: 20 }),
    wasRefused: fc.boolean(),
    report: fc.record({
      unit: fc.constantFrom('requests' as const, 'tokens' as const),
      remaining: amount,
      limit: fc.option(amount.map((limit) => Math.max(1, limit))),
      resetMs: fc.option(fc.oneof(shortMs, fc.constantFrom(0, 1, 3_600_000))),
    }),
  });

  test.prop([fc.array(step, { maxLength: 60 })])('makes no request wait for longer than one window', (steps) => {
    const requests = new Requests();
    let [nowMs, longestMs] = [1_000, 0];
    for (const { afterMs, tokens, wasRefused, report } of steps) {
      nowMs += afterMs;
      if (wasRefused) requests.refuse(nowMs, nowMs, report);
      else requests.send(nowMs, tokens)(nowMs, report);
      longestMs = Math.max(longestMs, report.resetMs ?? 0);
      for (const cost of [0, 1, 1_000]) {
        expect(requests.emptyFor(nowMs, cost)).toBeLessThanOrEqual(longestMs + 1);
        const apartMs = [requests.apartMs(nowMs, nowMs, cost), requests.apartMs(nowMs, nowMs + longestMs + 1, cost)];
        for (const ms of apartMs) expect(ms >= 0 && ms <= longestMs + 1).toBe(true);
      }
    }
  });

  test('makes no request wait for longer than the window of a changed limit, although the reset may be rounded', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { unit: 'tokens', remaining: 0, resetMs: 4 });
    requests.answer(1_000, 1_000, { unit: 'tokens', remaining: 0, limit: 1, resetMs: 2 });
    expect(requests.emptyFor(1_000, 1)).toBeLessThanOrEqual(5);
  });

  test('is empty until the reset of the last report, not until an earlier report of a much later one', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 9, resetMs: 3_600_000 });
    requests.answer(2_000, 2_000, { remaining: 8, resetMs: 60_000 });
    expect(requests.emptyFor(2_000)).toBe(0);
    requests.answer(3_000, 3_000, { remaining: 0, resetMs: 59_000 });
    expect(requests.emptyFor(3_000)).toBe(59_000);
    expect(requests.emptyFor(62_001)).toBe(0);
  });

  test('is forgotten when a response after its window does not mention it', () => {
    const requests = new Requests();
    const other: Report = { unit: 'tokens', remaining: 9 };
    requests.answer(1_000, 1_000, { remaining: 0 });
    requests.answer(8_990, 8_995, other);
    expect(requests.emptyFor(8_995)).toBe(5);
    requests.answer(9_001, 9_005, other);
    expect([requests.emptyFor(9_005), requests.apartMs(9_005)]).toEqual([0, 0]);
  });

  test('is dropped when sixteen others were announced since, so that new names do not use ever more memory', () => {
    const requests = new Requests();
    const others = Array.from({ length: 16 }, (_, index): Report & { name: string } => ({
      name: `limit ${index}`,
      remaining: 9,
    }));
    const [one, other] = [requests.send(1_000), requests.send(1_000)];
    requests.answer(1_000, 1_000, { name: 'first', remaining: 0 });
    one(1_001, ...others.slice(1));
    expect(requests.emptyFor(1_001)).toBeGreaterThan(0);
    other(1_002, ...others);
    expect(requests.emptyFor(1_002)).toBe(0);
  });
});

describe('an announcement that is contradicted', () => {
  const none: Report = { remaining: 0, resetMs: 3_600_000 };

  test('is not believed for ten minutes once a request was answered that was sent although nothing remained', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, none);
    expect(requests.announced.mayCheck(1_001, 0)).toBe(true);
    const check = requests.send(1_001);
    expect([requests.announced.mayCheck(1_002, 0), requests.announced.isChecking(1_002)]).toEqual([false, true]);
    check(1_100, none);
    expect(requests.emptyFor(1_100)).toBe(0);
    requests.answer(2_000, 2_000, none);
    expect(requests.emptyFor(2_000)).toBe(0);
    requests.answer(602_000, 602_000, none);
    expect(requests.emptyFor(602_000)).toBe(3_600_000);
  });

  const hour = 3_600_000;
  const used: Report = { remaining: 5, limit: 100, resetMs: hour };
  const full: Report = { ...used, remaining: 99 };
  type Heard = readonly [atMs: number, report: Report];
  const at = (atMs: number, report: Report): Heard => [atMs, report];
  const emptyAt = (requests: Requests, atMs: number): number => {
    requests.answer(atMs, atMs, { ...used, remaining: 0 });
    return requests.emptyFor(atMs);
  };

  test('is not believed for ten minutes once most of it was given back long before its reset', () => {
    const requests = new Requests();
    for (const [atMs, report] of [at(1_000, used), at(1_100, full)]) requests.answer(atMs, atMs, report);
    expect([emptyAt(requests, 9_000), emptyAt(requests, 602_000)]).toEqual([0, hour]);
  });

  test.each<[string, ...Heard[]]>([
    ['less than half of it came back', at(1_000, used), at(1_100, { ...used, remaining: 40 })],
    ['the limit is another one', at(1_000, used), at(1_100, { ...full, remaining: 199, limit: 200 })],
    ['the reset was near', at(1_000, { ...used, resetMs: 50_000 }), at(1_100, full)],
    ['the reset has come', at(1_000, { ...used, resetMs: 70_000 }), at(72_000, full)],
  ])('is believed where %s', (_when, ...reports) => {
    const requests = new Requests();
    for (const [atMs, report] of reports) requests.answer(atMs, atMs, report);
    expect(emptyAt(requests, (reports.at(-1)?.[0] ?? 0) + 1_000)).toBeGreaterThan(0);
  });

  test('is believed where the answers to a batch overtake each other', () => {
    const requests = new Requests();
    const batch = [0, 1, 2, 3].map(() => requests.send(1_000));
    for (const [index, remaining] of [20, 95, 60, 40].entries()) batch[index]?.(1_100 + index, { ...used, remaining });
    expect(emptyAt(requests, 2_000)).toBeGreaterThan(0);
  });

  test('is believed while such requests are refused, which are sent at growing intervals', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, none);
    const checks: number[] = [];
    for (let nowMs = 1_100; nowMs < 200_000; nowMs += 100) {
      if (!requests.announced.mayCheck(nowMs, 0)) continue;
      checks.push(nowMs);
      requests.refuse(nowMs, nowMs, { ...none, resetMs: none.resetMs ?? 0 - nowMs });
    }
    const gaps = checks.slice(1).map((atMs, index) => atMs - (checks[index] ?? 0));
    expect(gaps[0]).toBe(20_000);
    expect(gaps[1]).toBe(40_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
  });

  test('is not checked within an ordinary window, because some limiters begin theirs anew with each refusal', () => {
    const requests = new Requests();
    let resetMs = 0;
    for (let nowMs = 1_000; nowMs < 200_000; nowMs += 100) {
      if (nowMs >= resetMs) {
        resetMs = nowMs + 15_000;
        requests.answer(nowMs, nowMs, { remaining: 0, limit: 1, resetMs: 15_000 });
      }
      expect(requests.announced.mayCheck(nowMs + 1, 0)).toBe(false);
    }
  });

  test('is checked after twenty seconds of a hold of a minute', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 0, resetMs: 60_000 });
    expect(requests.announced.mayCheck(1_001, 0)).toBe(false);
    expect(requests.announced.asksAgainMs(2_000, 0, 61_000)).toBe(21_000);
    expect(requests.announced.mayCheck(20_900, 0)).toBe(false);
    expect(requests.announced.mayCheck(21_000, 0)).toBe(true);
  });

  test('is not checked while it only makes calls wait for a second or two', () => {
    const requests = new Requests();
    for (let nowMs = 1_000; nowMs < 120_000; nowMs += 1_500) {
      requests.answer(nowMs, nowMs, { remaining: 0, resetMs: 1_500 });
      expect(requests.announced.mayCheck(nowMs + 1, 0)).toBe(false);
    }
  });

  test('is not one if a request finds room that our own count had used up', () => {
    const requests = new Requests();
    requests.answer(1_000, 1_000, { remaining: 2, resetMs: 60_000 });
    requests.send(1_100);
    requests.send(1_100);
    expect(requests.emptyFor(1_200)).toBeGreaterThan(50_000);
    expect(requests.announced.mayCheck(1_200, 0)).toBe(false);
  });
});

test('a bucket is known as one that is filled evenly, a little more slowly than it was seen to be', () => {
  const requests = new Requests();
  const bucket = tokenBucket(10, 30);
  const endMs = 60_000;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (let nowMs = 0; nowMs < endMs; nowMs += 10) {
    if (requests.emptyFor(nowMs) > 0 || nowMs < lastMs + requests.apartMs(nowMs)) continue;
    lastMs = nowMs;
    expect(bucket.ask(nowMs, 1).admitted).toBe(true);
    const { limit = 0, remaining = 0, resetMs = 0 } = bucket.standing?.(nowMs) ?? {};
    requests.answer(nowMs, nowMs + 5, { limit, remaining, resetMs: Math.ceil(resetMs) });
  }
  while (requests.emptyFor(endMs) === 0) requests.send(endMs);
  const emptyMs = requests.emptyFor(endMs);
  expect(emptyMs).toBeLessThanOrEqual(106);
  requests.send(endMs);
  // It expects 5 % less than the measured refill.
  expect(requests.emptyFor(endMs) - emptyMs).toBeCloseTo(100 / 0.95, -1);
  expect(requests.apartMs(endMs)).toBeCloseTo(1 / (1 / 3_000 + 0.0095), -1);
});

describe('a gate with `announced`', () => {
  const headers = (remaining: number, reset = '8s', limit = 10): Record<string, string> => ({
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': reset,
  });

  function open(options: GateOptions = {}) {
    const { gate, session } = bench({ announced: true, ...options });
    /** Sends a request, and hears its answer. */
    const answered = (sentMs: number, announced: Record<string, string>, answeredMs = sentMs): void => {
      const call = session();
      call.takeAnyway(sentMs);
      call.report(answeredMs, { type: 'success', headers: announced });
    };
    /** How long the next calls wait. */
    const waits = (nowMs: number, calls = 1, priority?: 'batch'): number[] =>
      Array.from({ length: calls }, () => waitOf(session({ priority }).take(nowMs, null)));
    return { gate, session, answered, waits };
  }

  test('sends nothing before the reset if nothing remains', () => {
    const { session, answered } = open();
    answered(1_000, headers(0), 1_100);
    const next = session();
    const answer = next.estimate(1_200, null);
    expect(answer).toMatchObject({ go: false, because: 'cooldown', waitMs: 7_900, holdMs: 7_900 });
    expect(next.take(9_200, null).go).toBe(true);
  });

  test('lets waiting calls go as soon as a response says that there is room, although the reset was said to be far', () => {
    const { session, answered } = open();
    answered(1_000, headers(0, '50s', 100));
    const woken: number[] = [];
    const waiting = Array.from({ length: 5 }, (_, index) => {
      const call = session();
      const answer = call.take(1_100, null);
      if (answer.go || answer.refused !== null) throw new Error('Expected a wait.');
      answer.onFree?.(() => void woken.push(index));
      return call;
    });
    answered(10_000, headers(90, '50s', 100));
    let nowMs = 10_000;
    // Each that is sent wakes the next.
    for (const [index, call] of waiting.entries()) {
      expect(woken).toContain(index);
      nowMs += waitOf(call.take(nowMs, null));
      expect(call.take(nowMs, null).go).toBe(true);
    }
    expect(nowMs).toBeLessThan(12_000);
  });

  test('waits for the earliest of the resets of a window that are whole seconds, because they are rounded up', () => {
    const { answered, waits } = open();
    answered(1_000, headers(3, '5'));
    answered(1_900, headers(1, '4'));
    answered(2_000, headers(0, '4'));
    expect(waits(2_000)).toEqual([3_900]);
  });

  test('waits for the reset of a window that began later than the one before it ended', () => {
    const { answered, waits } = open();
    answered(1_000, headers(9, '5'));
    for (let remaining = 9; remaining >= 0; remaining -= 1)
      answered(6_700 + 10 * (9 - remaining), headers(remaining, '5'));
    expect(waits(6_800)).toEqual([4_900]);
  });

  test('shows in its readings until when an announced limit is empty', () => {
    const { gate, answered } = open();
    answered(1_000, headers(0), 1_100);
    expect([1_200, 9_200].map((nowMs) => gate.readings(nowMs)[0]?.cooldownMs)).toEqual([7_900, 0]);
  });

  test.each([undefined, 10_000])('with a `cooldown.maxMs` of %j asks again before a later reset', (maxMs) => {
    const { answered, waits } = open({ cooldown: { maxMs } });
    answered(0, headers(0, '99999999'));
    expect(waits(0)).toEqual([maxMs ?? 3_600_000]);
  });

  test('delays no first attempt by more than a quarter of a second while any is left', () => {
    const { answered, waits } = open();
    answered(0, headers(999, '3000s', 5_000));
    expect(Math.max(...waits(0, 40))).toBe(250);
    expect(Math.max(...waits(0, 40, 'batch'))).toBeGreaterThan(20_000);
  });

  test('no longer paces when no response announces a limit any more', () => {
    const { session } = open();
    const waited: number[] = [];
    for (let nowMs = 0; nowMs < 60_000; nowMs += 500) {
      const call = session();
      if (waitOf(call.take(nowMs, null)) > 0) waited.push(nowMs);
      call.report(nowMs, { type: 'success', headers: nowMs === 0 ? headers(4) : {} });
      call.leave(nowMs);
    }
    expect(waited.length).toBeGreaterThan(0);
    expect(waited.at(-1)).toBeLessThan(20_000);
  });

  test('reads a reset that is a date by the clock of its call', async () => {
    const clock = fakeRuntime();
    const reset = new Date(clock.time + 5_000).toISOString();
    const announcing = { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': reset };
    const inner = script(clock, respond(200, announcing), 200);
    const fetch = createRetryFetch({ fetch: inner, gate: createGate({ announced: true }), runtime: clock });
    await fetch(URL_OF_TEST);
    await fetch(URL_OF_TEST);
    expect(clock.slept).toEqual([5_000]);
  });

  test('an answer that comes after the end of its window does not make the next window empty', () => {
    const { answered, waits } = open();
    answered(1_000, headers(1), 1_100);
    answered(8_950, headers(0, '50ms'), 9_020);
    // The pace of a window that no report has confirmed.
    expect(waits(9_300)).toEqual([250]);
  });

  test('an answer that comes after the end of its window does not either if its reset is a moment', () => {
    const gate = createGate({ announced: true });
    const startMs = Date.parse('2026-11-22T07:00:00Z');
    const send = (sentMs: number) => {
      let wallMs = 0;
      const call = openSession(gate, REQUEST, { runtime: { now: () => wallMs, random: () => 0.5 } });
      void call.take(sentMs, null);
      return (answeredMs: number, remaining: number): void => {
        wallMs = startMs + answeredMs;
        call.report(answeredMs, { type: 'success', headers: headers(remaining, String(startMs + 9_000)) });
      };
    };
    send(1_000)(1_100, 1);
    const answer = send(8_950);
    send(9_100);
    answer(9_200, 0);
    expect(gate.readings(9_300)).toMatchObject([{ cooldownMs: 0 }]);
  });

  test.each([
    [3, 'are not believed where the limit came back an hour before its reset', 500, 1_000],
    [9, 'are believed otherwise', 5_000, 3_600_000],
  ])('with %i left at first, hints of an hour %s', (first, _what, leastMs, mostMs) => {
    const { gate, session } = open();
    const report = (nowMs: number, outcome: GateOutcome): void => {
      const call = session();
      void call.take(nowMs, null);
      call.report(nowMs + 10, outcome);
    };
    report(1_000, { type: 'success', headers: headers(first, '3600s') });
    report(2_000, { type: 'success', headers: headers(9, '3600s') });
    for (const atMs of [10_000, 11_000, 12_000, 13_000, 14_000])
      report(atMs, { type: 'failure', failure: rateLimited(3_600_000) });
    const holdMs = gate.readings(14_100)[0]?.cooldownMs;
    expect(holdMs).toBeGreaterThan(leastMs);
    expect(holdMs).toBeLessThanOrEqual(mostMs);
  });
});
