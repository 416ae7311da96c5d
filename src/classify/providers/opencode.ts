/** OpenCode's gateway: Anthropic's envelope with its own names. */

import type { Family } from '../family.ts';

export const OPENCODE: Family = {
  provider: 'opencode',
  decisive: [
    ['quota_exhausted', '\\w+UsageLimitError MonthlyLimitError UserLimitError'],
    ['billing_error', 'CreditsError'],
  ],
};
