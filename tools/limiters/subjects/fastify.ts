/** @fastify/rate-limit: a fixed window per tenant, and one that begins again with each refused request. */

import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';
import { answerOf, headersOf } from '../inject.ts';

const window = (requests: number, perMs: number, continueExceeding: boolean): SimulatedSubject => ({
  name: `@fastify/rate-limit${continueExceeding ? ' continueExceeding' : ''}, ${requests} in ${perMs / 1_000} s`,
  limit: { requests, perMs },
  clock: 'simulated',
  open: async () => {
    const app = fastify({ logger: false });
    await app.register(rateLimit, {
      max: requests,
      timeWindow: perMs,
      continueExceeding,
      keyGenerator: (request) => String(request.headers['x-tenant']),
    });
    app.post('/v1/messages', async () => ({}));
    await app.ready();
    return {
      async ask(arrival) {
        const request = { method: 'POST', url: '/v1/messages', headers: headersOf(arrival) } as const;
        const { statusCode, headers, payload } = await app.inject(request);
        return answerOf(statusCode, headers, payload);
      },
      close: () => app.close(),
    };
  },
});

export const subjects: readonly SimulatedSubject[] = [window(60, 10_000, false), window(60, 10_000, true)];
