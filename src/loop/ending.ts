/** The end of a call: what the caller gets, the last event, and the release of everything that the call holds. */

import { readError } from '../classify/index.ts';
import { notify } from '../events/events.ts';
import { rememberHistory } from '../failure/history.ts';
import { RetryExhaustedError } from '../failure/http-status-error.ts';
import { reasonOf } from '../runtime/abort.ts';
import type { Succeeded } from './attempt.ts';
import {
  type Call,
  type End,
  type Failed,
  gateNow,
  historyOf,
  lastFailure,
  record,
  type StopDetails,
  summaryOf,
} from './call.ts';
import type { AttemptOutcome } from './exchange.ts';
import { markFinal } from './mark-final.ts';
import { discardResponse, hasSucceeded, headersOf } from './judge.ts';
import { watchStream } from './watch-stream.ts';

/** The end of a call that succeeded. Returns the same response object. */
export function recovered<R>(call: Call<R>, succeeded: Succeeded<R>): R {
  const { response } = succeeded.outcome;
  const { signal } = call.exchange;
  call.route?.report(gateNow(call), { type: 'success', headers: headersOf(succeeded.outcome), response, signal });
  if (call.attempts > 1) {
    record(call, succeeded, null);
    rememberHistory(response, historyOf(call));
    call.announcer.emit({ type: 'recovered', ...summaryOf(call) });
  }
  if (succeeded.outcome.isWhole !== true) watchStream(call, response, succeeded, false);
  return response;
}

/** The end of every other call: returns the last response, or throws. */
export function givenUp<R>(call: Call<R>, end: End<R>): R {
  const { exchange, announcer } = call;
  if (end.how === 'aborted') return abandoned(call, end.outcome);
  const { last } = end;
  if (exchange.signal?.aborted === true) {
    discardResponse(last?.outcome);
    return abandoned(call, { error: reasonOf(exchange.signal) });
  }
  if (end.how === 'stopped' && end.last !== undefined) {
    announceEnd(call, end.reason, end.last);
    return giveBack(call, end.reason, end.last);
  }
  // A function from the options threw, an injected sleep rejected, or the first attempt was never sent.
  const { error } = end;
  const reason: StopDetails = end.how === 'stopped' ? end.reason : { because: 'refused-by-caller' };
  const failure = last?.kind === 'failed' ? last.failure : readError(error, { secrets: announcer.secrets });
  if (last !== undefined && call.records.length < call.attempts) record(call, last, failure);
  discardResponse(last?.outcome);
  rememberHistory(error, historyOf(call));
  announcer.emit({ type: 'failed', ...summaryOf(call), ...reason, failure: lastFailure(call) ?? failure });
  throw error;
}

/** The end of a call that the caller aborted. */
function abandoned<R>(call: Call<R>, outcome: AttemptOutcome<R>): R {
  const isResponse = 'response' in outcome;
  if (isResponse && hasSucceeded(outcome)) {
    const { response } = outcome;
    const { signal } = call.exchange;
    call.route?.report(gateNow(call), { type: 'success', headers: headersOf(outcome), response, signal });
  }
  rememberHistory(isResponse ? outcome.response : outcome.error, historyOf(call));
  call.announcer.emit({ type: 'cancelled', ...summaryOf(call) });
  if (isResponse) return outcome.response;
  throw outcome.error;
}

/** Releases everything, after the last event. */
export function leave(call: Call<unknown>): void {
  call.exchange.release();
  call.route?.leave(gateNow(call));
  call.endRetrying?.();
}

function announceEnd<R>(call: Call<R>, reason: StopDetails, { failure, error, outcome }: Failed<R>): void {
  const { policy, announcer, attempts } = call;
  if (failure.type === 'aborted' && 'error' in outcome) {
    // The abort came from another signal than the caller's, so the server did not fail.
    announcer.emit({ type: 'cancelled', ...summaryOf(call) });
    return;
  }
  if (failure.retryable && error !== undefined) notify(policy.config.onExhausted, error, attempts);
  call.exchange.gaveUp?.({ failure, outcome, history: historyOf(call), notBefore: reason.possibleAt ?? 0 });
  announcer.emit({ type: 'failed', ...summaryOf(call), ...reason, failure });
}

/** Returns the last response, or throws: the original error, or a `RetryExhaustedError` with `throwOnExhausted`. */
function giveBack<R>(call: Call<R>, reason: StopDetails, failed: Failed<R>): R {
  const { outcome, failure } = failed;
  const { throwOnExhausted, markFinalResponse } = call.policy.config;
  const history = historyOf(call);
  if ('error' in outcome) {
    rememberHistory(outcome.error, history);
    throw outcome.error;
  }
  const isMarked = markFinalResponse === true || (markFinalResponse === 'permanent' && !failure.retryable);
  const response = isMarked ? markFinal(outcome.response) : outcome.response;
  rememberHistory(response, history);
  if (outcome.inBand !== undefined) watchStream(call, response, failed, true);
  if (throwOnExhausted !== true || !failure.retryable) return response;
  const error = new RetryExhaustedError(failure.status ?? 0, response, history, reason);
  rememberHistory(error, history);
  throw error;
}
