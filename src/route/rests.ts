/** How long a target or a key rests after a failure that names no time. */

import { expectTypes, type FailureType } from '../failure/failure.ts';
import { expectNumber, givenOptions } from '../runtime/expect.ts';

type Rests = Readonly<Partial<Record<FailureType, number>>>;

const HALF_AN_HOUR = 1_800_000;
const FOR_EVER: number = Infinity;

/** Of a target in a chain. It is asked again where its key may have been replaced. */
export const TARGET_REST_MS: Rests = {
  rate_limit: 60_000,
  quota_exhausted: HALF_AN_HOUR,
  billing_error: HALF_AN_HOUR,
  auth_invalid: HALF_AN_HOUR,
  account_suspended: HALF_AN_HOUR,
};

/** Of a key. Other failures have nothing to do with it. */
export const REST_MS: Rests = { ...TARGET_REST_MS, auth_invalid: FOR_EVER, account_suspended: FOR_EVER };

/** The usual rests, and over them those that the caller has given. */
export const restsOver = (usual: Rests, given: Rests = {}): Rests => ({ ...usual, ...givenOptions(given) });

export function expectRests(name: string, value: unknown): void {
  for (const [type, ms] of expectTypes(name, value, 'an object such as { rate_limit: 60_000 }')) {
    if (ms !== undefined) expectNumber(`${name}.${type}`, ms, { max: FOR_EVER });
  }
}
