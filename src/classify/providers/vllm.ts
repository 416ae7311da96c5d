/** vLLM: OpenAI's envelope with exception names as types and the status as a number in `code`. */

import type { Family } from '../family.ts';

export const VLLM: Family = {
  provider: 'vllm',
  // The names of its other exceptions are types of Anthropic and OpenAI.
  usual: [['permission_denied', 'PermissionDeniedError']],
};
