/**
 * The decision: retry after so long, or stop, with the reason. Pure, so that the next wait can be read from this file
 * alone. The questions are asked in this order; the first that says stop, stops.
 */

import type { Spent } from './call-log.ts';
import type { Policy } from '../policy/policy.ts';
import type { StopReason, WaitReason } from '../failure/history.ts';
import { expectNumber } from '../failure/expect.ts';
import type { Failure } from '../failure/failure.ts';

/** What is known when an attempt has failed. */
export interface Situation extends Spent {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
  /** Attempts made on this target, this one included. */
  readonly attempts: number;
  /** Retries that this target may have. */
  readonly maxRetries: number;
  /** Those of them that ended in this type. */
  readonly attemptsOfType: number;
  /** What keeps the request from being sent again, whatever failed. */
  readonly obstacle: 'body-not-replayable' | 'irreversible-operation' | 'disabled' | null;
  /** Another target that helps with this failure, and how long it is to be left alone; null where there is none. */
  readonly fallback: { readonly waitMs: number; readonly afterRetries: number } | null;
}

export type Decision =
  | { readonly retry: true; readonly delayMs: number; readonly because: WaitReason }
  | { readonly retry: false; readonly because: StopReason };

/** Decides what follows a failed attempt. `random` is drawn from at most once. */
export function decide(situation: Situation, policy: Policy, random: () => number): Decision {
  const { fallback, obstacle, attempts, failure } = situation;
  if (fallback === null || obstacle !== null) return decideOnTarget(situation, policy, random);
  // Another target is tried when this one was tried enough, or when trying this one again cannot help.
  if (failure.retryable && attempts <= fallback.afterRetries) {
    const decision = decideOnTarget(situation, policy, random);
    if (decision.retry || !FALLS_BACK.includes(decision.because)) return decision;
  }
  const { waitMs } = fallback;
  const limit = limitOfRest(waitMs, situation, policy);
  return limit === null ? retry(waitMs, waitMs === 0 ? 'fallback' : 'cooldown') : stop(limit);
}

/** What keeps a call from waiting while a target, or all behind a gate, rests; null: nothing. */
export function limitOfRest(restMs: number, spent: Spent, policy: Limits): StopReason | null {
  return restMs > policy.maxRetryAfterMs ? 'retry-after-too-long' : limitOfWait(restMs, spent, policy);
}

function limitOfWait(delayMs: number, spent: Spent, policy: Limits): StopReason | null {
  if (spent.totalDelayMs + delayMs > policy.maxTotalDelayMs) return 'sleep-budget-exhausted';
  return spent.elapsedMs + delayMs > policy.maxElapsedMs ? 'deadline' : null;
}

type Limits = Pick<Policy, 'maxRetryAfterMs' | 'maxTotalDelayMs' | 'maxElapsedMs'>;

/** What another target can mend: this one's refusal, and this one's waits. */
const FALLS_BACK: readonly StopReason[] = [
  'retries-exhausted',
  'retry-after-too-long',
  'sleep-budget-exhausted',
  'deadline',
];

function decideOnTarget(situation: Situation, policy: Policy, random: () => number): Decision {
  const { failure, attempts, attemptsOfType } = situation;
  if (situation.serverSaidStop) return stop('server-said-no');
  if (!failure.retryable) return stop('not-retryable');
  if (situation.obstacle !== null) return stop(situation.obstacle);

  const strategy = policy.strategies.get(failure.type);
  if (attempts > situation.maxRetries) return stop('retries-exhausted');
  if (strategy !== undefined && attemptsOfType >= strategy.maxAttempts) return stop('retries-exhausted');

  const hintMs = strategy?.respectRetryAfter === false ? undefined : failure.retryAfterMs;
  // "At once" costs no waiting, so no budget of waiting would ever end it: it is believed ten times.
  const isBelieved = hintMs !== 0 || attempts <= MOST_AT_ONCE;
  const hinted = hintMs !== undefined && isBelieved && policy.retryAfter !== 'ignore';

  // Asked even when a hint sets the length: a schedule that has ended ends the call.
  const context = { random: hinted ? () => 0 : random };
  const backoffMs =
    strategy === undefined
      ? policy.backoff.delayFor(attempts - 1, context)
      : strategy.backoff.delayFor(attemptsOfType - 1, context);
  if (backoffMs === undefined) return stop('retries-exhausted');
  // No limit holds against NaN: a schedule of the caller's own that runs out of numbers would never end.
  expectNumber('backoff.delayFor()', backoffMs, { allowInfinity: true });

  // A hint beyond the ceiling is not shortened: coming early is what the server asked us not to do.
  if (hinted && policy.retryAfter === 'obey' && hintMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const delayMs = hinted ? hintedDelay(hintMs, policy, random) : backoffMs;

  const limit = limitOfWait(delayMs, situation, policy);
  return limit === null ? retry(delayMs, hinted ? 'hint' : 'backoff') : stop(limit);
}

/** Padding and spread only add to a hint, and never more than the longest wait that was agreed to. */
function hintedDelay(hintMs: number, policy: Policy, random: () => number): number {
  if (policy.retryAfter === 'clamp') return Math.min(hintMs, policy.maxDelayMs);
  const spreadMs = policy.hintSpread === 0 ? 0 : hintMs * policy.hintSpread * random();
  const longestMs = Math.max(policy.maxDelayMs, policy.maxRetryAfterMs);
  return Math.max(hintMs, Math.min(hintMs + hintMs * policy.retryAfterPaddingFactor + spreadMs, longestMs));
}

/** A server that says "at once" this often does not mean it. */
const MOST_AT_ONCE = 10;

const retry = (delayMs: number, because: WaitReason): Decision => ({ retry: true, delayMs, because });
const stop = (because: StopReason): Decision => ({ retry: false, because });
