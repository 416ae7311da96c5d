/** vLLM: OpenAI's envelope with the names of exceptions as types and the status as a number in `code`. */

import type { Family } from '../family.ts';

export const VLLM: Family = {
  provider: 'vllm',
  decisive: [['context_too_long', '', 'maximum input length of|maximum model length']],
  // Its other exceptions are named like the types of Anthropic and OpenAI.
  usual: [['permission_denied', 'PermissionDeniedError']],
};
