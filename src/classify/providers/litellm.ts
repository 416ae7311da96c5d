/** LiteLLM hands on what the provider said; its own refusals are budgets, which an administrator has to raise. */

import type { Family } from '../family.ts';

export const LITELLM: Family = {
  provider: 'litellm',
  anyStatus: [['quota_exhausted', '', 'budget has been exceeded|(crossed|exceeded) budget']],
};
