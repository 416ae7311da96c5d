/** The end of a call: what the caller gets, the last event, and the release of everything that the call holds. */

import { readError } from '../classify/index.ts';
import { notify } from '../events/events.ts';
import type { Failure } from '../failure/failure.ts';
import { rememberHistory, type StopReason } from '../failure/history.ts';
import { type GivenUp, RetryExhaustedError } from '../failure/http-status-error.ts';
import { discard } from '../stream/response-body.ts';
import { reasonOf } from '../failure/abort.ts';
import { type Call, gateNow, historyOf, lastFailure, record, summaryOf } from './call.ts';
import { markFinal } from './mark-final.ts';
import type { AttemptOutcome } from './exchange.ts';
import { headersOf } from './outcome.ts';

/** The end of a call that succeeded. Returns the same response object. */
export function recovered<R>(call: Call<R>, response: R): R {
  call.route?.succeeded(gateNow(call), headersOf(call.outcome));
  if (call.attempts > 1) {
    record(call, null);
    rememberHistory(response, historyOf(call));
    call.announcer.emit({ type: 'recovered', ...summaryOf(call) });
  }
  return response;
}

/** The end of every other call: returns the last response, or throws. */
export function givenUp<R>(call: Call<R>): R {
  const { plan, outcome, failed, exchange } = call;
  if (exchange.signal?.aborted === true) {
    if (outcome !== undefined && 'response' in outcome) discard(outcome.response);
    call.announcer.emit({ type: 'cancelled', ...summaryOf(call) });
    throw reasonOf(exchange.signal);
  }
  if (plan.kind === 'stop' && outcome !== undefined && failed !== undefined) {
    return endAfter(call, plan.because, plan.possibleAt, outcome, failed.failure, failed.error);
  }
  // A function from the options threw, an injected sleep rejected, or the first attempt was never sent.
  const [error, because, possibleAt] =
    plan.kind === 'stop'
      ? ([plan.error, plan.because, plan.possibleAt] as const)
      : ([plan.kind === 'broken' ? plan.error : undefined, 'refused-by-caller', null] as const);
  const failure = failed?.failure ?? readError(error, { secrets: call.announcer.secrets });
  if (call.records.length < call.attempts) record(call, failure);
  if (outcome !== undefined && 'response' in outcome) discard(outcome.response);
  rememberHistory(error, historyOf(call));
  emitFailed(call, because, possibleAt, lastFailure(call) ?? failure);
  throw error;
}

/** Releases everything, after the last event. */
export function leave(call: Call<unknown>): void {
  call.limit?.clear();
  call.exchange.release();
  call.route?.leave(gateNow(call));
  call.endRetrying?.();
}

function endAfter<R>(
  call: Call<R>,
  because: StopReason,
  possibleAt: number | null,
  outcome: AttemptOutcome<R>,
  failure: Failure,
  error: Error | undefined,
): R {
  const { policy, announcer, attempts } = call;
  if (failure.type === 'aborted' && 'error' in outcome) {
    // The abort came from another signal than the caller's, so the server did not fail.
    announcer.emit({ type: 'cancelled', ...summaryOf(call) });
  } else {
    if (failure.retryable && error !== undefined) notify(policy.config.onExhausted, error, attempts);
    emitFailed(call, because, possibleAt, failure);
  }
  return giveBack(call, outcome, failure, { because, possibleAt: possibleAt ?? undefined });
}

/** Returns the last response, or throws: the original error, or a `RetryExhaustedError` with `throwOnExhausted`. */
function giveBack<R>(call: Call<R>, outcome: AttemptOutcome<R>, failure: Failure, reason: GivenUp): R {
  const { throwOnExhausted, markFinalResponse } = call.policy.config;
  const history = historyOf(call);
  if ('error' in outcome) {
    rememberHistory(outcome.error, history);
    throw outcome.error;
  }
  const isMarked = markFinalResponse === true || (markFinalResponse === 'permanent' && !failure.retryable);
  const response = isMarked ? markFinal(outcome.response) : outcome.response;
  rememberHistory(response, history);
  if (throwOnExhausted !== true || !failure.retryable) return response;
  const error = new RetryExhaustedError(failure.status ?? 0, response, history, reason);
  rememberHistory(error, history);
  throw error;
}

function emitFailed(call: Call<unknown>, because: StopReason, possibleAt: number | null, failure: Failure): void {
  const details = { ...summaryOf(call), because, failure };
  call.announcer.emit({ type: 'failed', ...details, ...(possibleAt !== null && { possibleAt }) });
}
