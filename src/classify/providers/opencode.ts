/** OpenCode's gateway answers in Anthropic's envelope with names of its own. */

import type { Family } from '../family.ts';

export const OPENCODE: Family = {
  provider: 'opencode',
  decisive: [
    ['quota_exhausted', '\\w+UsageLimitError MonthlyLimitError UserLimitError'],
    ['billing_error', 'CreditsError', 'no payment method'],
  ],
};
