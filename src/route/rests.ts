/** How long a target rests after a failure that names no time. */

import type { FailureType } from '../failure/failure.ts';

export const FOR_EVER: number = Number.POSITIVE_INFINITY;

/** How long a key rests, by type of failure. Other failures have nothing to do with the key. */
export const REST_MS: Readonly<Partial<Record<FailureType, number>>> = {
  rate_limit: 60_000,
  quota_exhausted: 1_800_000,
  billing_error: 1_800_000,
  auth_invalid: FOR_EVER,
  account_suspended: FOR_EVER,
};
