/**
 * Self-hosted servers: Ollama, llama.cpp and LM Studio send `{ "error": "a sentence" }`, in streams on its own line.
 */

import type { Family } from '../family.ts';

export const OLLAMA: Family = {
  provider: 'ollama',
  signature: 'trypullingitfirst maximumpendingrequests',
  decisive: [
    ['model_not_found', '', 'try pulling it first'],
    ['context_too_long', 'exceed_context_size_error'],
    ['invalid_request', '', 'unexpected endpoint'],
  ],
  // 500, and no wait adds memory.
  anyStatus: [['invalid_request', '', 'more system memory']],
  alone: [['timeout', '', 'timed out waiting for llama runner']],
  usual: [['overloaded', '', 'server busy|maximum pending requests']],
};
