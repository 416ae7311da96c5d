/** Gates that share a limit over a real Redis, against one server that says when its next second begins. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createGate, createRetryFetch, presets } from '../../src/index.ts';
import { type RedisPort, redisStore } from '../../src/gate/redis.ts';
import { connectRedis, hasRedis, type RedisClient, startRedis } from '../gate/redis-server.ts';
import { serve } from '../serve.ts';

const PER_SECOND = 15;
const GATES = 3;
const CALLS = 20;

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
  let window = { second: -1, served: 0 };
  const server = await serve((_, response) => {
    const now = performance.now();
    const second = Math.floor(now / 1_000);
    if (second !== window.second) window = { second, served: 0 };
    window.served += 1;
    if (window.served <= PER_SECOND) return response.end('{}');
    const waitMs = Math.ceil((second + 1) * 1_000 - now);
    return response.writeHead(429, { 'retry-after-ms': String(waitMs) }).end('{}');
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
  return { statuses: new Set(statuses), requestsPerCall: server.counts.requests / statuses.length, storeEvents, heard };
}

describe.skipIf(!hasRedis)('gates that share a limit over Redis', () => {
  test('bring a crowd through, with fewer requests than it would take to come back together', async () => {
    const redis = await startRedis();
    const { statuses, requestsPerCall, heard } = await runFleet(redis.port);
    expect(heard.length).toBeGreaterThan(0);
    expect(statuses).toEqual(new Set([200]));
    // Together: 60, 45, 30 and 15 requests.
    expect(requestsPerCall).toBeLessThanOrEqual(2.2);
    await redis.stop();
  });

  test('lose no call when their Redis is killed and comes back', async () => {
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

test('gates without a Redis server continue alone, and lose no call', async () => {
  // No server listens there.
  const { statuses, storeEvents } = await runFleet(1);
  expect(statuses).toEqual(new Set([200]));
  expect(storeEvents).toBeGreaterThan(0);
});
