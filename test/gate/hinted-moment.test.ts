import { describe, expect, test } from 'vitest';
import { HintedMoment } from '../../src/gate/hinted-moment.ts';

function heard(...hints: readonly (readonly [hintMs: number, nowMs: number])[]): HintedMoment {
  const hinted = new HintedMoment();
  for (const [hintMs, nowMs] of hints) hinted.hear(hintMs, nowMs);
  return hinted;
}

describe('hints', () => {
  test('that name the same moment agree on it, and the earliest is rounded the least', () => {
    const hinted = heard([10_000, 0], [9_500, 400], [9_000, 1_000]);
    expect([hinted.isAgreed, hinted.atMs, hinted.isOfSingleCalls(1_000)]).toEqual([true, 9_900, false]);
  });

  test('that are always as long are not those of single calls, although their moments differ', () => {
    const hinted = heard(...[0, 2_000, 4_000, 6_000, 8_000].map((nowMs) => [5_000, nowMs] as const));
    expect([hinted.isAgreed, hinted.isOfSingleCalls(8_000)]).toEqual([false, false]);
  });

  test('that agree on nothing are those of single calls, for a minute', () => {
    const hinted = heard([7_000, 0], [12_000, 100], [2_000, 200], [9_000, 300]);
    expect([hinted.isOfSingleCalls(300), hinted.isOfSingleCalls(60_300)]).toEqual([true, false]);
  });

  test('are not those of single calls if a call is refused that had waited for its own', () => {
    const hinted = heard([7_000, 0], [12_000, 100], [2_000, 200], [9_000, 300]);
    hinted.refusedInSpiteOfHint();
    expect(hinted.isOfSingleCalls(300)).toBe(false);
  });

  test('are forgotten when the server is back', () => {
    const hinted = heard([3_600_000, 0], [3_600_000, 100], [3_600_000, 200]);
    hinted.forget();
    expect([hinted.isAgreed, hinted.atMs]).toEqual([false, 0]);
    hinted.hear(30_000, 1_000);
    expect(hinted.atMs).toBe(31_000);
  });
});
