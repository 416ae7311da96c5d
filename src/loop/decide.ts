/**
 * The decision: retry after so long, or stop, with the reason. Pure, so that the next wait can be read from this file
 * alone. `decide` reads the failure and asks its questions in order; the first that says stop, stops. `checkMoment` then
 * holds the moment that the call would really wait for, be it backoff, hint, pace or rest, to the limits on waiting.
 */

import { expectNumber } from '../failure/expect.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/history.ts';
import type { Policy } from '../policy/policy.ts';

/** What is known when an attempt has failed. */
export interface Situation {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
  /** Attempts made on this target, this one included. */
  readonly attempts: number;
  /** Retries that this target may have. */
  readonly maxRetries: number;
  /** Those of the attempts that ended in this type. */
  readonly attemptsOfType: number;
  /** Scheduled waiting so far, hints included. */
  readonly totalDelayMs: number;
  /** Since the call began, as of the moment that the wait counts from. */
  readonly elapsedMs: number;
  /** What keeps the request from being sent again, whatever failed. */
  readonly obstacle: 'body-not-replayable' | 'irreversible-operation' | 'refused-by-caller' | 'disabled' | null;
  /** Another target that helps with this failure, and how long it rests; null where there is none. */
  readonly fallback: { readonly restMs: number; readonly afterRetries: number } | null;
}

export type Decision =
  | { readonly retry: true; readonly delayMs: number; readonly because: WaitReason }
  | { readonly retry: false; readonly because: StopReason };

type Limits = Pick<Policy, 'maxRetryAfterMs' | 'maxTotalDelayMs' | 'maxElapsedMs'>;

/** Decides what follows a failed attempt. Draws from `random` at most once. */
export function decide(situation: Situation, policy: Policy, random: () => number): Decision {
  const { fallback, obstacle, attempts, failure } = situation;
  if (fallback === null || obstacle !== null) return decideOnTarget(situation, policy, random);
  // Another target is tried when this one was tried enough, or when trying this one again cannot help.
  if (failure.retryable && attempts <= fallback.afterRetries) {
    const decision = decideOnTarget(situation, policy, random);
    if (decision.retry || !FALLS_BACK.includes(decision.because)) return decision;
  }
  const { restMs } = fallback;
  const limit = checkMoment(momentOf(situation, restMs, restMs), situation.totalDelayMs, policy);
  return limit === null ? retry(restMs, restMs === 0 ? 'fallback' : 'cooldown') : stop(limit);
}

/** A moment that a call would wait for. */
export interface Moment {
  /** The whole wait. */
  readonly delayMs: number;
  /** When it ends, counted from the beginning of the call. */
  readonly elapsedMs: number;
  /** The part in which a gate lets no call through, or every target rests; without spread and padding. */
  readonly holdMs: number;
}

/** What keeps a call from waiting for a moment; null: nothing. Every limit is inclusive. */
export function checkMoment(moment: Moment, totalDelayMs: number, limits: Limits): StopReason | null {
  if (moment.holdMs > limits.maxRetryAfterMs) return 'retry-after-too-long';
  if (totalDelayMs + moment.delayMs > limits.maxTotalDelayMs) return 'sleep-budget-exhausted';
  return moment.elapsedMs > limits.maxElapsedMs ? 'deadline' : null;
}

function momentOf(situation: Situation, delayMs: number, holdMs: number): Moment {
  return { delayMs, elapsedMs: situation.elapsedMs + delayMs, holdMs };
}

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
  // "At once" costs no waiting, so no budget of waiting would ever end it: the loop obeys it ten times.
  const isCredible = hintMs !== 0 || attempts <= MAX_RETRIES_AT_ONCE;
  const isHinted = hintMs !== undefined && isCredible && policy.retryAfter !== 'ignore';

  // Asked even when a hint sets the length: a schedule that has ended ends the call.
  const context = { random: isHinted ? () => 0 : random };
  const backoffMs =
    strategy === undefined
      ? policy.backoff.delayFor(attempts - 1, context)
      : strategy.backoff.delayFor(attemptsOfType - 1, context);
  if (backoffMs === undefined) return stop('retries-exhausted');
  // No limit holds against NaN: a custom schedule that runs out of numbers would never end.
  if (!(backoffMs >= 0)) expectNumber('backoff.delayFor()', backoffMs, { allowInfinity: true });

  // A hint beyond the ceiling is not shortened: coming early is what the server asked us not to do.
  if (isHinted && policy.retryAfter === 'obey' && hintMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const delayMs = isHinted ? hintedDelay(hintMs, policy, random) : backoffMs;

  const limit = checkMoment(momentOf(situation, delayMs, 0), situation.totalDelayMs, policy);
  return limit === null ? retry(delayMs, isHinted ? 'hint' : 'backoff') : stop(limit);
}

/** Padding and spread only add to a hint, and never more than the longest wait that was agreed to. */
function hintedDelay(hintMs: number, policy: Policy, random: () => number): number {
  if (policy.retryAfter === 'clamp') return Math.min(hintMs, policy.maxDelayMs);
  const spreadMs = policy.hintSpread === 0 ? 0 : hintMs * policy.hintSpread * random();
  const longestMs = Math.max(policy.maxDelayMs, policy.maxRetryAfterMs);
  return Math.max(hintMs, Math.min(hintMs + hintMs * policy.retryAfterPaddingFactor + spreadMs, longestMs));
}

/** A server that says "at once" more often does not mean it. */
const MAX_RETRIES_AT_ONCE = 10;

/**
 * The retries that a call may still reach under its schedule, those made included; null where nothing limits them. For
 * the counter that a person sees.
 */
export function reachableRetries(
  situation: Pick<Situation, 'failure' | 'attempts' | 'attemptsOfType' | 'maxRetries'>,
  policy: Pick<Policy, 'strategies' | 'backoff'>,
): number | null {
  const { failure, attempts, attemptsOfType, maxRetries } = situation;
  const strategy = policy.strategies.get(failure.type);
  const made = attempts - 1;
  const [backoff, index, limit] =
    strategy === undefined
      ? [policy.backoff, made, maxRetries]
      : [strategy.backoff, attemptsOfType - 1, Math.min(maxRetries, made + strategy.maxAttempts - attemptsOfType)];
  if (limit !== Number.POSITIVE_INFINITY) return made + retriesLeft(backoff, index, limit - made);
  const left = retriesLeft(backoff, index, FAR_RETRY);
  return left >= FAR_RETRY ? null : made + left;
}

const FAR_RETRY = 0x1_0000;

/** How many of the next `most` retries a schedule still has: it ends once and for all, so halving finds its end. */
function retriesLeft(backoff: Policy['backoff'], from: number, most: number): number {
  const has = (retries: number): boolean => backoff.delayFor(from + retries - 1, NO_CHANCE) !== undefined;
  if (most <= 0 || has(most)) return Math.max(0, most);
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (has(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const NO_CHANCE = { random: (): number => 0 };

const retry = (delayMs: number, because: WaitReason): Decision => ({ retry: true, delayMs, because });
const stop = (because: StopReason): Decision => ({ retry: false, because });
