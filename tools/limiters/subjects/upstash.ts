/** @upstash/ratelimit over a Redis of this machine, with the response headers that its own examples send. */

import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import type { KnownLimit, SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';
import { hasRedis } from '../../../test/gate/redis-server.ts';
import { startUpstash } from '../upstash-server.ts';

type Algorithm = ConstructorParameters<typeof Ratelimit>[0]['limiter'];

const limited = (name: string, limit: KnownLimit, limiter: () => Algorithm): SimulatedSubject => ({
  name: `@upstash/ratelimit, ${name}`,
  limit,
  clock: 'simulated',
  open: async () => {
    const server = await startUpstash();
    const redis = new Redis({ url: server.url, token: 'none', enableTelemetry: false, responseEncoding: false });
    const ratelimit = new Ratelimit({ redis, limiter: limiter(), timeout: 0 });
    return {
      async ask({ tenant }) {
        const { success, limit: most, remaining, reset } = await ratelimit.limit(tenant);
        const headers = {
          'x-ratelimit-limit': String(most),
          'x-ratelimit-remaining': String(remaining),
          'x-ratelimit-reset': String(reset),
        };
        return success
          ? { status: 200, headers }
          : { status: 429, headers, body: 'The request has been rate limited.' };
      },
      close: () => server.stop(),
    };
  },
});

if (!hasRedis) console.warn('redis-server is not installed: @upstash/ratelimit is left out.');

export const subjects: readonly SimulatedSubject[] = hasRedis
  ? [
      limited('sliding window, 60 in 10 s', { requests: 60, perMs: 10_000 }, () => Ratelimit.slidingWindow(60, '10 s')),
      limited('fixed window, 60 in 10 s', { requests: 60, perMs: 10_000 }, () => Ratelimit.fixedWindow(60, '10 s')),
      limited('bucket of 16, 8 a second', { requests: 8, perMs: 1_000 }, () => Ratelimit.tokenBucket(8, '1 s', 16)),
    ]
  : [];
