/** Cloudflare, in front of many: pages, `error code: 524`, and problem JSON with `cloudflare_error`. */

import type { Family } from '../family.ts';

export const CLOUDFLARE: Family = {
  provider: 'cloudflare',
  decisive: [['permission_denied', 'browser_signature_banned access_denied']],
  usual: [
    ['timeout', 'origin_timeout connection_timed_out'],
    ['provider_unavailable', 'origin_(unreachable|unknown_error|web_server_down)'],
  ],
};
