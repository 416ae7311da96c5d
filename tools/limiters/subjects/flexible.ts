/** rate-limiter-flexible in memory: a window, and a block after an excess, with the hint and without. */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';

const window = (points: number, duration: number, blockDuration: number, hints: boolean): SimulatedSubject => ({
  name: `rate-limiter-flexible, ${points} in ${duration} s${blockDuration === 0 ? '' : `, block of ${blockDuration} s`}${hints ? '' : ', no headers'}`,
  limit: { requests: points, perMs: duration * 1_000 },
  clock: 'simulated',
  open: async () => {
    const limiter = new RateLimiterMemory({ points, duration, blockDuration });
    return {
      async ask({ tenant }) {
        try {
          await limiter.consume(tenant);
          return { status: 200, headers: {} };
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          const seconds = String(Math.ceil(refusal.msBeforeNext / 1_000));
          return { status: 429, headers: hints ? { 'retry-after': seconds } : {}, body: 'Too Many Requests' };
        }
      },
      close: async () => {},
    };
  },
});

export const subjects: readonly SimulatedSubject[] = [
  window(50, 5, 0, true),
  window(50, 5, 15, true),
  window(50, 5, 15, false),
];
