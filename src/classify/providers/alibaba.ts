/**
 * Alibaba's Model Studio (DashScope, Qwen): its own names in `code`, or OpenAI's envelope. A limit on tokens that ends
 * within a minute has OpenAI's message for a spent quota; only the link in the message distinguishes it.
 */

import type { Family, Rule } from '../family.ts';

export const ALIBABA: Family = {
  provider: 'alibaba',
  signature: 'help.aliyun.com alibabacloud.com',
  decisive: [
    ['billing_error', 'Arrearage'],
    ['content_policy', 'DataInspectionFailed'],
    ['context_too_long', '', 'input length should be'],
  ],
  anyStatus: [['quota_exhausted', '', 'free allocated quota']],
  usual: [
    ['rate_limit', 'Throttling(\\.\\w+)?'],
    ['invalid_request', 'InvalidParameter@0'],
  ],
};

// https://www.alibabacloud.com/help/en/model-studio/error-code#token-limit
export const rule: Rule = ({ status, text }) =>
  (status === 429 || status === 0) && text.includes('errorcode#tokenlimit') ? { type: 'rate_limit' } : undefined;
