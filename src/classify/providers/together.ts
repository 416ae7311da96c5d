/**
 * Together: plain rate limits have `type: credit_limit`, so this name is ignored: the message and the status decide.
 */

import type { Family } from '../family.ts';

export const TOGETHER: Family = {
  provider: 'together',
  signature: 'together.ai together.xyz',
  decisive: [
    ['model_not_found', 'model_not_available', 'unable to access (non serverless )?model'],
    ['context_too_long', '', 'max new tokens must be'],
  ],
  anyStatus: [['billing_error', '', '(?<!minute )credit limit exceeded']],
};
