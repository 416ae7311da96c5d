/**
 * Decides from the failure alone: retry after a delay, or stop with a reason. It is pure, so the next wait can be predicted
 * from this file. `decide` applies its rules in order, and the first rule that stops the call counts. A gate or a key that
 * rests may ask for a later moment; `plan.ts` joins the two. `checkMoment` compares the moment that results with the limits
 * on waiting.
 */

import { expectNumber } from '../runtime/expect.ts';
import { PAGE_CODE } from '../classify/envelope.ts';
import type { RuledFailure } from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { Policy } from '../options/policy.ts';
import type { WaitRules } from '../route/route.ts';

/** What is known when an attempt has failed. */
export interface Situation {
  readonly failure: Failure;
  /** Why it is not retried, whatever it is: the server, the list of statuses or `classify` says so. */
  readonly ruledOut: RuledFailure['ruledOut'];
  /** Attempts made on this target that cost a retry, this one included. */
  readonly attempts: number;
  /** Retries that this target may have. */
  readonly maxRetries: number;
  /** The attempts that count against the strategy of this type of failure, or those of all types without a strategy. */
  readonly attemptsOfStrategy: number;
  /** The place of the wait in the schedule, from 0. */
  readonly scheduleIndex: number;
  /** How many more attempts of the call may be cut off; Infinity if this one was not. */
  readonly cutOffsLeft: number;
  /** Whether an earlier failure of the call had a hint, which did not help. */
  readonly wasHinted: boolean;
  /** Scheduled waiting so far, hints included. */
  readonly totalDelayMs: number;
  /** From the start of the call to the moment that the wait counts from. */
  readonly elapsedMs: number;
  /** Why the request may not be sent again, independent of the failure. */
  readonly obstacle: StopReason | null;
  /** Another target for this failure, how long it rests, and whether the call has used it; null without one. */
  readonly fallback: { readonly restMs: number; readonly afterRetries: number; readonly isUsed: boolean } | null;
}

/** `because` is only told to listeners; `moves` and `rests` say what follows from it. */
export type Decision =
  | (WaitRules & { readonly retry: true; readonly delayMs: number; readonly because: WaitReason })
  | { readonly retry: false; readonly because: StopReason };

type Limits = Pick<Policy, 'maxRetryAfterMs' | 'maxTotalDelayMs' | 'maxElapsedMs'>;

