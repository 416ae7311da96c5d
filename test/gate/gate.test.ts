import { describe, expect, test } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { slidingWindow } from '../../bench/limiters/limiters.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { createRetryFetch, type GateEvent, type GateOptions, presets, createGate } from '../../src/index.ts';
import type { GateSession } from '../../src/gate/session.ts';
import { rateLimited, unavailable } from './failures.ts';
import { bench, type Bench, REQUEST, waitOf } from './sessions.ts';
import { times } from '../thorough.ts';

const START_MS = 1_000_000;

/** Two in three attempts are refused for a while: the limit is paced. Returns the time. */
function paceAll({ session }: Bench): number {
  let nowMs = START_MS;
  for (let count = 0; count < 60; count += 1) {
    const call = session();
    const retry = count % 2 === 0 ? null : { failure: unavailable, atMs: nowMs };
    call.takeAnyway(nowMs);
    call.report(nowMs, { type: 'failure', failure: unavailable });
    void call.take(nowMs, retry);
    call.report((nowMs += 100), count % 3 === 0 ? { type: 'success' } : { type: 'failure', failure: unavailable });
    call.leave(nowMs);
  }
  return nowMs;
}

describe('the queue of a gate', () => {
  test('announces the moment at which the call is sent', () => {
    const all = bench();
    const nowMs = paceAll(all);
    const calls = Array.from({ length: 5 }, () => all.session());
    const waits = calls.map((call) => waitOf(call.take(nowMs, null)));
    expect(waits.filter((waitMs) => waitMs > 0).length).toBeGreaterThanOrEqual(4);
    for (const [index, call] of calls.entries()) {
      const waitMs = waits[index] ?? 0;
      if (waitMs > 0) expect(call.take(nowMs + waitMs, null).go).toBe(true);
    }
  });

  test('lets a first attempt pass a retry, but every twentieth slot is the retry’s', () => {
    const all = bench();
    const nowMs = paceAll(all);
    const retries = Array.from({ length: 10 }, () => all.session());
    for (const retry of retries) void retry.take(nowMs, { failure: unavailable, atMs: nowMs });
    const last = retries.at(-1);
    const first = all.session();
    expect(waitOf(first.take(nowMs, null))).toBeLessThan(
      waitOf(last?.take(nowMs, { failure: unavailable, atMs: nowMs }) ?? { go: true }),
    );
  });
});

test('a retry that the gate does not delay keeps its own moment', () => {
  const all = bench();
  const nowMs = paceAll(all);
  const retry = { failure: unavailable, atMs: nowMs + 20_000 };
  expect(all.session().estimate(nowMs, retry)).toEqual({ go: true });
});

describe('the retry budget', () => {
  const SERVER_ERROR = { ...unavailable, type: 'server_error' } as const;

  test('is spent on failures that are not refusals', () => {
    const all = bench({ retryBudget: { capacity: 2 } });
    const retry = { failure: SERVER_ERROR, atMs: START_MS };
    expect(all.session().take(START_MS, retry).go).toBe(true);
    expect(all.session().take(START_MS, retry).go).toBe(true);
    expect(all.session().take(START_MS, retry)).toMatchObject({ refused: 'retry-budget-empty' });
  });

  test('is not spent on refusals, which are paced', () => {
    const all = bench({ retryBudget: { capacity: 1 } });
    for (let count = 0; count < 5; count += 1) {
      expect(all.session().take(START_MS, { failure: unavailable, atMs: START_MS }).go).toBe(true);
    }
  });
});

describe('a circuit', () => {
  const OPTIONS: GateOptions = {
    retryBudget: false,
    cooldown: false,
    circuitBreaker: { opensAfter: { failures: 2 }, openMs: 1_000, covers: 'all' },
  };

  test('opens after failures, and one probe closes it', () => {
    const all = bench(OPTIONS);
    for (let count = 0; count < 2; count += 1) {
      const call = all.session();
      void call.take(START_MS, null);
      call.report(START_MS, { type: 'failure', failure: unavailable });
    }
    expect(all.session().take(START_MS + 500, null)).toMatchObject({ refused: 'circuit-open', waitMs: 500 });
    const probe = all.session();
    expect(probe.take(START_MS + 1_500, null).go).toBe(true);
    expect(all.session().take(START_MS + 1_600, null).go).toBe(false);
    probe.report(START_MS + 1_700, { type: 'success' });
    expect(all.session().take(START_MS + 1_800, null).go).toBe(true);
    const phases = all.events.flatMap((event) => (event.type === 'circuit' ? event.phase : []));
    expect(phases).toEqual(['open', 'half-open', 'closed']);
  });
});

test('random runs with aborts leave no place, token or probe taken, and release each call that was held', () => {
  for (let run = 0; run < times({ thorough: 1_000, otherwise: 200 }); run += 1) {
    let state = run + 1;
    const chance = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const all = bench({ retryBudget: { capacity: 3, ratio: 0 } });
    let nowMs = START_MS;
    const calls: GateSession[] = [];
    for (let step = 0; step < 40; step += 1) {
      nowMs += chance() * 400;
      const call =
        chance() < 0.4 || calls.length === 0
          ? all.session({ random: chance })
          : calls[Math.floor(chance() * calls.length)];
      if (call === undefined) continue;
      if (!calls.includes(call)) calls.push(call);
      const what = chance();
      const retry = chance() < 0.5 ? null : { failure: unavailable, atMs: nowMs + chance() * 1_000 };
      if (what < 0.3) void call.estimate(nowMs, retry);
      else if (what < 0.6) void call.take(nowMs, retry);
      else if (what < 0.85)
        call.report(nowMs, { type: 'failure', failure: chance() < 0.5 ? unavailable : rateLimited(500) });
      else if (what < 0.9) call.report(nowMs, { type: 'success' });
      else if (what < 0.95) call.takeAnyway(nowMs);
      else call.leave(nowMs);
    }
    for (const call of calls) call.leave(nowMs);
    expect(all.gate.waiting).toBe(0);
    const told = (type: GateEvent['type']): number => all.events.filter((event) => event.type === type).length;
    expect(told('released')).toBe(told('held'));
    const probes = [all.session(), all.session()];
    expect(probes.some((call) => call.take(nowMs + 40_000, null).go)).toBe(true);
    expect(all.gate.readings(nowMs)[0]?.tokens ?? 3).toBe(3);
  }
});

