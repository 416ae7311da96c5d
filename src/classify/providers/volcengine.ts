/**
 * Volcengine Ark (Doubao): OpenAI's envelope. Limits that a person has set and the hourly limits of a plan are 429 too.
 */

import type { Family } from '../family.ts';

export const VOLCENGINE: Family = {
  provider: 'volcengine',
  signature: 'volcengine.com volces.com',
  // Not `QuotaExceeded`, which also means a full queue.
  decisive: [['quota_exhausted', 'AccountQuotaExceeded SetLimitExceeded']],
};
