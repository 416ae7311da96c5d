/** Groq: OpenAI's vocabulary. Its daily limits are rolling windows with a correct wait, so they stay rate limits. */

import type { Family } from '../family.ts';

export const GROQ: Family = {
  provider: 'groq',
  headers: 'x-groq-region x-groq-id',
  signature: 'console.groq.com',
  decisive: [
    // 413 with a full bucket: a single request above the limit.
    ['context_too_long', 'rate_limit_exceeded@413'],
    ['model_deprecated', 'model_decommissioned'],
    ['account_suspended', 'organization_restricted'],
  ],
  usual: [['overloaded', '(flex_)?capacity_exceeded']],
};
