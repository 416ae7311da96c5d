import { describe, expect, test } from 'vitest';
import { hasRedis } from '../gate/redis-server.ts';
import { runFleet } from './fleet-redis.ts';

if (hasRedis) testFleet();
else console.warn('redis-server is not installed: processes that share a limit were not tested.');

describe('processes without a Redis server', () => {
  test('continue alone, and lose no call', async () => {
    const { lost, succeeded, storeEvents } = await runFleet({
      processes: 2,
      callsEach: 20,
      perSecond: 10,
      redis: false,
    });
    expect(lost).toEqual([]);
    expect(succeeded).toBe(40);
    expect(storeEvents).toBeGreaterThan(0);
  });
});

/** A smaller and faster fleet than the script runs by itself: 3 processes, 50 requests a second. */
function testFleet(): void {
  describe('processes that share a limit over Redis', () => {
    test('bring a crowd through, with fewer requests than it would take to come back together', async () => {
      const figures = await runFleet({ processes: 3, callsEach: 40, perSecond: 50 });
      expect(figures.lost).toEqual([]);
      expect(figures.succeeded).toBe(120);
      expect(figures.requestsPerSuccess).toBeLessThanOrEqual(1.8);
    });

    test('lose no call when their Redis is killed and comes back', async () => {
      const figures = await runFleet({ processes: 3, callsEach: 40, perSecond: 50, killAfterMs: 700 });
      expect(figures.lost).toEqual([]);
      expect(figures.succeeded).toBe(120);
    });
  });
}
