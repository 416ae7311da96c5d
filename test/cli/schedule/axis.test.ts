import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { ticksTo } from '../../../src/cli/schedule/axis.ts';

describe('ticksTo', () => {
  it.each([
    [1_800_000, 4, [0, 600_000, 1_200_000, 1_800_000]],
    [4_800, 4, [0, 2_000, 4_000, 6_000]],
    [8_000, 5, [0, 2_000, 4_000, 6_000, 8_000]],
    [3, 4, [0, 1, 2, 3]],
    [1, 4, [0, 1]],
    [60_000, 4, [0, 15_000, 30_000, 45_000, 60_000]],
  ])('covers %i ms in at most %i round steps', (maxMs, mostSteps, ticks) => {
    expect(ticksTo(maxMs, mostSteps)).toEqual(ticks);
  });

  test.prop([fc.double({ min: 0.001, max: 1e15, noNaN: true }), fc.integer({ min: 1, max: 6 })])(
    'reaches the end in equal steps, and not one more than it needs',
    (maxMs, mostSteps) => {
      const ticks = ticksTo(maxMs, mostSteps);
      const stepMs = ticks[1] ?? 0;
      expect(ticks.length - 1).toBeGreaterThanOrEqual(1);
      expect(ticks.length - 1).toBeLessThanOrEqual(mostSteps);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(maxMs * 0.999_999);
      expect((ticks.length - 2) * stepMs).toBeLessThan(maxMs);
    },
  );
});