/** Calls through a gate at moments of virtual time, and how long each took that ended well. */
function callsOver(seed: number, server: (time: VirtualTime, chance: () => number, url: string) => Promise<Response>) {
  const time = new VirtualTime(START_MS);
  const chance = createDice(seed);
  const inner = (url: unknown): Promise<Response> => server(time, chance, String(url));
  const fetch = createRetryFetch({ fetch: inner, ...presets.fleet, gate: createGate(), runtime: time.runtime(chance) });
  const tookMs: number[] = [];
  const callAt = (atMs: number): object =>
    time.in(atMs, () => {
      void fetch(`${REQUEST.url}?at=${atMs}`).then(({ ok }) => ok && tookMs.push(time.elapsedMs - atMs));
    });
  return { time, chance, callAt, tookMs };
}

test('hints that differ from call to call bind only the calls that got them', async () => {
  const freeFromMs = new Map<string, number>();
  const { time, callAt, tookMs } = callsOver(4, async ({ nowMs }, chance, url) => {
    const freeMs = freeFromMs.get(url) ?? nowMs + 1_000 * (1 + Math.floor(13 * chance()));
    freeFromMs.set(url, freeMs);
    const headers = { 'retry-after': String(Math.ceil((freeMs - nowMs) / 1_000)) };
    return nowMs < freeMs ? new Response(null, { status: 429, headers }) : new Response(null);
  });
  for (let call = 0; call < 200; call += 1) callAt(call * 200);
  await time.runUntil(START_MS + 120_000);
  expect(tookMs).toHaveLength(200);
  // Alone, a call takes 13 s at most.
  expect(tookMs.toSorted((one, other) => one - other)[100]).toBeLessThanOrEqual(9_000);
  expect(Math.max(...tookMs)).toBeLessThanOrEqual(20_000);
});

test('a minute of refusals with hints that differ from call to call is met like one without hints', async () => {
  let refusals = 0;
  const { time, callAt, tookMs } = callsOver(4, async ({ elapsedMs }, chance) => {
    if (elapsedMs < 30_000 || elapsedMs > 90_000) return new Response(null);
    refusals += 1;
    return new Response(null, { status: 429, headers: { 'retry-after-ms': String(1_000 + 19_000 * chance()) } });
  });
  for (let call = 0; call < 600; call += 1) callAt(call * 200);
  await time.runUntil(START_MS + 240_000);
  expect(tookMs).toHaveLength(600);
  expect(refusals).toBeLessThanOrEqual(100);
});

const BATCH = times({ thorough: 500, otherwise: 150 });
test('a batch under a sliding window that announces its oldest request is sent as fast as it slides', async () => {
  const limiter = slidingWindow(60, 60_000);
  let refusals = 0;
  const { time, chance, callAt, tookMs } = callsOver(1, async ({ nowMs }) => {
    const isAdmitted = limiter.ask(nowMs, 1).admitted;
    if (!isAdmitted) refusals += 1;
    const { limit = 0, remaining = 0, resetMs = 0 } = limiter.standing?.(nowMs) ?? {};
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetMs / 1_000)),
      ...(!isAdmitted && { 'retry-after-ms': String(Math.ceil(resetMs)) }),
    };
    await time.after(isAdmitted ? 100 + 200 * chance() : 20);
    return new Response(null, { status: isAdmitted ? 200 : 429, headers });
  });
  for (let call = 0; call < 15; call += 1) callAt(14_000 * chance());
  for (let call = 0; call < BATCH; call += 1) callAt(20_000);
  await time.runUntil(START_MS + 900_000);
  expect(tookMs).toHaveLength(15 + BATCH);
  expect(Math.max(...tookMs)).toBeLessThanOrEqual(1_000 * (BATCH + 10));
  // Without a gate, each call is refused almost five times.
  expect(refusals).toBeLessThanOrEqual(0.6 * BATCH);
});

describe('a change of the wall clock', () => {
  test.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('by an hour %s during a hold changes no moment', async (_, stepMs) => {
    const servedMs = async (setMs: number): Promise<readonly number[]> => {
      const time = new VirtualTime(START_MS);
      let offsetMs = 0;
      const served: number[] = [];
      const inner = async (): Promise<Response> =>
        time.nowMs < START_MS + 20_000
          ? new Response(null, { status: 429, headers: { 'retry-after': '10' } })
          : new Response(null);
      const runtime = { ...time.runtime(() => 0.5), now: () => time.nowMs + offsetMs, monotonic: () => time.nowMs };
      const fetch = createRetryFetch({ fetch: inner, ...presets.fleet, gate: createGate(), runtime });
      for (let call = 0; call < 40; call += 1)
        time.in(call * 250, () => void fetch(REQUEST.url).then(() => served.push(Math.round(time.nowMs))));
      time.in(8_000, () => (offsetMs = setMs));
      await time.runUntil(START_MS + 120_000);
      return served;
    };
    const usual = await servedMs(0);
    expect(usual).toHaveLength(40);
    expect(await servedMs(stepMs)).toEqual(usual);
  });
});
