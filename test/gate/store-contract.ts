/** The contract of every store, with any backend and any client. */

import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type RedisPort, redisStore } from '../../src/gate/redis.ts';
import {
  answer,
  EMPTY,
  LEASE_MS,
  openStore,
  type OpenStore,
  type StoreAnswer,
  type StoreRequest,
  type StoreState,
} from '../../src/gate/store.ts';

/** A request for nothing; the process counts. */
export const request = (process: string, rest: Partial<StoreRequest> = {}): StoreRequest => ({
  process,
  counts: [1, 0, 0],
  wantsProbe: false,
  turns: 0,
  wayMs: 0,
  apartMs: 0,
  rates: [],
  ...rest,
});

/** The report of a process whose limit was learned. */
export const report = (process: string, rest: Partial<StoreRequest> = {}): StoreRequest =>
  request(process, { counts: [1, 1_000, 2_000], ...rest });

const turn = (process: string, rest: Partial<StoreRequest> = {}): StoreRequest =>
  request(process, { turns: 1, rates: [[200, 0]], ...rest });

const slot = (process: string, held: number, wanted: number, most = 2, waitedMs = 0): StoreRequest =>
  request(process, { slots: { most, held, wanted, waitedMs } });

const HOUR_MS = 3_600_000;

/** The rule in examples, on a clock that the test moves. */
export function contract(
  name: string,
  open: () => (one: StoreRequest, nowMs: number) => ReturnType<OpenStore['ask']>,
): void {
  describe(`${name}, for a limit that was learned`, () => {
    test('sums what its processes report', async () => {
      const ask = open();
      await ask(report('a', { counts: [1, 6_000, 1_000] }), 1_000);
      expect(await ask(report('b', { counts: [1, 0, 3_000] }), 1_000)).toMatchObject({ total: [2, 6_000, 4_000] });
    });

    test('forgets a process that stopped reporting', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      expect(await ask(report('b'), 1_000 + LEASE_MS)).toMatchObject({ total: [1, 1_000, 2_000] });
    });

    test('lets one process probe, and another when that one stops or is gone', async () => {
      const ask = open();
      const silent = { counts: [1, 0, 2_000] } as const;
      const wants = { ...silent, wantsProbe: true };
      expect(await ask(report('a', wants), 1_000)).toMatchObject({ mayProbe: true });
      expect(await ask(report('b', wants), 1_500)).toMatchObject({ mayProbe: false });
      await ask(report('a', silent), 2_000);
      expect(await ask(report('b', wants), 2_500)).toMatchObject({ mayProbe: true });
      expect(await ask(report('a', wants), 13_000)).toMatchObject({ mayProbe: true });
    });

    test('lets no process probe while another one succeeds', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      const after = await ask(report('b', { counts: [1, 0, 2_000], wantsProbe: true }), 1_100);
      expect(after).toMatchObject({ mayProbe: false, total: [2, 1_000, 4_000] });
    });

    test('forgets reports and probes when its clock is set back', async () => {
      const ask = open();
      const wants = { counts: [1, 0, 2_000], wantsProbe: true } as const;
      await ask(report('a', wants), 2 * HOUR_MS);
      await ask(report('b'), 2 * HOUR_MS);
      expect(await ask(report('c', wants), HOUR_MS)).toMatchObject({ mayProbe: true, total: [1, 0, 2_000] });
    });

    test('counts a process once, however often it reports', async () => {
      const ask = open();
      const counts = [1, 6_000, 1_000] as const;
      let counted: StoreRequest['counted'];
      for (const nowMs of [1_000, 1_300, 1_900]) {
        const { part, total } = await ask(report('a', { counts, counted }), nowMs);
        expect(total).toEqual(counts);
        counted = { part, counts };
      }
    });
  });

  describe(`${name}, for a limit that is stated`, () => {
    test('gives each turn a moment of its own, whatever process asks', async () => {
      const ask = open();
      expect(await ask(turn('a', { turns: 2 }), 1_000)).toMatchObject({ atMs: [1_000, 1_200] });
      expect(await ask(turn('b'), 1_000)).toMatchObject({ atMs: [1_400] });
      expect(await ask(turn('a'), 5_000)).toMatchObject({ atMs: [5_000] });
    });

    test('gives no turn before its answer has arrived, and keeps the turns of others apart', async () => {
      const ask = open();
      expect(await ask(turn('a', { turns: 2, wayMs: 100, apartMs: 10 }), 1_000)).toMatchObject({
        atMs: [1_100, 1_300],
      });
      expect(await ask(turn('b'), 1_000)).toMatchObject({ atMs: [1_510] });
    });

    test('gives a turn before it is due, as far as a burst allows', async () => {
      const ask = open();
      const burst = { turns: 3, rates: [[200, 200]] } as const;
      expect(await ask(turn('a', burst), 1_000)).toMatchObject({ atMs: [1_000, 1_000, 1_200] });
      expect(await ask(turn('b', { rates: [[500, 0]] }), 1_000)).toMatchObject({ atMs: [1_600] });
      expect(await ask(turn('a'), 1_000)).toMatchObject({ atMs: [2_100] });
    });

    test('grants no more slots than there are, and those of a process that is gone after six seconds', async () => {
      const ask = open();
      expect(await ask(slot('a', 0, 2), 1_000)).toMatchObject({ slots: 2 });
      expect(await ask(slot('b', 0, 1), 1_100)).toMatchObject({ slots: 0 });
      await ask(slot('a', 1, 0), 1_200);
      expect(await ask(slot('b', 0, 1), 1_300)).toMatchObject({ slots: 1 });
      expect(await ask(slot('c', 0, 2), 7_299)).toMatchObject({ slots: 1 });
      expect(await ask(slot('d', 0, 1), 7_301)).toMatchObject({ slots: 1 });
    });

    test('keeps a free slot for the process that has fewest, then for the one that has waited for longest', async () => {
      const ask = open();
      expect(await ask(slot('a', 0, 5), 1_000)).toMatchObject({ slots: 2, owed: 0 });
      expect(await ask(slot('b', 0, 1), 1_100)).toMatchObject({ slots: 0, before: 0 });
      expect(await ask(slot('c', 0, 1, 2, 50), 1_200)).toMatchObject({ slots: 0, before: 1 });
      expect(await ask(slot('a', 2, 3), 1_300)).toMatchObject({ slots: 0, owed: 2 });
      expect(await ask(slot('a', 1, 4), 1_400)).toMatchObject({ slots: 0, owed: 1 });
      expect(await ask(slot('c', 0, 1, 2, 250), 1_500)).toMatchObject({ slots: 0, before: 1 });
      expect(await ask(slot('b', 0, 1, 2, 400), 1_500)).toMatchObject({ slots: 1, owed: 1 });
      expect(await ask(slot('a', 0, 5), 1_600)).toMatchObject({ slots: 0, before: 1, owed: 0 });
      expect(await ask(slot('c', 0, 1, 2, 450), 1_700)).toMatchObject({ slots: 1 });
    });

    test('forgets a process that waited and asks no more after six seconds', async () => {
      const ask = open();
      await ask(slot('a', 0, 1, 1), 1_000);
      await ask(slot('b', 0, 1, 1), 1_100);
      expect(await ask(slot('a', 0, 1, 1), 7_099)).toMatchObject({ slots: 0, before: 1 });
      expect(await ask(slot('a', 0, 1, 1), 7_101)).toMatchObject({ slots: 1 });
    });

    test('counts the turns of a day', async () => {
      const ask = open();
      const nowMs = 90_000_000;
      const ofDay = { rates: [], perDay: 3 };
      expect(await ask(turn('a', { ...ofDay, turns: 5 }), nowMs)).toMatchObject({ atMs: [nowMs, nowMs, nowMs] });
      expect(await ask(turn('b', ofDay), nowMs + 1_000)).toMatchObject({ atMs: [] });
      const laterMs = nowMs + 86_400_000 + 600_000;
      expect(await ask(turn('b', ofDay), laterMs)).toMatchObject({ atMs: [laterMs] });
    });

    test('forgets turns when its clock is set back', async () => {
      const ask = open();
      await ask(turn('a'), 90_000_000);
      expect(await ask(turn('a'), 1_000)).toMatchObject({ atMs: [1_000] });
    });
  });
}

