import { describe, expect, test } from 'vitest';
import { countConsecutive, exceedsConsecutive, noFailures } from '../../src/gate/consecutive-counter.ts';

const RULE = { kind: 'consecutive', failures: 3 } as const;

describe('the consecutive counter', () => {
  test('counts failures in a row', () => {
    const counter = countConsecutive(countConsecutive(noFailures, 0, 1), 0, 2);
    expect([counter.failures, exceedsConsecutive(counter, RULE)]).toEqual([3, true]);
  });

  test('starts over with a success, which comes before the failures of the same report', () => {
    const counter = countConsecutive(countConsecutive(noFailures, 0, 2), 5, 1);
    expect([counter.failures, exceedsConsecutive(counter, RULE)]).toEqual([1, false]);
  });

  test('is the same object when nothing changes', () => {
    expect(noFailures).toEqual({ kind: 'consecutive', failures: 0 });
    expect(countConsecutive(noFailures, 9, 0)).toBe(noFailures);
    const two = countConsecutive(noFailures, 0, 2);
    expect(countConsecutive(two, 1, 2)).toBe(two);
  });
});
