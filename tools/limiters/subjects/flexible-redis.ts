/** rate-limiter-flexible over Redis, whose keys end in real time. */

import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { SERVICE_MS, type Daemon, type DaemonSubject } from '../../../bench/limiters/real/limiter.ts';
import { hasRedis, startRedis } from '../../../test/gate/redis-server.ts';
import { serve } from '../../../test/serve.ts';

async function start(points: number, duration: number, blockDuration: number): Promise<Daemon> {
  const redis = await startRedis();
  const storeClient = new Redis(redis.port);
  const limiter = new RateLimiterRedis({ storeClient, points, duration, blockDuration });
  const { origin, server, close } = await serve(async ({ headers }, response) => {
    try {
      await limiter.consume(String(headers['x-tenant']));
      setTimeout(() => response.end('{}'), Number(headers['x-service-ms'] ?? SERVICE_MS));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        response.setHeader('retry-after', Math.ceil(refusal.msBeforeNext / 1_000));
        response.writeHead(429).end('Too Many Requests');
      } else response.writeHead(500).end(String(refusal));
    }
  });
  server.keepAliveTimeout = 600_000;
  return {
    address: () => ({ url: origin, headers: {} }),
    stop: async () => {
      await close();
      storeClient.disconnect();
      await redis.stop();
    },
  };
}

const overRedis = (points: number, duration: number, blockDuration: number): DaemonSubject => ({
  name: `rate-limiter-flexible over Redis, ${points} in ${duration} s${blockDuration === 0 ? '' : `, block of ${blockDuration} s`}`,
  limit: { requests: points, perMs: duration * 1_000 },
  clock: 'real',
  missing: () => (hasRedis ? undefined : 'redis-server'),
  start: () => start(points, duration, blockDuration),
});

export const subjects: readonly DaemonSubject[] = [overRedis(20, 2, 0), overRedis(20, 2, 5)];
