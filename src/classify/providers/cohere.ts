/** Cohere: `{ id, message }`. A trial key's minute and its month differ in one word of the message. */

import type { Family } from '../family.ts';

export const COHERE: Family = {
  provider: 'cohere',
  signature: 'trialkey cohere.com',
  decisive: [
    ['context_too_long', '', 'tokens in the prompt cannot exceed'],
    ['auth_invalid', '', 'invalid api token'],
  ],
};
