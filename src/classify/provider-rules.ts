/** What no table of `providers.ts` can express: what single members of bodies say, and rules about single messages. */

import type { FailureType } from '../failure/failure.ts';
import type { Member } from '../hints/body.ts';
import type { Details, Evidence, Reading } from './family.ts';
import { isShortWindow, LONGEST_WAIT_MS, NEVER, NEVER_ADMITTED } from './limits.ts';
import { isRetryableStatusCode, typeOfStatus } from './status.ts';

const OF_GOOGLE =
  /^(RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|CANCELLED|INVALID_ARGUMENT|FAILED_PRECONDITION|NOT_FOUND|PERMISSION_DENIED|UNAUTHENTICATED)$/;
const GOOGLE_QUOTA = /^quota(id|value|_limit|_limit_value)$/;
const MAX_QUOTA = 128;
const QUOTA_NAME = /(quota|(usage|spend)limit)(exceeded|exhausted|reached)@(0|40[0-3])\|/;

/** Keeps what a member says. */
export function keepDetails(details: Details, { key, value, envelope, owner }: Member): void {
  const words = typeof value === 'string' ? value : '';
  if (/^(limit_source|provider_name|availability)$/.test(key)) details.provider = 'openrouter';
  if (key === 'cloudflare_error') details.provider = 'cloudflare';
  if (key === 'request_id' && words.startsWith('req_')) details.provider ??= 'anthropic';
  if (key === '@type' || (key === 'status' && OF_GOOGLE.test(words))) details.isGoogle = true;
  if (GOOGLE_QUOTA.test(key)) details.quotas += `${key}:${words.slice(0, MAX_QUOTA)};`;
  if (key !== 'retryable' || typeof value !== 'boolean') return;
  if (envelope === 'availability' || Object.hasOwn(owner, 'cloudflare_error')) details.retryable = value;
  // A server that rules a retry out is right; one that offers it often says so of every failure.
  else if (!value) details.retryable ??= false;
}

/**
 * The reading by the rule of a provider. Asked after the search for decisive names, whose result is `named`; `waitMs` is the
 * wait that the server asked for.
 */
export function readByRule(evidence: Evidence, waitMs: number, named: FailureType | undefined): Reading | undefined {
  const { status, names, text, provider } = evidence;
  // Alibaba: https://www.alibabacloud.com/help/en/model-studio/error-code#token-limit
  if ((status === 429 || status === 0) && text.includes('errorcode#tokenlimit')) return { type: 'rate_limit' };
  // Azure: "Retry after 86400 seconds" is the answer to a single request above the tokens per minute, on any day.
  if (named === undefined && /(?:after|in)86400seconds/.test(text))
    return { type: 'rate_limit', retryable: false, action: NEVER_ADMITTED };
  // Bedrock: an InternalServerException that a gateway has turned into a 400 without its name.
  if (!/[a-z]/.test(names) && text.includes('encounteredanunexpectederrorduringprocessing'))
    return { type: 'server_error' };
  // Cloudflare: the status describes the state of the origin more exactly than the text.
  if (provider === 'cloudflare' && status >= 520)
    return { type: typeOfStatus(status), retryable: isRetryableStatusCode(status) };
  if (named !== undefined) return undefined;
  const ofGoogle = googleLimit(evidence, waitMs);
  if (ofGoogle !== undefined) return { type: ofGoogle };
  // A refusal that names a quota is about that quota, except for one that renews within a minute.
  return QUOTA_NAME.test(names) ? { type: isShortWindow(text) ? 'rate_limit' : 'quota_exhausted' } : undefined;
}

/** The meaning of one of Google's limits; undefined for other errors, and if only general rules apply. */
function googleLimit({ status, names, text, quotas, isGoogle }: Evidence, waitMs: number): FailureType | undefined {
  if (!isGoogle) return undefined;
  if (/per.?day|value:0;/i.test(quotas)) return 'quota_exhausted';
  if ((status !== 429 && !names.includes('|resourceexhausted@')) || NEVER.test(text)) return undefined;
  // A gateway or an SDK may have turned the details into text.
  if (quotas === '' && /perday|dailyquota/.test(text) && !/per(?:min|sec)/.test(text)) return 'quota_exhausted';
  if (/prepaymentcredits|creditsaredepleted/.test(text)) return 'billing_error';
  if (/spendingcap|doesnthaveafreequota/.test(text)) return 'quota_exhausted';
  return text.includes('quotawillreset') && waitMs > LONGEST_WAIT_MS ? 'quota_exhausted' : 'rate_limit';
}
