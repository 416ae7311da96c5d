import { expect, test } from 'vitest';
import { createKeyRotation, createRetryFetch } from '../../src/index.ts';
import { chainOf } from '../../src/route/open-route.ts';
import { respond, URL_OF_TEST } from '../script.ts';
import { createDice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { times } from '../thorough.ts';

const KEYS = ['first-key-000', 'second-key-00', 'third-key-000'] as const;
/** Of each of 40 workers. */
const CALLS = times({ thorough: 250, otherwise: 60 });
const keyIn = (init: RequestInit | undefined): string => new Headers(init?.headers).get('authorization') ?? '';

test('of three keys with staggered limits a marked one is never sent', async () => {
  const time = new VirtualTime();
  const dice = createDice(7);
  const rotation = createKeyRotation({ keys: KEYS });
  const restsUntil = new Map<string, number>();
  const { keys } = chainOf(rotation);
  const watched: NonNullable<typeof keys>['refused'] = (failure, target, nowMs, sentAtMs) => {
    if (failure.retryAfterMs !== undefined && target !== undefined) {
      restsUntil.set(target.name, Math.max(restsUntil.get(target.name) ?? 0, nowMs + failure.retryAfterMs));
    }
    return usual?.(failure, target, nowMs, sentAtMs);
  };
  const usual = keys?.refused;
  Object.assign(Object(keys), { refused: watched });
  const windows = new Map<string, { endsAt: number; left: number }>();
  let [requests, sentMarked, refused] = [0, 0, 0];
  /** Each key has 40, 60 or 80 requests in a window of 3, 5 or 7 seconds. */
  const inner = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    const index = KEYS.findIndex((key) => keyIn(init) === `Bearer ${key}`);
    requests += 1;
    if (time.nowMs < (restsUntil.get(`key ${index + 1}`) ?? 0)) sentMarked += 1;
    // Coarse, so that much happens at the same instant.
    await time.after(20 + Math.floor(dice() * 3) * 20);
    const now = time.nowMs;
    const name = `${index}`;
    let current = windows.get(name);
    if (current === undefined || current.endsAt <= now) {
      current = { endsAt: now + 3_000 + index * 2_000, left: 40 + index * 20 };
      windows.set(name, current);
    }
    current.left -= 1;
    if (current.left >= 0) return respond(200);
    refused += 1;
    return respond(429, { 'retry-after-ms': `${current.endsAt - now}` });
  };
  const retrying = createRetryFetch({ fetch: inner, runtime: time.runtime(dice), fallback: rotation });
  const statuses = new Map<number, number>();
  const worker = async (): Promise<void> => {
    for (let count = 0; count < CALLS; count += 1) {
      const { status } = await retrying(URL_OF_TEST);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await time.after(Math.floor(dice() * 15) * 20);
    }
  };
  await time.run(() => Promise.all(Array.from({ length: 40 }, worker)));
  expect((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0)).toBe(40 * CALLS);
  expect(statuses.get(200)).toBeGreaterThan(39.6 * CALLS);
  expect(refused).toBeGreaterThan(2 * CALLS);
  expect(requests).toBeGreaterThan(40 * CALLS);
  expect(sentMarked).toBe(0);
});
