/** rate-limiter-flexible over Redis, whose keys end in real time. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { SERVICE_MS, type Daemon, type DaemonSubject } from '../../../bench/limiters/real/limiter.ts';
import { hasRedis, startRedis } from '../../../test/gate/redis-server.ts';

async function serve(points: number, duration: number, blockDuration: number): Promise<Daemon> {
  const redis = await startRedis();
  const storeClient = new Redis(redis.port);
  const limiter = new RateLimiterRedis({ storeClient, points, duration, blockDuration });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    try {
      await limiter.consume(String(request.headers['x-tenant']));
      setTimeout(() => response.end('{}'), Number(request.headers['x-service-ms'] ?? SERVICE_MS));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        response.setHeader('retry-after', Math.ceil(refusal.msBeforeNext / 1_000));
        response.writeHead(429).end('Too Many Requests');
      } else response.writeHead(500).end(String(refusal));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    address: () => ({ url: `http://127.0.0.1:${port}`, headers: {} }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
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
  start: () => serve(points, duration, blockDuration),
});

export const subjects: readonly DaemonSubject[] = [overRedis(20, 2, 0), overRedis(20, 2, 5)];
