/** Volcengine Ark (Doubao): OpenAI's envelope, where the limits that a person has set and the hours of a plan are 429 as well. */

import type { Family } from '../family.ts';

export const VOLCENGINE: Family = {
  provider: 'volcengine',
  signature: 'volcengine.com volces.com',
  // Not `QuotaExceeded`, which it says of a full queue too.
  decisive: [['quota_exhausted', 'AccountQuotaExceeded SetLimitExceeded']],
};
