/**
 * Decides from the failure alone: retry after a delay, or stop with a reason. It is pure, so the next wait can be predicted
 * from this file. `decide` applies its rules in order, and the first rule that stops the call counts. A gate or a key that
 * rests may ask for a later moment; `plan.ts` joins the two. `checkMoment` compares the moment that results with the limits
 * on waiting.
 */

import { expectNumber } from '../runtime/expect.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { Policy } from '../options/policy.ts';
import type { WaitRules } from '../route/route.ts';

/** What is known when an attempt has failed. */
export interface Situation {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
  /** Attempts made on this target, this one included. */
  readonly attempts: number;
  /** Retries that this target may have. */
  readonly maxRetries: number;
  /** The attempts among them that ended in this type of failure. */
  readonly attemptsOfType: number;
  /** Scheduled waiting so far, hints included. */
  readonly totalDelayMs: number;
  /** From the start of the call to the moment that the wait counts from. */
  readonly elapsedMs: number;
  /** Why the request may not be sent again, independent of the failure. */
  readonly obstacle: StopReason | null;
  /** Another target for this failure, and how long it rests; null without one. */
  readonly fallback: { readonly restMs: number; readonly afterRetries: number } | null;
}

/** `because` is only told to listeners; `moves` and `rests` say what follows from it. */
export type Decision =
  | (WaitRules & { readonly retry: true; readonly delayMs: number; readonly because: WaitReason })
  | { readonly retry: false; readonly because: StopReason };

type Limits = Pick<Policy, 'maxRetryAfterMs' | 'maxTotalDelayMs' | 'maxElapsedMs'>;

/** Decides what follows a failed attempt. Draws from `random` at most once. */
export function decide(situation: Situation, policy: Policy, random: () => number): Decision {
  const { fallback, obstacle, attempts, failure } = situation;
  if (fallback === null || obstacle !== null) return decideOnTarget(situation, policy, random);
  // Another target follows when the retries on this one are used up or cannot help.
  if (failure.retryable && attempts <= fallback.afterRetries) {
    const decision = decideOnTarget(situation, policy, random);
    if (decision.retry || !FALLS_BACK.includes(decision.because)) return decision;
  }
  const { restMs } = fallback;
  const limit = checkMoment(momentOf(situation, restMs, restMs), situation.totalDelayMs, policy);
  if (limit !== null) return stop(limit);
  return restMs === 0 ? retry(0, 'fallback', MOVE) : retry(restMs, 'cooldown', REST);
}

/** A moment that a call would wait for. */
export interface Moment {
  /** The whole wait. */
  readonly delayMs: number;
  /** When it ends, from the start of the call. */
  readonly elapsedMs: number;
  /** The part in which a gate lets no call through, or every target rests; without spread and padding. */
  readonly holdMs: number;
  /** Whether it is a wait for a limit that the user has stated; no limit on waits ends it. @default false */
  readonly isStated?: boolean | undefined;
}

/** What keeps a call from waiting for a moment; null: nothing. Every limit is inclusive. */
export function checkMoment(moment: Moment, totalDelayMs: number, limits: Limits): StopReason | null {
  if (moment.isStated === true) return moment.elapsedMs > limits.maxElapsedMs ? 'deadline' : null;
  if (moment.holdMs > limits.maxRetryAfterMs) return 'retry-after-too-long';
  if (totalDelayMs + moment.delayMs > limits.maxTotalDelayMs) return 'sleep-budget-exhausted';
  return moment.elapsedMs > limits.maxElapsedMs ? 'deadline' : null;
}

function momentOf(situation: Situation, delayMs: number, holdMs: number): Moment {
  return { delayMs, elapsedMs: situation.elapsedMs + delayMs, holdMs };
}

/** The reasons after which another target may help. */
const FALLS_BACK: readonly StopReason[] = [
  'retries-exhausted',
  'retry-after-too-long',
  'sleep-budget-exhausted',
  'deadline',
];

