/**
 * The retry budget: tokens that successes pay in and retries take out.
 *
 * A number of retries per call bounds what one caller waits for; it bounds nothing else. When everything fails, three
 * retries turn a thousand requests a second into four thousand, at the very moment at which the server can serve none,
 * and backoff only moves that load to a later second. Worse, it feeds on itself: a server that has fallen behind
 * answers too late, what came too late is asked again, and the extra work keeps it behind long after the cause is gone.
 * Nobody can see that from within one call.
 *
 * So the calls share an account. Each success pays in a little (0.1: one retry for ten successes), each retry takes out
 * one, and there is a small balance to begin with. While failures are rare every one of them is retried; when they are
 * not, retries add a tenth to the load and no more; and when everything fails the balance is gone after a few retries
 * and the rest of the outage costs what it would have cost without any. The balance to begin with decides how much an
 * outage is amplified before that: five for the callers of one process is enough for scattered failures.
 *
 * The price: where four calls in ten fail at random for long, most of them stay failed. And an account has to have
 * customers: a process that makes one call at a time is hardly held back by it.
 */

import type { Failure, FailureType } from '../failure/failure.ts';

/** The server refuses because too much is asked of it, or is too slow for the same reason. */
const CONGESTION: readonly FailureType[] = ['rate_limit', 'overloaded', 'provider_unavailable', 'timeout'];

/** Whether a failure is paced, and so costs no retry budget. */
export function isCongestion({ type, retryable }: Pick<Failure, 'type' | 'retryable'>): boolean {
  return retryable && CONGESTION.includes(type);
}

/** Plain numbers: the same account is kept in memory and in a store. */
export interface BudgetRule {
  /** What the account holds at most, and to begin with. */
  readonly capacity: number;
  /** What a success pays in. */
  readonly ratio: number;
}

/** The balance after so many successes. */
export function deposit(tokens: number, successes: number, rule: BudgetRule): number {
  return Math.min(rule.capacity, tokens + successes * rule.ratio);
}

/** The balance after a retry; null when there is not enough for it. */
export function withdraw(tokens: number, cost: number): number | null {
  // Ten deposits of 0.1 are a little less than 1.
  return tokens + 1e-9 < cost ? null : Math.max(0, tokens - cost);
}
