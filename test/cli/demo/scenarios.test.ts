import { describe, expect, it } from 'vitest';
import { demoConfig } from '../../../src/cli/demo/scenarios.ts';
import { exponential } from '../../../src/index.ts';

describe('demoConfig', () => {
  it.each([
    [1, [800, 1_200, 1_800]],
    [2, [400, 600, 900]],
    [0.5, [1_600, 2_400, 3_600]],
    [0.001, [800_000, 1_200_000, 1_800_000]],
  ])('at speed %d waits %j ms', (speed, delaysMs) => {
    const { baseDelayMs, backoffMultiplier, maxDelayMs, jitter, maxRetries } = demoConfig(speed);
    const backoff = exponential({ baseDelayMs, multiplier: backoffMultiplier, maxDelayMs, jitter });
    expect(delaysMs.map((_delayMs, retry) => backoff.delayFor(retry))).toEqual(delaysMs);
    expect(maxRetries).toBe(delaysMs.length);
  });
});
