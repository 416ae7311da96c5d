/**
 * Whether doing a thing twice is harmless. A retry repeats the request, and a request that deploys or deletes must
 * not be repeated because nobody heard the answer.
 */

/** `safe`: repeat at will. `conditional`: repeat after a rollback. `irreversible`: never repeat once it may have run. */
export type OperationSafety = 'safe' | 'conditional' | 'irreversible';

const LABELS: Readonly<Record<OperationSafety, readonly string[]>> = {
  safe: [
    'model_request',
    'embedding_request',
    'token_count',
    'model_list',
    'file_read',
    'directory_list',
    'search',
    'context_load',
    'plan_read',
    'health_check',
  ],
  conditional: ['file_write', 'file_edit', 'file_move', 'file_delete', 'file_apply', 'plan_update', 'context_update'],
  irreversible: [
    'shell_exec',
    'external_api_write',
    'deploy',
    'git_push',
    'database_write',
    'email_send',
    'payment',
    'publish',
  ],
};

/** How safe it is to run the labelled operation again. An unknown label is `irreversible`: doubt does not repeat. */
export function classifyOperation(label: string): OperationSafety {
  return safetyOf(label, 'irreversible');
}

/** The same with another answer for labels that nobody knows. */
export function safetyOf(label: string, unknown: OperationSafety): OperationSafety {
  const name = label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  for (const safety of ['safe', 'conditional', 'irreversible'] as const)
    if (LABELS[safety].includes(name)) return safety;
  return unknown;
}
