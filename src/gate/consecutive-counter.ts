/** Failures in a row: the simplest evidence for a breaker, and enough where calls are few. */

export interface ConsecutiveRule {
  readonly kind: 'consecutive';
  /** So many failures, with no success between them, open the circuit. */
  readonly failures: number;
}

export interface ConsecutiveCounter {
  readonly kind: 'consecutive';
  readonly failures: number;
}

export const noFailures: ConsecutiveCounter = /* @__PURE__ */ Object.freeze({ kind: 'consecutive', failures: 0 });

/** Counts successes, and then failures. */
export function countConsecutive(counter: ConsecutiveCounter, successes: number, failures: number): ConsecutiveCounter {
  const before = successes > 0 ? 0 : counter.failures;
  return before + failures === counter.failures ? counter : { kind: 'consecutive', failures: before + failures };
}

export function exceedsConsecutive(counter: ConsecutiveCounter, rule: ConsecutiveRule): boolean {
  return counter.failures >= rule.failures;
}
