/** The failures of the simulated server, as the library reads them. */

import { classify } from '../../src/stream/classify.ts';
import type { Failure } from '../../src/failure/failure.ts';

function failureOf(outcome: Parameters<typeof classify>[0]): Failure {
  const failure = classify(outcome);
  if (failure === null) throw new Error('Expected a failure.');
  return failure;
}

export const unavailable: Failure = failureOf({ status: 503 });

export const rateLimited: Failure = failureOf({ status: 429, headers: { 'retry-after': '5' } });

/** What an attempt that took too long is to its client. */
export const timedOut: Failure = failureOf({ status: 504 });
