/** Zhipu (GLM, z.ai): every limit is a 429 with a number for its kind; the messages are often Chinese. */

import type { Family } from '../family.ts';

export const ZHIPU: Family = {
  provider: 'zhipu',
  signature: 'bigmodel.cn z.ai/',
  decisive: [
    ['billing_error', '1113@(400|429)'],
    // The calls of a day, some hours of a plan, the plan itself, its week and its month.
    ['quota_exhausted', '(1304|1308|1309|1310|1316|1317)@429'],
    // Locked, or limited for unfair use until an appeal succeeds.
    ['account_suspended', '(1112|1121|1313)@(401|403|429)'],
    ['content_policy', '1301@(400|429)'],
    ['context_too_long', '1261@400'],
    ['model_not_found', '1211@400'],
    ['permission_denied', '1311@(403|429)'],
  ],
};
