/** Gates that share a limit over a real Redis, against one server that refuses each call, and some calls again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createGate, createRetryFetch, presets } from '../../src/index.ts';
import { type RedisPort, redisStore } from '../../src/gate/redis.ts';
import { connectRedis, hasRedis, type RedisClient, startRedis } from '../gate/redis-server.ts';
import { serve } from '../serve.ts';

const GATES = 3;
const CALLS = 6;

/** A port that connects again when its Redis was away, until when everything fails at once; `heard` are the answers. */
function lastingPort(port: number, heard: unknown[]): RedisPort {
  let client: Promise<RedisClient> | undefined;
  const connected = (): Promise<RedisClient> => {
    client ??= connectRedis(port, () => (client = undefined)).catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    return client;
  };
  return {
    eval: async (script, keys, args) => {
      const answer = await (await connected()).eval(script, keys, args);
      heard.push(answer);
      return answer;
    },
  };
}

/** Calls at once through each of some gates over the Redis at a port; what was answered, by status, and told. */
async function runFleet(redisPort: number) {
  // The second refusals come a second after the first, so that nothing gets through: the gates ask their store.
  let refusals = GATES * CALLS + GATES;
  const server = await serve((_, response) => {
    refusals -= 1;
    if (refusals < 0) response.end('{}');
    else response.writeHead(429, { 'retry-after-ms': '1100' }).end('{}');
  });
  let storeEvents = 0;
  const heard: unknown[] = [];
  const calls = Array.from({ length: GATES }, () => {
    const onEvent = ({ type }: { readonly type: string }): void =>
      void (storeEvents += type.startsWith('store-') ? 1 : 0);
    const gate = createGate({ store: redisStore(lastingPort(redisPort, heard)), onEvent });
    const fetch = createRetryFetch({ ...presets.fleet, gate });
    return Array.from({ length: CALLS }, async () => {
      const response = await fetch(server.url, { method: 'POST', body: '{}', headers: { authorization: 'Bearer x' } });
      await response.arrayBuffer();
      return response.status;
    });
  });
  const statuses = await Promise.all(calls.flat());
  await server.close();
  return { statuses: new Set(statuses), storeEvents, heard };
}

describe.skipIf(!hasRedis)('gates that share a limit over Redis', () => {
  test.concurrent('bring a crowd through', async () => {
    const redis = await startRedis();
    const { statuses, heard } = await runFleet(redis.port);
    expect(heard.length).toBeGreaterThan(0);
    expect(statuses).toEqual(new Set([200]));
    await redis.stop();
  });

  test.concurrent('lose no call when their Redis is killed and comes back', async () => {
    let redis = await startRedis();
    const fleet = runFleet(redis.port);
    for (const restarts of [false, true]) {
      await sleep(700);
      if (restarts) redis = await startRedis(redis.port);
      else await redis.stop();
    }
    expect((await fleet).statuses).toEqual(new Set([200]));
    await redis.stop();
  });
});

test.concurrent('gates without a Redis server continue alone, and lose no call', async () => {
  // No server listens there.
  const { statuses, storeEvents } = await runFleet(1);
  expect(statuses).toEqual(new Set([200]));
  expect(storeEvents).toBeGreaterThan(0);
});
