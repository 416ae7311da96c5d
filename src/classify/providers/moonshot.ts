/** Moonshot (Kimi): OpenAI's envelope. Too many concurrent requests are a temporary 403, `permission_error`. */

import type { Family } from '../family.ts';

export const MOONSHOT: Family = {
  provider: 'moonshot',
  signature: 'moonshot.cn moonshot.ai',
  anyStatus: [['rate_limit', '', 'concurrent request limit']],
};
