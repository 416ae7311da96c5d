/** Ollama and llama.cpp: `{ "error": "a sentence" }`, in streams as a line of its own. */

import type { Family } from './family.ts';

export const OLLAMA: Family = {
  provider: 'ollama',
  signature: 'trypullingitfirst maximumpendingrequests',
  decisive: [
    ['model_not_found', '', 'try pulling it first'],
    ['context_too_long', 'exceed_context_size_error', 'exceeds the (available )?context (length|size)'],
  ],
  usual: [['overloaded', '', 'server busy|server overloaded|maximum pending requests']],
};
