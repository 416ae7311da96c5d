/**
 * The retry budget: tokens that successes pay in and retries take out.
 *
 * A number of retries per call bounds what one caller waits for; it bounds nothing else. When everything fails, three
 * retries turn a thousand requests a second into four thousand, at the very moment at which the server can serve none,
 * and backoff only moves that load to a later second. Worse, it feeds on itself: a server that has fallen behind
 * answers too late, what came too late is repeated, and the extra work keeps it behind long after the cause is gone. No
 * single call can see that.
 *
 * So the calls share an account. Each success pays in 0.2 (one retry for five successes), each retry takes out one, and
 * there are twenty to begin with. While failures are rare every one of them is retried; when everything fails the account
 * is soon empty, and the rest of the outage costs what it would have cost without retries.
 *
 * Refusals and time-outs cost nothing: they are paced instead, and a pace that the server itself sets is a better bound.
 * What is left for the budget are failures that say nothing about the load: errors of the server, and lost connections.
 */

import type { Failure, FailureType } from '../failure/failure.ts';

/** The server refuses because too much is asked of it, or is too slow for the same reason. */
const CONGESTION: readonly FailureType[] = ['rate_limit', 'overloaded', 'provider_unavailable', 'timeout'];

/** Whether a failure is paced, and so costs no retry budget. */
export function isCongestion({ type, retryable }: Pick<Failure, 'type' | 'retryable'>): boolean {
  return retryable && CONGESTION.includes(type);
}

/** What the account holds at most, and to begin with; and what a success pays in. */
export interface BudgetRule {
  readonly capacity: number;
  readonly ratio: number;
}

/** The balance after a success. */
export function deposit(tokens: number, rule: BudgetRule): number {
  return Math.min(rule.capacity, tokens + rule.ratio);
}

/** Whether the balance is enough for a retry. */
export function affords(tokens: number, cost: number): boolean {
  // Ten deposits of 0.1 are a little less than 1.
  return tokens + 1e-9 >= cost;
}

/** The balance after a retry. */
export function withdraw(tokens: number, cost: number): number {
  return Math.max(0, tokens - cost);
}
