/** The end of a call: what the caller gets, the last event, and the release of everything that the call holds. */

import { readError } from '../classify/index.ts';
import { failureBody, rememberBody } from '../failure/failure-body.ts';
import type { StopReason } from '../failure/reasons.ts';
import { adviceOn } from '../options/operation.ts';
import { notify } from '../events/events.ts';
import { type Ended, forgetEnd, rememberEnd, rememberRecovery } from '../events/outcome-of.ts';
import { reasonOf } from '../runtime/abort.ts';
import type { Call } from './call.ts';
import type { GivenUp, Settled, StopDetails } from './face.ts';
import { type End, isAbort, returned, stopped, type StoppedEnd, type Succeeded, threw, type Tried } from './steps.ts';

/** The end of a call that succeeded. */
export function recovered<R>(call: Call<R>, succeeded: Succeeded<R>): R {
  const { value } = succeeded;
  call.route?.report(call.nowMs, { type: 'success', ...call.face.gateFacts(value) });
  if (call.counter.attempts > 1) {
    call.record(succeeded, null);
    const ended = call.end({ type: 'recovered', ...call.summary });
    if (call.face.remembersValues) rememberRecovery(value, ended);
  } else if (call.face.remembersValues) forgetEnd(value);
  return value;
}

/** The end of every other call: returns the last value, or throws. */
export function givenUp<R>(call: Call<R>, end: End<R>): R {
  const { face } = call;
  if (end.how === 'aborted') return abandoned(call, end.settled);
  const { last } = end;
  if (call.counter.attempts === 0) face.unsent?.(face.signal?.aborted === true ? reasonOf(face.signal) : end.error);
  if (face.signal?.aborted === true) {
    last?.failed?.discard();
    // A client with a time limit may end the call in its wait, and send it again at once.
    const failure = call.lastFailure;
    if (failure !== undefined && call.records.at(-1)?.delayMs !== null)
      face.gaveUp?.({ failure, failed: undefined, history: call.history, notBefore: call.waitsUntil });
    return abandoned(call, { error: reasonOf(face.signal) });
  }
  if (end.how === 'stopped' && end.last !== undefined) {
    const { failed, failure } = end.last;
    const ended = announceEnd(call, end.reason, end.last);
    let settled: Settled<R>;
    try {
      settled = { value: failed.end(failure, end.reason, call.history) };
    } catch (error) {
      settled = { error };
    }
    return handOver(call, settled, ended);
  }
  // A function from the options threw, an injected sleep rejected, or the first attempt was never sent.
  const { error } = end;
  const reason: StopDetails = end.how === 'stopped' ? end.reason : { because: 'refused-by-caller' };
  const failure = last?.failure ?? readError(error, { secrets: face.secrets });
  if (last !== undefined && call.records.length < call.counter.attempts) call.record(last, failure);
  last?.failed?.discard();
  const ended = call.end({ type: 'failed', ...call.summary, ...reason, failure: call.lastFailure ?? failure });
  return handOver(call, { error }, ended);
}

/** The end of a call that the caller aborted. */
function abandoned<R>(call: Call<R>, settled: Settled<R>): R {
  const facts = 'value' in settled ? call.face.gateFacts(settled.value) : undefined;
  if (facts !== undefined) call.route?.report(call.nowMs, { type: 'success', ...facts });
  return handOver(call, settled, call.end({ type: 'cancelled', ...call.summary }));
}

/** Returns or throws what the caller gets, and stores by it how the call ended. */
function handOver<R>({ face }: Call<R>, settled: Settled<R>, ended: Ended): R {
  if ('error' in settled) {
    rememberEnd(settled.error, ended);
    throw settled.error;
  }
  if (face.remembersValues) rememberEnd(settled.value, ended);
  return settled.value;
}

/** The end of a call that repeats one that was given up, and is not sent. */
export async function answeredBefore<R>(call: Call<R>, before: GivenUp<R>, { reason }: StoppedEnd<R>): Promise<R> {
  const { failure, history, isTold } = before;
  const ended = call.end({ type: 'failed', ...call.summary, history, ...reason, failure }, isTold);
  leave(call);
  return handOver(call, await before.answer().then(returned<R>, threw), ended);
}

/** Releases everything, after the last event. */
export function leave(call: Call<unknown>): void {
  call.face.release?.();
  call.route?.leave(call.nowMs);
  call.endRetrying?.();
}

function announceEnd<R>(call: Call<R>, reason: StopDetails, { failure, error, failed }: Tried<R>): Ended {
  const { policy, counter, face } = call;
  // The abort came from another signal than the caller's, so the server did not fail.
  if (isAbort(failure) && failed.isThrown) return call.end({ type: 'cancelled', ...call.summary });
  if (failure.retryable && error !== undefined)
    for (const listener of policy.onExhausted) notify(listener, error, counter.attempts);
  // A person who gives a call up does not bind a later one.
  if (reason.because !== 'given-up')
    face.gaveUp?.({ failure, failed, history: call.history, notBefore: reason.possibleAt ?? 0 });
  return call.end({ type: 'failed', ...call.summary, ...reason, failure });
}

/** Ends a call after a failure. `restMs`: how long all other targets rest. `possibleAt`: when the gate lets it through. */
export function stopAfterFailure<R>(
  call: Call<R>,
  failed: Tried<R>,
  because: StopReason,
  restMs: number | undefined,
  possibleAt?: number,
): End<R> {
  const tried = withAdvice(call, failed, because);
  const { failure } = tried;
  const ownMs = call.route?.rest?.(call.nowMs, failure, false);
  call.record(tried, failure);
  return stopped(tried, because, possibleAt ?? namedTime(tried, ownMs, restMs));
}

/** A label that is not known stops retries, which the person who misspelt it has to see. */
function withAdvice<R>(call: Call<R>, tried: Tried<R>, because: StopReason): Tried<R> {
  const action = because === 'irreversible-operation' ? adviceOn(call.face.operation) : undefined;
  if (action === undefined) return tried;
  const failure = Object.freeze({ ...tried.failure, action });
  const body = failureBody(tried.failure);
  if (body !== undefined) rememberBody(failure, body);
  return { ...tried, failure };
}

/**
 * When whichever target is free first takes the next attempt; undefined if neither the server nor a rest says so. `ownMs`:
 * how long the targets of the call rest, which may be longer than this failure says.
 */
export function namedTime(
  { endedAt, failure }: Tried<unknown>,
  ownMs: number | undefined,
  restMs: number | undefined,
): number | undefined {
  const waitMs = Math.min(ownMs ?? failure.retryAfterMs ?? Infinity, restMs || Infinity);
  return waitMs === Infinity ? undefined : endedAt + waitMs;
}
