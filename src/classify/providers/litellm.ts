/** LiteLLM passes on the provider's error; its own refusals are budgets, which an administrator must raise. */

import type { Family } from '../family.ts';

export const LITELLM: Family = {
  provider: 'litellm',
  anyStatus: [['quota_exhausted', '', 'budget has been exceeded|(crossed|exceeded) budget']],
};
