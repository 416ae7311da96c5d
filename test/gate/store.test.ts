import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisScript } from '../../src/gate/redis-script.ts';
import { fromIoredis, fromNodeRedis, type RedisPort, redisStore, type StoreReport } from '../../src/gate/redis.ts';
import { EMPTY, exchange, LEASE_MS, memoryStore, type StoreState } from '../../src/gate/store.ts';
import { connectRedis, hasRedis, type RedisClient, type RedisServer, startRedis } from './redis-server.ts';

const report = (process: string, rest: Partial<StoreReport> = {}): StoreReport => ({
  process,
  delivered: 1_000,
  wanted: 2_000,
  wantsProbe: false,
  sentAtMs: null,
  ...rest,
});

/** What every store keeps to, on a clock that the test moves. */
function contract(
  name: string,
  open: () => (report: StoreReport, nowMs: number) => Promise<ReturnType<typeof exchange>['share']>,
): void {
  describe(name, () => {
    test('gives each process the share of the pace that it wants of it', async () => {
      const ask = open();
      await ask(report('a', { delivered: 6_000, wanted: 1_000 }), 1_000);
      expect(await ask(report('b', { delivered: 0, wanted: 3_000 }), 1_000)).toMatchObject({ share: 4_500 });
    });

    test('forgets a process that is not heard of any more', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      expect(await ask(report('b'), 1_000 + LEASE_MS)).toMatchObject({ deliveredToOthers: 0 });
    });

    test('lets one process look, and another when that one stops or is gone', async () => {
      const ask = open();
      const wants = { delivered: 0, wantsProbe: true };
      expect(await ask(report('a', wants), 1_000)).toMatchObject({ mayProbe: true });
      expect(await ask(report('b', wants), 1_500)).toMatchObject({ mayProbe: false });
      await ask(report('a', { delivered: 0 }), 2_000);
      expect(await ask(report('b', wants), 2_500)).toMatchObject({ mayProbe: true });
      expect(await ask(report('a', wants), 13_000)).toMatchObject({ mayProbe: true });
    });

    test('lets no process look while another one gets answers', async () => {
      const ask = open();
      await ask(report('a'), 1_000);
      const share = await ask(report('b', { delivered: 0, wantsProbe: true }), 1_100);
      expect(share).toMatchObject({ mayProbe: false, deliveredToOthers: 1_000 });
    });

    test('drops a report that is older than its lease', async () => {
      const ask = open();
      await ask(report('late', { sentAtMs: 1_000 }), 16_000);
      expect(await ask(report('b'), 16_000)).toMatchObject({ deliveredToOthers: 0 });
    });
  });
}

contract('a store in memory', () => {
  let timeMs = 0;
  const store = memoryStore(() => timeMs);
  return async (one, nowMs) => {
    timeMs = nowMs;
    return store.exchange('key', one);
  };
});

if (hasRedis) testRedis();
else console.warn('redis-server is not installed: the store over Redis was not tested.');

function testRedis(): void {
  let server: RedisServer;
  let client: RedisClient;
  let keys = 0;
  beforeAll(async () => {
    server = await startRedis();
    client = await connectRedis(server.port);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const withTime = (nowMs: number): RedisPort => ({
    eval: (script, names, args) => client.eval(script, names, [...args, String(nowMs)]),
  });

  contract('a store in Redis', () => {
    const key = `contract-${(keys += 1)}`;
    return async (one, nowMs) => redisStore(withTime(nowMs)).exchange(key, one);
  });

  describe('the script', () => {
    const reports = fc.array(
      fc.record({
        process: fc.constantFrom('a', 'b', 'c'),
        delivered: fc.integer({ min: 0, max: 1_000_000 }),
        wanted: fc.integer({ min: 0, max: 1_000_000 }),
        wantsProbe: fc.boolean(),
        ageMs: fc.option(fc.integer({ min: 0, max: 5_000 })),
        laterMs: fc.integer({ min: 0, max: 6_000 }),
      }),
      { maxLength: 12 },
    );

    property.prop([reports], { numRuns: 100 })('answers as the rule in TypeScript does', async (steps) => {
      const key = `property-${(keys += 1)}`;
      let state: StoreState = EMPTY;
      let nowMs = 1_800_000_000_000;
      for (const { laterMs, ageMs, ...rest } of steps) {
        nowMs += laterMs;
        const one = { ...rest, sentAtMs: ageMs === null ? null : nowMs - ageMs };
        const expected = exchange(state, one, nowMs);
        state = expected.state;
        expect(await redisStore(withTime(nowMs)).exchange(key, one)).toEqual(expected.share);
      }
    });

    test('is sent once, and again to a Redis that has forgotten it', async () => {
      const sent: string[] = [];
      const store = redisStore({
        eval: (script, names, args) => {
          sent.push('eval');
          expect(script).toBe(redisScript);
          return client.eval(script, names, args);
        },
        evalsha: async () => {
          sent.push('evalsha');
          throw new Error('NOSCRIPT No matching script.');
        },
      });
      await store.exchange('once', report('a'));
      await store.exchange('once', report('a'));
      expect(sent).toEqual(['eval', 'evalsha', 'eval']);
    });
  });
}

describe('the clients', () => {
  test('of node-redis and ioredis are asked in their own ways', async () => {
    const seen: unknown[] = [];
    const record = async (...args: unknown[]): Promise<unknown> => {
      seen.push(args.slice(1));
      return [1, 2, 0, 3];
    };
    await redisStore(fromNodeRedis({ eval: record, evalSha: record })).exchange('k', report('a'));
    await redisStore(fromIoredis({ eval: record, evalsha: record }), { prefix: 'p:' }).exchange('k', report('a'));
    const args = ['a', '1000', '2000', '0', ''];
    expect(seen).toEqual([[{ keys: ['retry-transport:k'], arguments: args }], [1, 'p:k', ...args]]);
  });

  test('that answer anything else are not believed', async () => {
    await expect(redisStore({ eval: async () => 'OK' }).exchange('k', report('a'))).rejects.toThrow(/four numbers/);
  });
});
