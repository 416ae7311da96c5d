/** MiniMax: its own API answers 200 to everything, with `base_resp: { status_code, status_msg }`, where 0 is a success. */

import type { Family } from '../family.ts';

export const MINIMAX: Family = {
  provider: 'minimax',
  signature: 'minimax.io minimaxi.com',
  decisive: [
    ['billing_error', '1008@0'],
    ['quota_exhausted', '2056@0'],
    ['auth_invalid', '(1004|2049)@0'],
    ['content_policy', '(1026|1027)@0', 'new sensitive'],
  ],
  usual: [
    // Requests, tokens, connections.
    ['rate_limit', '(1002|1039|1041)@0'],
    ['timeout', '1001@0'],
    ['invalid_request', '(1042|2013)@0'],
  ],
};
