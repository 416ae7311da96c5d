import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromIoredis, fromNodeRedis, redisStore } from '../../src/gate/redis.ts';
import { memoryStore } from '../../src/gate/store.ts';
import { connectRedis, hasRedis, type RedisClient, type RedisServer, startRedis } from './redis-server.ts';
import { agreesWithTheRule, atTime, contract, report } from './store-contract.ts';

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

  contract('a store in Redis', () => {
    const key = `contract-${(keys += 1)}`;
    return async (one, nowMs) => redisStore(atTime(client, nowMs)).exchange(key, one);
  });

  describe('the script', () => {
    agreesWithTheRule(() => client);

    test('is sent once, and again to a Redis that has forgotten it', async () => {
      const sent: string[] = [];
      const store = redisStore({
        eval: (script, names, args) => {
          sent.push(script);
          return client.eval(script, names, args);
        },
        evalsha: async () => {
          sent.push('evalsha');
          throw new Error('NOSCRIPT No matching script.');
        },
      });
      await store.exchange('once', report('a'));
      await store.exchange('once', report('a'));
      expect(sent).toEqual([expect.stringContaining('cjson.decode'), 'evalsha', sent[0]]);
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
