import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis, hasRedis, type RedisClient, type RedisServer, startRedis } from './redis-server.ts';
import { agreesWithTheRule, atTime, contract, report, request } from './store-contract.ts';
import { fromIoredis, fromNodeRedis, redisStore } from '../../src/gate/redis.ts';
import { openMemoryStore, openStore } from '../../src/gate/store.ts';

contract('a store in memory', () => {
  let timeMs = 0;
  const store = openMemoryStore(() => timeMs);
  return async (one, nowMs) => {
    timeMs = nowMs;
    return store.ask('key', one);
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

  contract('a store in Redis', () => {
    const key = `contract-${(keys += 1)}`;
    return async (one, nowMs) => openStore(redisStore(atTime(client, nowMs))).ask(key, one);
  });

  describe('the script', () => {
    agreesWithTheRule(() => client);

    const foreign = (value: unknown) => (key: string) => client.command('SET', key, JSON.stringify(value));
    const part = Math.floor(Date.now() / 250) + 4;
    const rest = { next: [], day: {}, parties: {} };
    test.each<[string, (key: string) => Promise<unknown>]>([
      ['text', (key) => client.command('SET', key, 'hello')],
      ['another type', (key) => client.command('LPUSH', key, 'x')],
      ['a value of another shape, without a time to live', foreign({ parts: { x: [1e308, 1, 9e15] } })],
      ['sums that are too large', foreign({ ...rest, counts: { [part]: [1e308, -5, 0] } })],
      ['sums below zero', foreign({ ...rest, counts: { [part]: [1, -5_000, 0] } })],
      ['a probe of another shape', foreign({ ...rest, counts: {}, probe: [1, 'x'] })],
      ['turns of another shape', foreign({ ...rest, counts: {}, next: ['x'] })],
      ['turns in a thousand years', foreign({ ...rest, counts: {}, next: [1e308] })],
      ['slots of another shape', foreign({ ...rest, counts: {}, parties: { x: [2] } })],
      ['slots that are held for ever', foreign({ ...rest, counts: {}, parties: { x: [1e9, 0, 0, 9e99] } })],
    ])('replaces %s', async (name, set) => {
      const key = `foreign-${name}`;
      await set(`retry-transport:${key}`);
      const slots = { most: 2, held: 0, wanted: 2, waitedMs: 0 };
      const one = report('a', { wantsProbe: true, turns: 1, rates: [[200, 0]], slots });
      const answer = await openStore(redisStore(client)).ask(key, one);
      expect(answer).toMatchObject({ total: one.counts, mayProbe: true, slots: 2, atMs: [answer.nowMs] });
      expect(Number(await client.command('PTTL', `retry-transport:${key}`))).toBeGreaterThan(0);
    });

    test('keeps no more for 3,000 processes than for ten', async () => {
      const lengthOf = async (processes: number): Promise<number> => {
        const store = openStore(redisStore(client));
        const key = `many-${processes}`;
        await Promise.all(
          Array.from({ length: processes }, async (_, index) =>
            store.ask(key, report(`process ${index}`, { turns: 1, rates: [[200, 0]] })),
          ),
        );
        return Number(await client.command('STRLEN', `retry-transport:${key}`));
      };
      expect(await lengthOf(3_000)).toBeLessThan(600);
      expect(await lengthOf(10)).toBeLessThan(600);
    });

    test('is sent once, and again to a Redis that has lost it', async () => {
      const sent: string[] = [];
      const store = openStore(
        redisStore({
          eval: (script, names, args) => {
            sent.push(script);
            return client.eval(script, names, args);
          },
          evalsha: async () => {
            sent.push('evalsha');
            throw new Error('NOSCRIPT No matching script.');
          },
        }),
      );
      await store.ask('once', report('a'));
      await store.ask('once', report('a'));
      expect(sent).toEqual([expect.stringContaining('cjson.decode'), 'evalsha', sent[0]]);
    });
  });
}

describe('the clients', () => {
  const numbers = [1_000, 4, 1, 1_000, 2_000, 0, 0, 0, 0];

  test('of node-redis and ioredis are called with their own commands, and get the script by its name from the second time on', async () => {
    const seen: unknown[][] = [];
    const record = async (...args: unknown[]): Promise<unknown> => [
      ...numbers.slice(0, 5),
      (seen.push(args) + 1) % 2,
      0,
      0,
      0,
    ];
    const stores = [
      openStore(redisStore(fromNodeRedis({ eval: record, evalSha: record }))),
      openStore(redisStore(fromIoredis({ eval: record, evalsha: record }), { prefix: 'p:' })),
    ];
    for (const store of stores) {
      const answer = { nowMs: 1_000, part: 4, total: [1, 1_000, 2_000], slots: 0, before: 0, owed: 0, atMs: [] };
      expect(await store.ask('k', report('a'))).toEqual({ ...answer, mayProbe: false });
      expect(await store.ask('k', report('a'))).toEqual({ ...answer, mayProbe: true });
    }
    const args = [JSON.stringify(report('a'))];
    const [script, sha1] = [expect.stringContaining('cjson'), expect.stringMatching(/^[0-9a-f]{40}$/)];
    const ofNodeRedis = { keys: ['retry-transport:k'], arguments: args };
    expect(seen).toEqual([
      [script, ofNodeRedis],
      [sha1, ofNodeRedis],
      [script, 1, 'p:k', ...args],
      [sha1, 1, 'p:k', ...args],
    ]);
  });

  test('without such names get the text each time', async () => {
    let texts = 0;
    const store = openStore(redisStore({ eval: async () => [(texts += 1), ...numbers.slice(1)] }));
    await store.ask('k', report('a'));
    expect(await store.ask('k', report('a'))).toMatchObject({ nowMs: 2 });
  });

  test.each([new Error('READONLY You cannot write against a read only replica.'), 'NOSCRIPT'])(
    'that fail for another reason are not asked again: %s',
    async (reason) => {
      let texts = 0;
      const store = openStore(
        redisStore({ eval: async () => ((texts += 1), numbers), evalsha: () => Promise.reject(reason) }),
      );
      await store.ask('k', report('a'));
      await expect(store.ask('k', report('a'))).rejects.toBe(reason);
      expect(texts).toBe(1);
    },
  );

  /** The answer with other numbers. */
  const but = (places: Readonly<Record<number, unknown>>): unknown[] => Object.assign([...numbers], places);
  test.each<[what: string, reply: unknown]>([
    ['a text', 'OK'],
    ['nothing', null],
    ['an empty list', []],
    ['a part of it', numbers.slice(0, 4)],
    ['a text among its numbers', but({ 3: 'x' })],
    ['a time before all others', but({ 0: -9.2e18 })],
    ['an endless time', but({ 0: Infinity })],
    ['a time that no date has', but({ 0: 1e21, 9: 1e21 })],
    ['sums below its own', but({ 3: 999 })],
    ['impossible sums', but({ 4: 2e12 })],
    ['slots that were not asked for', but({ 6: 1 })],
    ['a turn that was not asked for', but({ 9: 1_000 })],
  ])('that answer with %s are not believed', async (_what, reply) => {
    const answer = openStore(redisStore({ eval: async () => reply })).ask('k', report('a'));
    await expect(answer).rejects.toThrow('Expected the store to answer with its time, sums, slots and turns');
  });

  test('that answer without the turn that was asked for are not believed', async () => {
    const store = openStore(redisStore({ eval: async () => numbers }));
    await expect(store.ask('k', request('a', { turns: 1, rates: [[1_000, 0]] }))).rejects.toThrow(/turns/);
    expect(await store.ask('k', request('a', { turns: 1, perDay: 1 }))).toMatchObject({ atMs: [] });
  });

  test.each([undefined, {}, { eval: 'x' }])('that are %j are refused at once', (port) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => openStore(redisStore(port))).toThrow(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
  });
});
