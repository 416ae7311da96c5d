/**
 * Google: Gemini, Vertex and Cloud Code. Every limit is `429 RESOURCE_EXHAUSTED`, and on the free tier the message of a
 * per-minute limit also begins with "You exceeded your current quota, please check your plan and billing details". Only
 * the details show whether the limit is per minute, per day or 0.
 */

import type { FailureType } from '../../failure/failure.ts';
import type { Evidence, Family, Keep, Rule } from '../family.ts';
import { LONGEST_WAIT_MS, NEVER } from '../limits.ts';

export const GOOGLE: Family = {
  provider: 'google',
  signature: 'ai.google.dev',
  decisive: [
    ['quota_exhausted', 'QUOTA_EXHAUSTED dailyLimitExceeded INSUFFICIENT_G1_CREDITS_BALANCE'],
    ['account_suspended', 'CONSUMER_SUSPENDED'],
    ['billing_error', 'BILLING_DISABLED', 'requires billing|enable billing'],
    ['auth_invalid', 'API_KEY_INVALID ACCESS_TOKEN_EXPIRED', 'reported as leaked'],
    ['permission_denied', 'SERVICE_DISABLED API_KEY_SERVICE_BLOCKED', 'location is not supported'],
    ['overloaded', 'MODEL_CAPACITY_EXHAUSTED'],
  ],
  usual: [
    ['rate_limit', 'RESOURCE_EXHAUSTED'],
    ['overloaded', 'UNAVAILABLE', 'high demand'],
    ['timeout', 'DEADLINE_EXCEEDED'],
    // 499 CANCELLED comes from the server: a request that the caller cancels gets no answer.
    ['server_error', 'CANCELLED'],
    ['auth_invalid', 'UNAUTHENTICATED'],
    ['permission_denied', 'PERMISSION_DENIED'],
    ['model_not_found', 'NOT_FOUND'],
    ['unsupported_feature', 'UNIMPLEMENTED'],
  ],
  alone: [['stream_interrupted', '', 'without valid content']],
};

const STATUS =
  /^(RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|CANCELLED|INVALID_ARGUMENT|FAILED_PRECONDITION|NOT_FOUND|PERMISSION_DENIED|UNAUTHENTICATED)$/;
const QUOTA = /^quota(id|value|_limit|_limit_value)$/;
const MAX_QUOTA = 128;

export const keep: Keep = (details, { key, value }) => {
  const words = typeof value === 'string' ? value : '';
  if (key === '@type' || (key === 'status' && STATUS.test(words))) details.isGoogle = true;
  if (QUOTA.test(key)) details.quotas += `${key}:${words.slice(0, MAX_QUOTA)};`;
};

const DAILY = /perday|dailyquota/;

export const rule: Rule = (evidence, waitMs, named) => {
  const type = named === undefined ? limitOf(evidence, waitMs) : undefined;
  return type === undefined ? undefined : { type };
};

/** The meaning of one of Google's limits; undefined for other errors, and if only general rules apply. */
function limitOf({ status, names, text, quotas, isGoogle }: Evidence, waitMs: number): FailureType | undefined {
  if (!isGoogle) return undefined;
  if (/per.?day|value:0;/i.test(quotas)) return 'quota_exhausted';
  if ((status !== 429 && !names.includes('|resourceexhausted@')) || NEVER.test(text)) return undefined;
  // A gateway or an SDK may have turned the details into text.
  if (quotas === '' && DAILY.test(text) && !/per(?:min|sec)/.test(text)) return 'quota_exhausted';
  if (/prepaymentcredits|creditsaredepleted/.test(text)) return 'billing_error';
  if (/spendingcap|doesnthaveafreequota/.test(text)) return 'quota_exhausted';
  return text.includes('quotawillreset') && waitMs > LONGEST_WAIT_MS ? 'quota_exhausted' : 'rate_limit';
}
