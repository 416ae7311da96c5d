/**
 * Baidu's Qianfan: its first API answers 200 to everything, with `error_code` and `error_msg`. Other providers use the
 * same numbers.
 */

import type { Family } from '../family.ts';

export const BAIDU: Family = {
  provider: 'baidu',
  signature: 'baidu.com baidubce.com',
  decisive: [['quota_exhausted', '', 'open api (daily|total) request limit']],
  usual: [['rate_limit', '', 'open api( qps)? request limit']],
};
