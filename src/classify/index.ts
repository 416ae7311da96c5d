/**
 * Turns evidence into a failure: its type, whether this failure may be retried, and after how long. Pure, and never
 * throws for any evidence.
 */

import { get } from '../hints/json.ts';
import { failureIn, readError, statusOf } from './network-error.ts';
import { isRetryableStatusCode } from './status.ts';
import { OPERATION_WORDING } from './wording.ts';

export { isProgramError, markAttemptTimeout, readError, wasNotSent } from './network-error.ts';
export type { Wording } from './quote.ts';
export {
  applyRules,
  type ErrorContent,
  readFailure,
  type ResponseEvidence,
  type RuledFailure,
  type Verdict,
} from './read-failure.ts';
export { OPERATION_WORDING } from './wording.ts';
export { isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './status.ts';

/**
 * Whether an error may be retried: by its failure, its status, its own `retryable` or `isRetryable`, or else by its
 * type. `codes` replaces the rule for statuses.
 */
export function isRetryableError(error: unknown, codes?: readonly number[]): boolean {
  const marked = failureIn(error);
  if (marked !== null) return marked.retryable;
  const status = statusOf(error);
  if (status > 0 && get(error, 'name') !== 'AbortError') return isRetryableStatusCode(status, codes);
  return readError(error, { wording: OPERATION_WORDING }).retryable;
}
