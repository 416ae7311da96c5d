/**
 * The retry budget: tokens that successes pay in and retries take out.
 *
 * A number of retries per call limits only how long one caller waits. When everything fails, three retries make four
 * requests of one, just when the server can serve none, and the overload keeps itself going: late requests are repeated,
 * and the extra work keeps the server behind long after the cause is gone. No single call can detect that, so the calls
 * share an account. While failures are rare, each of them is retried; when everything fails the account is soon empty,
 * and the rest of the outage costs as much as without retries.
 *
 * Refusals and timeouts cost nothing: they are paced, and a pace from the server itself is a better limit.
 */

import type { Failure, FailureType } from '../failure/failure.ts';

/** The server refuses because it gets too many requests, or is too slow for the same reason. */
const CONGESTION: readonly FailureType[] = ['rate_limit', 'overloaded', 'provider_unavailable', 'timeout'];

/** Whether a failure is paced, and so costs no retry budget. */
export function isCongestion({ type, retryable }: Pick<Failure, 'type' | 'retryable'>): boolean {
  return retryable && CONGESTION.includes(type);
}

/** The highest and initial balance, and the amount that a success pays in. */
export interface BudgetRule {
  readonly capacity: number;
  readonly ratio: number;
}

/** The balance after a payment: `ratio` of a success, or the cost of a retry that was cancelled. A retry takes out its cost. */
export function balanceAfter(tokens: number, payment: number, { capacity }: BudgetRule): number {
  return Math.min(capacity, Math.max(0, tokens + payment));
}

/** Whether the balance is enough for a retry. */
export function affords(tokens: number, cost: number): boolean {
  // Ten deposits of 0.1 are a little less than 1.
  return tokens + 1e-9 >= cost;
}