function decideOnTarget(situation: Situation, policy: Policy, random: () => number): Decision {
  const { failure, attempts, attemptsOfType } = situation;
  if (situation.serverSaidStop) return stop('server-said-no');
  if (!mayHelp(failure, policy)) return stop('not-retryable');
  if (situation.obstacle !== null) return stop(situation.obstacle);

  const strategy = policy.strategies.get(failure.type);
  if (attempts > situation.maxRetries) return stop('retries-exhausted');
  if (attemptsOfType >= mostAttempts(failure, strategy)) return stop('retries-exhausted');

  const hintMs = strategy?.respectRetryAfter === false ? undefined : failure.retryAfterMs;
  // A hint of 0 costs no waiting time, so no limit on waiting would end the call: it is obeyed ten times.
  const isCredible = hintMs !== 0 || attempts <= MAX_RETRIES_AT_ONCE;
  const isHinted = hintMs !== undefined && isCredible && policy.retryAfter !== 'ignore';

  // Also with a hint: a schedule that has ended ends the call.
  const context = { random: isHinted ? () => 0 : random };
  const backoffMs =
    strategy === undefined
      ? policy.backoff.delayFor(attempts - 1, context)
      : strategy.backoff.delayFor(attemptsOfType - 1, context);
  if (backoffMs === undefined || backoffMs === NEVER) return stop('retries-exhausted');
  // NaN passes every limit, so a custom schedule that returns it would never end.
  expectNumber('backoff.delayFor()', backoffMs);

  // A longer hint is not shortened, because the server asked us not to come earlier.
  if (isHinted && policy.retryAfter === 'obey' && hintMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const delayMs = isHinted ? hintedDelay(hintMs, policy, random) : backoffMs;

  const limit = checkMoment(momentOf(situation, delayMs, 0), situation.totalDelayMs, policy);
  if (limit !== null) return stop(limit);
  return isHinted ? retry(delayMs, 'hint', HINT) : retry(delayMs, 'backoff', BACKOFF);
}

/**
 * Whether a retry may help: a failure is retryable, or it is a used-up quota whose reset is known and the caller wants to
 * wait for it. That wait is a hint like any other, and is never shortened, because an earlier retry cannot succeed.
 */
export function mayHelp(
  { retryable, type, retryAfterMs }: Failure,
  { waitForQuotaReset, retryAfter }: Pick<Policy, 'waitForQuotaReset' | 'retryAfter'>,
): boolean {
  if (retryable) return true;
  return waitForQuotaReset && type === 'quota_exhausted' && retryAfterMs !== undefined && retryAfter === 'obey';
}

/** Node's own limits on a response: the model worked all the time, and bills the retry again. */
const NODE_TIME_LIMITS = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/;

/** How many attempts may end in a failure of this type. */
function mostAttempts({ code = '' }: Failure, strategy: { readonly maxAttempts: number } | undefined): number {
  const { maxAttempts } = strategy ?? NO_LIMIT;
  return NODE_TIME_LIMITS.test(code) ? Math.min(maxAttempts, 2) : maxAttempts;
}

const NO_LIMIT = { maxAttempts: Number.POSITIVE_INFINITY };

/** Padding and spread only add to a hint, up to the longest wait that the options allow. */
function hintedDelay(hintMs: number, policy: Policy, random: () => number): number {
  if (policy.retryAfter === 'clamp') return Math.min(hintMs, policy.maxDelayMs);
  const spreadMs = policy.hintSpread === 0 ? 0 : Math.min(hintMs * policy.hintSpread, MAX_SPREAD_MS) * random();
  const longestMs = Math.max(policy.maxDelayMs, policy.maxRetryAfterMs);
  return Math.max(hintMs, Math.min(hintMs + hintMs * policy.retryAfterPaddingFactor + spreadMs, longestMs));
}

/** Spreads the calls of one program well enough; a longer spread would only delay the answer. */
export const MAX_SPREAD_MS = 2_000;

/** A hint of 0 is obeyed at most this often in a call. */
export const MAX_RETRIES_AT_ONCE = 10;

/**
 * The retries that a call can reach under its schedule, including those made; null without a limit. For the counter
 * that users see.
 */
export function reachableRetries(
  situation: Pick<Situation, 'failure' | 'attempts' | 'attemptsOfType' | 'maxRetries'>,
  policy: Pick<Policy, 'strategies' | 'backoff'>,
): number | null {
  const { failure, attempts, attemptsOfType, maxRetries } = situation;
  const strategy = policy.strategies.get(failure.type);
  const made = attempts - 1;
  const most = Math.min(maxRetries, made + mostAttempts(failure, strategy) - attemptsOfType);
  const [backoff, index, limit] =
    strategy === undefined ? [policy.backoff, made, most] : [strategy.backoff, attemptsOfType - 1, most];
  if (limit !== Number.POSITIVE_INFINITY) return made + retriesLeft(backoff, index, limit - made);
  const left = retriesLeft(backoff, index, FAR_RETRY);
  return left >= FAR_RETRY ? null : made + left;
}

const FAR_RETRY = 0x1_0000;

/** How many of the next `most` retries a schedule has. A schedule ends only once. */
function retriesLeft(backoff: Policy['backoff'], from: number, most: number): number {
  const has = (retries: number): boolean => {
    try {
      return (backoff.delayFor(from + retries - 1, NO_CHANCE) ?? NEVER) !== NEVER;
    } catch {
      // A custom schedule may know only its own steps.
      return false;
    }
  };
  if (most > 0 && has(most)) return most;
  let left = 0;
  while (left < most && has(left + 1)) left += 1;
  return left;
}

/** A wait without an end is no retry. */
const NEVER = Number.POSITIVE_INFINITY;

const NO_CHANCE = { random: (): number => 0 };

const MOVE: WaitRules = { moves: true, rests: 'nothing' };
const REST: WaitRules = { moves: false, rests: 'all targets' };
const HINT: WaitRules = { moves: false, rests: 'this target' };
const BACKOFF: WaitRules = { moves: false, rests: 'nothing' };

const retry = (delayMs: number, because: WaitReason, rules: WaitRules): Decision => ({
  retry: true,
  delayMs,
  because,
  ...rules,
});
const stop = (because: StopReason): Decision => ({ retry: false, because });
