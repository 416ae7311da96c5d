import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis, hasRedis, type RedisClient, type RedisServer, startRedis } from './redis-server.ts';
import { agreesWithTheRule, atTime, contract, report } from './store-contract.ts';
import { fromIoredis, fromNodeRedis, redisStore } from '../../src/gate/redis.ts';
import { openStore } from '../../src/gate/open-store.ts';
import { openMemoryStore } from '../../src/gate/store.ts';

contract('a store in memory', () => {
  let timeMs = 0;
  const store = openMemoryStore(() => timeMs);
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

  contract('a store in Redis', () => {
    const key = `contract-${(keys += 1)}`;
    return async (one, nowMs) => openStore(redisStore(atTime(client, nowMs))).exchange(key, one);
  });

  describe('the script', () => {
    agreesWithTheRule(() => client);

    test.each<[string, (key: string) => Promise<unknown>]>([
      [
        'a foreign value without a time to live',
        (key) => client.command('SET', key, '{"members":{"x":[1e308,1,9e15]}}'),
      ],
      ['sums that are too large', (key) => client.command('SET', key, '{"parts":{"7200000000":[1e308,-5]}}')],
      ['text', (key) => client.command('SET', key, 'hello')],
      ['another type', (key) => client.command('LPUSH', key, 'x')],
      ['a probe of another shape', (key) => client.command('SET', key, '{"parts":{},"probe":[1,"x"]}')],
    ])('replaces %s', async (name, set) => {
      const key = `foreign-${name}`;
      await set(`retry-transport:${key}`);
      const share = await openStore(redisStore(client)).exchange(key, report('a'));
      expect(share).toMatchObject({ share: 1_000, deliveredToOthers: 0 });
      expect(Number(await client.command('PTTL', `retry-transport:${key}`))).toBeGreaterThan(0);
    });

    test('keeps no more for 3,000 processes than for ten', async () => {
      const lengthOf = async (processes: number): Promise<number> => {
        const store = openStore(redisStore(client));
        const key = `many-${processes}`;
        await Promise.all(
          Array.from({ length: processes }, async (_, index) => store.exchange(key, report(`process ${index}`))),
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
      await store.exchange('once', report('a'));
      await store.exchange('once', report('a'));
      expect(sent).toEqual([expect.stringContaining('cjson.decode'), 'evalsha', sent[0]]);
    });
  });
}

describe('the clients', () => {
  test('of node-redis and ioredis are called with their own commands, and get the script by its name from the second time on', async () => {
    const seen: unknown[][] = [];
    const record = async (...args: unknown[]): Promise<unknown> => [1, 2, seen.push(args) % 2 === 0 ? 1 : 0, 3];
    const stores = [
      openStore(redisStore(fromNodeRedis({ eval: record, evalSha: record }))),
      openStore(redisStore(fromIoredis({ eval: record, evalsha: record }), { prefix: 'p:' })),
    ];
    for (const store of stores) {
      const share = { share: 1, deliveredToOthers: 2, mayProbe: false, nowMs: 3 };
      expect(await store.exchange('k', report('a'))).toEqual(share);
      expect(await store.exchange('k', report('a'))).toEqual({ ...share, mayProbe: true });
    }
    const args = ['a', '1000', '2000', '0', '', '', '', ''];
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
    const store = openStore(redisStore({ eval: async () => [(texts += 1), 2, 0, 3] }));
    await store.exchange('k', report('a'));
    expect(await store.exchange('k', report('a'))).toMatchObject({ share: 2 });
  });

  test.each([new Error('READONLY You cannot write against a read only replica.'), 'NOSCRIPT'])(
    'that fail for another reason are not asked again: %s',
    async (reason) => {
      let texts = 0;
      const store = openStore(
        redisStore({ eval: async () => [(texts += 1), 2, 0, 3], evalsha: () => Promise.reject(reason) }),
      );
      await store.exchange('k', report('a'));
      await expect(store.exchange('k', report('a'))).rejects.toBe(reason);
      expect(texts).toBe(1);
    },
  );

  test.each(['OK', null, [], [1], [1, 2], [1, 2, 0], [1, 2, 0, 'x'], ['x', 2, 0, 3]])(
    'that answer %j are not believed',
    async (reply) => {
      await expect(openStore(redisStore({ eval: async () => reply })).exchange('k', report('a'))).rejects.toThrow(
        /four numbers/,
      );
    },
  );

  test.each([
    [-9.2e18, 0, 0, 1],
    [1, -1, 0, 1],
    [1, 2e12, 0, 1],
    [1, 1, 0, -1],
  ])('that answer with impossible numbers are not believed: %d, %d, %d, %d', async (...reply) => {
    await expect(openStore(redisStore({ eval: async () => reply })).exchange('k', report('a'))).rejects.toThrow(
      /not negative/,
    );
  });

  test.each([
    ['an endless time', [Number.POSITIVE_INFINITY, 0, 0, 0, 0]],
    ['a time that no date has', [1e21, 0, 0, 0, 0, 1e21]],
    ['no turn', [1_000, 0, 0, 0, 0]],
  ])('that answer a reservation with %s are not believed', async (_what, reply) => {
    const need = { process: 'a', turns: 1, wayMs: 0, apartMs: 0, rates: [[1_000, 1, 1]], perDay: null, slots: null };
    // @ts-expect-error -- a tuple in JSON
    const answer = openStore(redisStore({ eval: async () => reply })).reserve('k', need);
    await expect(answer).rejects.toThrow(/Expected the store to answer with turns/);
  });

  test.each([undefined, {}, { eval: 'x' }])('that are %j are refused at once', (port) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => openStore(redisStore(port))).toThrow(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
  });
});
