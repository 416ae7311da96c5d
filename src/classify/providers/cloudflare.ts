/** Cloudflare, in front of many servers: pages, `error code: 524`, and problem JSON with `cloudflare_error`. */

import type { Family, Keep, Rule } from '../family.ts';
import { isRetryableStatusCode, typeOfStatus } from '../status.ts';

export const CLOUDFLARE: Family = {
  provider: 'cloudflare',
  decisive: [['permission_denied', 'browser_signature_banned access_denied']],
  usual: [['timeout', 'origin_timeout connection_timed_out']],
};

// The status describes the state of the origin more exactly than the text.
export const rule: Rule = ({ provider, status }) =>
  provider === 'cloudflare' && status >= 520
    ? { type: typeOfStatus(status), retryable: isRetryableStatusCode(status) }
    : undefined;

export const keep: Keep = (details, { key, value, owner }) => {
  if (key === 'cloudflare_error') details.provider = 'cloudflare';
  if (key === 'retryable' && typeof value === 'boolean' && Object.hasOwn(owner, 'cloudflare_error'))
    details.retryable = value;
};
