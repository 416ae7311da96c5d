/**
 * Cohere: `{ id, message }`. One word of the message distinguishes a trial key's limit per minute from the one per
 * month.
 */

import type { Family } from '../family.ts';

export const COHERE: Family = {
  provider: 'cohere',
  signature: 'trialkey cohere.com',
  decisive: [
    ['context_too_long', '', 'tokens in the prompt cannot exceed'],
    ['auth_invalid', '', 'invalid api token'],
  ],
};
