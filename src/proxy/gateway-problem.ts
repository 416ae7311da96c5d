/** The response to a call that got none from its target: what happened and how often, without secrets. */

import { classify, type Failure, GateRefusedError, outcomeOf, type RetryConfig } from '../index.ts';
import type { Problem } from './problem.ts';

/** `attempts`: the number of requests sent to the target. `mark`: which problems tell SDKs not to retry. */
export function gatewayProblem(error: unknown, attempts: number, mark: RetryConfig['exhausted']): Problem {
  if (error instanceof GateRefusedError) {
    const { because, message, possibleAt } = error;
    // Without a `Retry-After`, clients retry within a second.
    const seconds = possibleAt === null ? 0 : Math.ceil((possibleAt - Date.now()) / 1_000);
    const headers = { ...markFor(mark, false), ...(seconds > 0 && { 'retry-after': String(seconds) }) };
    return { status: 503, type: 'proxy_refused', code: because, message, attempts, headers };
  }
  // Secrets of the request are masked in the record of an attempt, but not in the error itself.
  const end = outcomeOf(error);
  const failure = end?.history.at(-1)?.failure ?? classify({ error });
  const { type, code } = failure ?? { type: 'unknown' };
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `The target gave no answer in ${count}; the last ended in ${reasonOf(failure)}.`;
  const headers = markFor(mark, failure !== null && !failure.retryable && type !== 'unknown');
  return { status: type === 'timeout' ? 504 : 502, type, code, message, attempts, headers };
}

function markFor(mark: RetryConfig['exhausted'], isPermanent: boolean): Readonly<Record<string, string>> {
  return mark === 'mark' || (mark === 'mark-permanent' && isPermanent) ? { 'x-should-retry': 'false' } : {};
}

function reasonOf(failure: Failure | null): string {
  if (failure === null) return 'an error';
  const { type, message } = failure;
  return message === '' ? type : `${type} (${message.replace(/\.$/, '')})`;
}