/** Decides what follows a failed attempt. Draws from `random` at most twice: for a hint, and for a backoff. */
export function decide(situation: Situation, policy: Policy, random: () => number): Decision {
  const { fallback, obstacle, attempts, failure, ruledOut } = situation;
  if (fallback === null || obstacle !== null || ruledOut === 'stop') return decideOnTarget(situation, policy, random);
  // Another target follows when the retries on this one are used up or cannot help.
  if (failure.retryable && attempts <= fallback.afterRetries) {
    const decision = decideOnTarget(situation, policy, random);
    if (decision.retry || !FALLS_BACK.includes(decision.because)) return decision;
  }
  const { restMs } = fallback;
  // When the rests that the server named have not helped, they are only the shortest wait, as hints are.
  const isFloor = fallback.isUsed && situation.wasHinted && attempts > 1;
  const { schedule } = strategyFor(failure, policy);
  const backoffMs = (isFloor ? schedule(situation.scheduleIndex, failure, random) : undefined) ?? 0;
  if (backoffMs > restMs) return retryWithin(policy, situation, backoffMs, restMs, 'backoff', BACKOFF);
  const [because, rules] = restMs === 0 ? (['fallback', MOVE] as const) : (['cooldown', REST] as const);
  return retryWithin(policy, situation, restMs, restMs, because, rules);
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

/** A retry, unless a limit keeps the call from waiting for it. */
function retryWithin(
  limits: Limits,
  { elapsedMs, totalDelayMs }: Situation,
  delayMs: number,
  holdMs: number,
  because: WaitReason,
  rules: WaitRules,
): Decision {
  const limit = checkMoment({ delayMs, elapsedMs: elapsedMs + delayMs, holdMs }, totalDelayMs, limits);
  return limit === null ? { retry: true, delayMs, because, ...rules } : stop(limit);
}

const strategyFor = ({ type }: Failure, { common, strategies }: Pick<Policy, 'common' | 'strategies'>) =>
  strategies.get(type) ?? common;

/** The reasons after which another target may help. */
const FALLS_BACK: readonly StopReason[] = [
  'retries-exhausted',
  'retry-after-too-long',
  'sleep-budget-exhausted',
  'deadline',
];

function decideOnTarget(situation: Situation, policy: Policy, random: () => number): Decision {
  const { failure, attempts, ruledOut } = situation;
  if (ruledOut !== null) return stop(ruledOut === 'stop' ? 'not-retryable' : ruledOut);
  if (situation.fallback === null && !mayHelp(failure, policy)) return stop('not-retryable');
  if (situation.obstacle !== null) return stop(situation.obstacle);

  const strategy = strategyFor(failure, policy);
  if (attempts > situation.maxRetries || retriesLeft(situation, strategy) <= 0) return stop('retries-exhausted');

  const retryAfter = strategy.retryAfter ?? policy.retryAfter;
  const hintMs = failure.retryAfterMs;
  const isHinted = hintMs !== undefined && retryAfter !== 'ignore';
  // A server that refuses again after the wait that it named does not know when it is free: its further hints are only the
  // shortest wait. If short ones replaced the backoff, they would use up all retries within a second.
  const usesBackoff = !isHinted || (situation.wasHinted && retryAfter !== 'clamp');

  // Also with a hint: a schedule that has ended ends the call.
  const backoffMs = strategy.schedule(situation.scheduleIndex, failure, usesBackoff ? random : () => 0);
  if (backoffMs === undefined) return stop('retries-exhausted');

  // A longer hint is not shortened, because the server asked us not to come earlier.
  if (isHinted && retryAfter === 'obey' && hintMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const hintedMs = isHinted ? hintedDelay(hintMs, retryAfter, policy, random) : 0;
  const isBackoff = usesBackoff && (!isHinted || backoffMs > hintedMs);
  const delayMs = isBackoff ? backoffMs : hintedMs;

  // The server's hint is about the target, and so is a longer wait that has it as its floor.
  return retryWithin(policy, situation, delayMs, 0, isBackoff ? 'backoff' : 'hint', isHinted ? HINT : BACKOFF);
}

/**
 * Whether a retry may help: a failure is retryable, or it is a used-up quota whose reset is known and the caller wants to
 * wait for it. That wait is a hint like any other, and is never shortened, because an earlier retry cannot succeed.
 */
export function mayHelp(
  { retryable, type, retryAfterMs }: Failure,
  { waitForQuotaReset, retryAfter }: Pick<Policy, 'waitForQuotaReset' | 'retryAfter'>,
): boolean {
  return (
    retryable ||
    (waitForQuotaReset && type === 'quota_exhausted' && retryAfterMs !== undefined && retryAfter === 'obey')
  );
}

/**
 * Whether something between the server and the caller ended an attempt on which the server still worked: a time limit of
 * Node, or of a gateway. The server bills that attempt, and the next one too. Or whether a page answered in place of the
 * server, which mostly stays.
 */
export function wasCutOff({ type, status, code = '' }: Failure, durationMs: number): boolean {
  if (code === PAGE_CODE || REPEATED_ONCE.test(code)) return true;
  return type === 'timeout' && status !== undefined && durationMs >= LONG_ATTEMPT_MS;
}

const REPEATED_ONCE = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/;
/** The shortest time limits of gateways are 29 s (AWS API Gateway) and 30 s; most are 60 s or 100 s. */
const LONG_ATTEMPT_MS = 25_000;
/** The attempts of a call that may be cut off, whatever the options say. */
export const MAX_CUT_OFF = 2;

type CountedAttempts = Pick<Situation, 'failure' | 'attemptsOfStrategy' | 'cutOffsLeft'>;

/** How many more retries the strategy of a failure allows. */
function retriesLeft(
  { attemptsOfStrategy, cutOffsLeft }: CountedAttempts,
  strategy: { readonly maxRetries: number },
): number {
  return Math.min(strategy.maxRetries - attemptsOfStrategy + 1, cutOffsLeft);
}

/** The function `retryAfter` and the spread change a hint, the spread up to the longest wait that the options allow. */
function hintedDelay(hintMs: number, retryAfter: Policy['retryAfter'], policy: Policy, random: () => number): number {
  if (retryAfter === 'clamp') return Math.min(hintMs, policy.maxRetryAfterMs);
  const askedMs = expectNumber('retryAfter()', policy.hintOf(hintMs));
  const spreadMs = policy.hintSpread === 0 ? 0 : Math.min(askedMs * policy.hintSpread, MAX_SPREAD_MS) * random();
  return Math.max(askedMs, Math.min(askedMs + spreadMs, Math.max(policy.maxDelayMs, policy.maxRetryAfterMs)));
}

/** Spreads the calls of one program well enough; a longer spread would only delay the answer. */
export const MAX_SPREAD_MS = 2_000;

/**
 * The retries that a call can reach, including those made; null without a limit. For the counter that users see. A
 * function in `backoff` is never asked in advance, and limits on time do not count.
 */
export function reachableRetries(
  situation: CountedAttempts & Pick<Situation, 'attempts' | 'maxRetries'>,
  policy: Pick<Policy, 'strategies' | 'common'>,
): number | null {
  const { failure, attempts, maxRetries } = situation;
  const most = Math.min(maxRetries, attempts - 1 + retriesLeft(situation, strategyFor(failure, policy)));
  return most === Infinity ? null : most;
}

const MOVE: WaitRules = { moves: true, rests: 'nothing' };
const REST: WaitRules = { moves: false, rests: 'all targets' };
const HINT: WaitRules = { moves: false, rests: 'this target' };
const BACKOFF: WaitRules = { moves: false, rests: 'nothing' };

const stop = (because: StopReason): Decision => ({ retry: false, because });
