/** express-rate-limit, with the three kinds of headers that it can send. */

import express from 'express';
import { rateLimit } from 'express-rate-limit';
import type { SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';
import { limiterOf } from '../inject.ts';

type Draft = 'draft-6' | 'draft-7' | 'draft-8';

const window = (draft: Draft, requests: number, perMs: number): SimulatedSubject => ({
  name: `express-rate-limit ${draft}, ${requests} in ${perMs / 1_000} s`,
  limit: { requests, perMs },
  clock: 'simulated',
  open: async () => {
    const app = express();
    app.use(
      rateLimit({
        windowMs: perMs,
        limit: requests,
        standardHeaders: draft,
        legacyHeaders: false,
        keyGenerator: (request) => request.get('x-tenant') ?? '',
        validate: false,
      }),
    );
    app.post('/v1/messages', (_, response) => void response.json({}));
    return limiterOf((request, response) => app(request, response));
  },
});

export const subjects: readonly SimulatedSubject[] = [
  window('draft-6', 100, 10_000),
  window('draft-7', 300, 60_000),
  window('draft-8', 50, 5_000),
];
