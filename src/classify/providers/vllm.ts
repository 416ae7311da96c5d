/** vLLM: OpenAI's envelope with the names of exceptions as types and the status as a number in `code`. */

import type { Family } from '../family.ts';

export const VLLM: Family = {
  provider: 'vllm',
  decisive: [['context_too_long', '', 'context length is only|maximum input length of|maximum model length']],
  usual: [
    ['model_not_found', 'NotFoundError'],
    ['auth_invalid', 'AuthenticationError'],
    ['permission_denied', 'PermissionDeniedError'],
    ['rate_limit', 'RateLimitError'],
    ['overloaded', 'ServiceUnavailableError'],
  ],
};
