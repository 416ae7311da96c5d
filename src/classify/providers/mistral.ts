/**
 * Mistral: no `error` object; code, type and message are at the top. For capacity its type is wrong, but the message is
 * right.
 */

import type { Family } from '../family.ts';

export const MISTRAL: Family = {
  provider: 'mistral',
  headers: 'mistral-correlation-id x-mistral-correlation-id',
  signature: 'mistral.ai',
  decisive: [['model_not_found', 'invalid_model']],
  usual: [
    ['overloaded', '', 'capacity exceeded'],
    ['provider_unavailable', 'unreachable_backend'],
  ],
};
