/** Moonshot (Kimi): OpenAI's envelope. Too many requests at once are a 403, `permission_error`, that waiting clears. */

import type { Family } from '../family.ts';

export const MOONSHOT: Family = {
  provider: 'moonshot',
  signature: 'moonshot.cn moonshot.ai',
  anyStatus: [['rate_limit', '', 'concurrent request limit|ongoing requests to finish']],
};
