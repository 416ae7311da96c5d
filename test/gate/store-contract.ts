/** The contract of every store, with any backend and any client. */

import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type RedisPort, redisStore } from '../../src/gate/redis.ts';
import { openStore } from '../../src/gate/open-store.ts';
import {
  EMPTY,
  exchange,
  LEASE_MS,
  type StoreCount,
  type StoreReport,
  type StoreShare,
  type StoreState,
} from '../../src/gate/store.ts';

export const report = (process: string, rest: Partial<StoreReport> = {}): StoreReport => ({
  process,
  delivered: 1_000,
  wanted: 2_000,
  wantsProbe: false,
  sentAtMs: null,
  ...rest,
});

const HOUR_MS = 3_600_000;

/** The rule in examples, on a clock that the test moves. */
export function contract(name: string, open: () => (report: StoreReport, nowMs: number) => Promise<StoreShare>): void {
  describe(name, () => {
    test('gives each process its share of the pace', async () => {
      const ask = open();
      await ask(report('a', { delivered: 6_000, wanted: 1_000 }), 1_000);
      expect(await ask(report('b', { delivered: 0, wanted: 3_000 }), 1_000)).toMatchObject({ share: 4_500 });
    });

    test('forgets a process that stopped reporting', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      expect(await ask(report('b'), 1_000 + LEASE_MS)).toMatchObject({ deliveredToOthers: 0 });
    });

    test('lets one process probe, and another when that one stops or is gone', async () => {
      const ask = open();
      const wants = { delivered: 0, wantsProbe: true };
      expect(await ask(report('a', wants), 1_000)).toMatchObject({ mayProbe: true });
      expect(await ask(report('b', wants), 1_500)).toMatchObject({ mayProbe: false });
      await ask(report('a', { delivered: 0 }), 2_000);
      expect(await ask(report('b', wants), 2_500)).toMatchObject({ mayProbe: true });
      expect(await ask(report('a', wants), 13_000)).toMatchObject({ mayProbe: true });
    });

    test('lets no process probe while another one succeeds', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      const share = await ask(report('b', { delivered: 0, wantsProbe: true }), 1_100);
      expect(share).toMatchObject({ mayProbe: false, deliveredToOthers: 1_000 });
    });

    test('forgets shares and probes when its clock is set back', async () => {
      const ask = open();
      const wants = { delivered: 0, wantsProbe: true };
      await ask(report('a', wants), 2 * HOUR_MS);
      await ask(report('b'), 2 * HOUR_MS);
      expect(await ask(report('c', wants), HOUR_MS)).toMatchObject({ mayProbe: true, deliveredToOthers: 0 });
    });

    test('counts a process once, however often it reports', async () => {
      const ask = open();
      let counted: StoreCount | null = null;
      for (const nowMs of [1_000, 1_300, 1_900]) {
        const one: StoreReport = report('a', { delivered: 6_000, wanted: 1_000, counted });
        const { part = 0, deliveredToOthers } = await ask(one, nowMs);
        expect(deliveredToOthers).toBe(0);
        counted = { delivered: 6_000, wanted: 1_000, part };
      }
      expect(await ask(report('b', { delivered: 0, wanted: 3_000 }), 1_950)).toMatchObject({ share: 4_500 });
    });

    test('drops a report that is older than its lease', async () => {
      const ask = open();
      await ask(report('late', { sentAtMs: 1_000 }), 16_000);
      expect(await ask(report('b'), 16_000)).toMatchObject({ deliveredToOthers: 0 });
    });
  });
}

/** In these tests the script uses the given time instead of its own. */
export function atTime(port: RedisPort, nowMs: number): RedisPort {
  return { eval: (script, keys, args) => port.eval(script, keys, [...args, String(nowMs)]) };
}

/** The script against the rule in TypeScript, over random reports. */
export function agreesWithTheRule(port: () => RedisPort, name = 'property'): void {
  let keys = 0;
  const reports = fc.array(
    fc.record({
      process: fc.constantFrom('a', 'b', 'c'),
      delivered: fc.integer({ min: 0, max: 1_000_000 }),
      wanted: fc.integer({ min: 0, max: 1_000_000 }),
      wantsProbe: fc.boolean(),
      ageMs: fc.option(fc.integer({ min: 0, max: 5_000 })),
      laterMs: fc.oneof(fc.integer({ min: 0, max: 6_000 }), fc.constantFrom(-HOUR_MS, HOUR_MS)),
    }),
    { maxLength: 12 },
  );

  property.prop([reports], { numRuns: 100 })('answers as the rule in TypeScript does', async (steps) => {
    const key = `${name}, ${(keys += 1)}`;
    let state: StoreState = EMPTY;
    let nowMs = 1_800_000_000_000;
    const counted = new Map<string, StoreCount>();
    for (const { laterMs, ageMs, ...rest } of steps) {
      nowMs += laterMs;
      const { process, delivered, wanted } = rest;
      const one = { ...rest, sentAtMs: ageMs === null ? null : nowMs - ageMs, counted: counted.get(process) ?? null };
      const expected = exchange(state, one, nowMs);
      state = expected.state;
      const { part } = expected.share;
      if (part === undefined) counted.delete(process);
      else counted.set(process, { delivered, wanted, part });
      expect(await openStore(redisStore(atTime(port(), nowMs))).exchange(key, one)).toEqual(expected.share);
    }
  });
}
