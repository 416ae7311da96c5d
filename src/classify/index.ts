/**
 * Turns evidence into a failure: its type, whether this failure may be retried, and after how long. Pure, and never
 * throws for any evidence.
 */

import { readError } from './read-error.ts';
import { OPERATION_WORDING } from './wording.ts';

export { nothingWasSent } from './network-error.ts';
export { readError } from './read-error.ts';
export {
  applyRules,
  found,
  mayMeanLock,
  readFailure,
  type ResponseEvidence,
  type RuledFailure,
  type Verdict,
  withLock,
} from './read-failure.ts';
export { OPERATION_WORDING } from './wording.ts';
export { isRetryableStatusCode, RETRYABLE_STATUS_CODES } from './status.ts';
export { isProgramError } from './thrown.ts';

/**
 * Whether an error may be retried. What decides is its failure, its status with its body and headers, its own
 * `retryable` or `isRetryable`, or else its type. `codes`: the only statuses that are retried, unless the body or the
 * headers say that the failure is permanent.
 */
export function isRetryableError(error: unknown, codes?: readonly number[]): boolean {
  return readError(error, { wording: OPERATION_WORDING, codes }).retryable;
}
