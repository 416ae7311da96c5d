/** xAI: `error` is a text and `code` a sentence; spent credits are 403 or 429, a wrong key is 400. */

import type { Family } from '../family.ts';

export const XAI: Family = {
  provider: 'xai',
  signature: 'console.x.ai grok.com',

  anyStatus: [
    ['billing_error', '', '(have|has) any credits|out of credits|used all available credits'],
    ['quota_exhausted', '', 'free usage quota|included free usage'],
  ],
};
