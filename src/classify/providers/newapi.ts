/**
 * new-api and one-api, relays that resell access: `type: new_api_error`, often in Chinese. There, a user's quota is a
 * prepaid balance. https://github.com/QuantumNous/new-api, https://github.com/songquanpeng/one-api
 */

import type { Family } from '../family.ts';

export const NEWAPI: Family = {
  provider: 'newapi',
  // 500.
  decisive: [['content_policy', 'sensitive_words_detected']],
  anyStatus: [
    ['quota_exhausted', '', '额度已[用耗][尽完]|quota is not enough'],
    ['account_suspended', '', '(账号|[账用]户)已?被?[封禁]'],
  ],
  usual: [['provider_unavailable', 'get_channel_failed do_request_failed']],
};
