import { describe, expect, test } from 'vitest';
import type { Limiter, SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';
import { loadSubjects } from '../../../bench/limiters/real/matrix.ts';
import { inSimulatedTime, type Time } from '../../../bench/limiters/real/time.ts';

const subjects = (await loadSubjects((line) => console.warn(line))).filter(
  (subject): subject is SimulatedSubject => subject.clock === 'simulated',
);

const usual = subjects.filter(({ judged = 'usual', name }) => judged === 'usual' && !/tokens|, 10 in 1 s/.test(name));

interface Counted {
  readonly admitted: number;
  readonly refused: number;
}

/** Twice as many requests as the limit admits, evenly spaced, for so many windows. */
async function count(limiter: Limiter, time: Time, requests: number, perMs: number): Promise<Counted> {
  const sent = 2 * requests * Math.ceil(60_000 / perMs);
  let [admitted, refused] = [0, 0];
  for (let index = 0; index < sent; index += 1)
    void time.after((index * perMs) / (2 * requests)).then(() => {
      void time.standStill(
        limiter.ask({ tenant: 'first', model: 'small', cost: 1 }).then(({ status }) => {
          if (status < 300) admitted += 1;
          else refused += 1;
        }),
      );
    });
  await time.runUntil(time.nowMs + 600_000, () => admitted + refused === sent);
  return { admitted, refused };
}

describe('a limiter admits no more than its limit, and refuses the rest', () => {
  test.each(usual.map((subject) => [subject.name, subject] as const))('in the case of %s', async (_, subject) => {
    const { limit } = subject;
    if (!('requests' in limit)) throw new Error('A limiter in this process has a number of requests.');
    const { admitted, refused } = await inSimulatedTime(async (time) => {
      const limiter = await time.standStill(subject.open());
      const counted = await count(limiter, time, limit.requests, limit.perMs);
      await limiter.close();
      return counted;
    });
    const windows = (admitted + refused) / (2 * limit.requests);
    expect(admitted).toBeGreaterThan(0);
    // A bucket is full at the start, and the windows of a clock may begin in between.
    expect(admitted).toBeLessThanOrEqual((windows + 1) * limit.requests + 100);
    expect(refused).toBeGreaterThan(0);
  });

  test.each(usual.map((subject) => [subject.name, subject] as const))(
    '%s refuses no tenant because of another',
    async (_, subject) => {
      const status = await inSimulatedTime(async (time) => {
        const limiter = await time.standStill(subject.open());
        const { requests } = 'requests' in subject.limit ? subject.limit : { requests: 0 };
        for (let index = 0; index < requests + 5; index += 1)
          await time.standStill(limiter.ask({ tenant: 'first', model: 'small', cost: 1 }));
        const answer = await time.standStill(limiter.ask({ tenant: 'second', model: 'small', cost: 1 }));
        await limiter.close();
        return answer.status;
      });
      expect(status).toBeLessThan(300);
    },
  );
});
