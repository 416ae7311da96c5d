/** Tencent Cloud (Hunyuan): a 200 with `{ Response: { Error: { Code, Message } } }`. */

import type { Family } from '../family.ts';

export const TENCENT: Family = {
  provider: 'tencent',
  signature: 'tencentcloudapi.com cloud.tencent.com',
  decisive: [['quota_exhausted', 'FailedOperation\\.(Free)?ResourcePackExhausted']],
  usual: [['rate_limit', 'RequestLimitExceeded(\\.\\w+)?']],
};
