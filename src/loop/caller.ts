/** What the caller's functions say about a failure: `classify`, and `stopIf` before a wait. */

import type { RuledFailure } from '../classify/index.ts';
import { withRetryable } from '../classify/make-failure.ts';
import { type Failure, isFailureType, TYPES } from '../failure/failure.ts';
import { redact } from '../redact/redact.ts';
import { expectNumber, mismatch } from '../runtime/expect.ts';
import { hasMethod, isObject } from '../runtime/values.ts';
import { raceAbort } from '../runtime/abort.ts';
import type { Call } from './call.ts';
import type { Decision } from './decide.ts';
import type { Failed } from './face.ts';
import { isAbort, type Tried } from './steps.ts';

/**
 * Applies the caller's `classify`, which has the last word about every failure but an abort. What its failure must have
 * and leaves out is kept.
 *
 * @throws what `classify` throws; TypeError for a result that cannot be
 */
export function reclassify(call: Call<unknown>, failed: Pick<Failed<unknown>, 'read' | 'result'>): RuledFailure {
  const { classify } = call.policy.config;
  const { read } = failed;
  if (classify === undefined || isAbort(read.failure)) return read;
  const named: unknown = classify(read.failure, { ...infoOf(call), ...failed.result() });
  if (named === undefined || named === null) return read;
  if (named === 'retry') return { failure: withRetryable(read.failure, true), ruledOut: null };
  if (named === 'stop') return { failure: withRetryable(read.failure, false), ruledOut: 'stop' };
  if (!isObject(named) || hasMethod(named, 'then')) {
    // The rejection of a promise would end the process.
    Promise.resolve(named).catch(() => {});
    throw new TypeError(mismatch('classify()', "'retry', 'stop', a failure or undefined", named));
  }
  const { type, retryable, category, status, message, phase } = read.failure;
  const kept = { type, retryable, category, ...(status !== undefined && { status }), message, phase };
  const merged = retyped(read.failure, { ...kept, ...named });
  // The caller may have read the message from the body, which can repeat a key of the request.
  const scrubbed = merged.message === message ? message : redact(merged.message, call.face.secrets);
  const failure = Object.freeze({ ...merged, message: scrubbed });
  return { failure, ruledOut: failure.retryable ? null : read.ruledOut };
}

/**
 * A failure of another type gets the category and the action of that type, unless `classify` has changed them too.
 *
 * @throws TypeError for a type that does not exist, and for a hint that is no time
 */
function retyped(read: Failure, { action, ...named }: Failure): Failure {
  const { type, category, retryable, retryAfterMs } = named;
  if (!isFailureType(type)) throw new TypeError(mismatch('type', 'a failure type in the result of `classify`', type));
  // NaN passes every limit, and the retry would be sent at once.
  if (retryAfterMs !== undefined) expectNumber('classify().retryAfterMs', retryAfterMs);
  const { category: usual, action: advice = null } = type === read.type ? read : TYPES[type];
  const isOwn = action !== undefined && action !== read.action;
  const isNowRetryable = retryable && (!read.retryable || type !== read.type);
  const stated = isOwn ? action : isNowRetryable ? null : advice;
  return {
    ...named,
    category: category === read.category ? usual : category,
    ...(stated !== null && { action: stated }),
  };
}

/** Asks `stopIf`, if there is one. Raced with the abort and `giveUp`; rejects with what it throws. */
export async function permit(
  call: Call<unknown>,
  { failure, failed }: Tried<unknown>,
  decision: Decision,
): Promise<Decision> {
  const { stopIf } = call.policy.config;
  if (!decision.retry || stopIf === undefined) return decision;
  const { delayMs, because } = decision;
  const { error } = failed.result();
  const retry = { ...infoOf(call), ...(error !== undefined && { error }), failure, delayMs, because };
  const [steering, ...others] = call.steerings;
  const held = steering?.hold(Infinity, false, others);
  const givenUp = new Promise<boolean>((resolve) => held?.onEnd(() => resolve(true)));
  try {
    const stops = await raceAbort(Promise.race([(async () => stopIf(retry))(), givenUp]), call.face.signal);
    if (held?.ended !== undefined) return { retry: false, because: 'given-up' };
    return stops ? { retry: false, because: 'refused-by-caller' } : decision;
  } finally {
    held?.withdraw();
  }
}

/** What the functions of the options are told of the call. */
function infoOf(call: Call<unknown>) {
  const { callId, method, url } = call.identity;
  return { callId, method, url, attempt: call.counter.attempts, history: call.history };
}
