/** Envoy answers for a provider that it cannot reach. */

import type { Family } from '../family.ts';

export const ENVOY: Family = {
  provider: 'envoy',
  signature: 'upstreamconnecterror nohealthyupstream upstreamrequesttimeout',
  usual: [['provider_unavailable', '', 'upstream connect error|no healthy upstream']],
};
