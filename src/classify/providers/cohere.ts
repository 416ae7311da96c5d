/**
 * Cohere: `{ id, message }`. One word of the message distinguishes a trial key's limit per minute from the one per
 * month.
 */

import type { Family } from '../family.ts';

export const COHERE: Family = {
  provider: 'cohere',
  signature: 'trialkey cohere.com',
  decisive: [['context_too_long', '', 'prompt cannot exceed']],
  // With 498, which is a refused prompt here and a lack of capacity at Groq.
  // https://github.com/cohere-ai/cohere-developer-experience/pull/189
  anyStatus: [['content_policy', '', 'usage guidelines']],
};