/** In these tests the script uses the given time instead of its own. */
export function atTime(port: RedisPort, nowMs: number): RedisPort {
  return { eval: (script, keys, args) => port.eval(script, keys, [...args, String(nowMs)]) };
}

const upTo = (max: number) => fc.integer({ min: 0, max });

/** The script against the rule in TypeScript, over random requests. */
export function agreesWithTheRule(port: () => RedisPort, name = 'property'): void {
  let keys = 0;
  const requests = fc.array(
    fc.record({
      process: fc.constantFrom('a', 'b', 'c', 'd'),
      counts: fc.tuple(fc.constant(1), fc.constantFrom(0, 5_000, 1_000_000), upTo(1_000_000)),
      isCounted: fc.boolean(),
      wantsProbe: fc.boolean(),
      turns: upTo(3),
      wayMs: upTo(200),
      apartMs: upTo(30),
      perDay: fc.constantFrom(undefined, 30),
      slots: fc.option(fc.record({ most: fc.constant(4), held: upTo(3), wanted: upTo(4), waitedMs: upTo(5_000) }), {
        nil: undefined,
      }),
      laterMs: fc.oneof(upTo(3_000), fc.constantFrom(-HOUR_MS, HOUR_MS)),
    }),
    { maxLength: 20 },
  );

  property.prop([requests], { numRuns: 100 })('answers as the rule in TypeScript does', async (steps) => {
    const key = `${name}, ${(keys += 1)}`;
    let state: StoreState = EMPTY;
    let nowMs = 1_800_000_000_000;
    const last = new Map<string, StoreRequest['counted']>();
    for (const { laterMs, isCounted, ...rest } of steps) {
      nowMs += laterMs;
      const { process, counts } = rest;
      const counted = isCounted ? last.get(process) : undefined;
      const one: StoreRequest = { ...rest, counted, rates: [[200, 100]] };
      const expected: { readonly state: StoreState; readonly answer: StoreAnswer } = answer(state, one, nowMs);
      state = expected.state;
      last.set(process, { part: expected.answer.part, counts });
      expect(await openStore(redisStore(atTime(port(), nowMs))).ask(key, one)).toEqual(expected.answer);
    }
  });
}
