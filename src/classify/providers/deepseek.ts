/** DeepSeek: `code: invalid_request_error` for everything; 402 for the balance, and wording for the rest. */

import type { Family } from '../family.ts';

export const DEEPSEEK: Family = {
  provider: 'deepseek',
  signature: 'deepseek.com',
  decisive: [['model_not_found', '', 'model not exist']],
  anyStatus: [['billing_error', '', 'insufficient (account )?(balance|credit|fund)|balance is insufficient']],
};
