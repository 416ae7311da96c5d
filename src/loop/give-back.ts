/** What the caller gets in the end: what came last, as it came, and the history behind it. */

import type { AttemptRecord } from '../failure/history.ts';
import type { Settled } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import { RetryExhaustedError } from '../failure/http-status-error.ts';
import { rememberHistory } from '../failure/history.ts';
import { markFinal } from './mark-final.ts';
import type { Policy } from '../policy/policy.ts';

/** Hands back the last response, or throws: the very error, or `RetryExhaustedError` for those who asked for it. */
export function giveBack<R>(
  settled: Settled<R>,
  failure: Failure,
  { config: { throwOnExhausted, markFinalResponse } }: Policy,
  history: readonly AttemptRecord[],
): R {
  if ('error' in settled) {
    rememberHistory(settled.error, history);
    throw settled.error;
  }
  const response = markFinalResponse === true ? markFinal(settled.response) : settled.response;
  rememberHistory(response, history);
  if (throwOnExhausted !== true || !failure.retryable) return response;
  const error = new RetryExhaustedError(failure.status ?? 0, response, history);
  rememberHistory(error, history);
  throw error;
}
