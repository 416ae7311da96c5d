/** A call that ended in no response, as an answer: what happened and how often, without a secret. */

import { classify, type Failure, GateRefusedError, retryHistory } from '../index.ts';
import type { Problem } from './problem.ts';

/** `attempts`: the requests that the target was sent. `isFinal`: SDKs are told not to start over. */
export function gatewayProblem(error: unknown, attempts: number, isFinal: boolean): Problem {
  const headers = isFinal ? { 'x-should-retry': 'false' } : {};
  if (error instanceof GateRefusedError) {
    return { status: 503, type: 'proxy_refused', code: error.reason, message: error.message, attempts, headers };
  }
  // The record of an attempt is scrubbed of what the request carried, which the error itself is not.
  const history = typeof error === 'object' && error !== null ? retryHistory(error) : [];
  const failure = history.at(-1)?.failure ?? classify({ error });
  const { type, code } = failure ?? { type: 'unknown' };
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `The target gave no answer in ${count}; the last ended in ${reasonOf(failure)}.`;
  return { status: type === 'timeout' ? 504 : 502, type, code, message, attempts, headers };
}

function reasonOf(failure: Failure | null): string {
  if (failure === null) return 'an error';
  const { type, message } = failure;
  return message === '' ? type : `${type} (${message.replace(/\.$/, '')})`;
}
