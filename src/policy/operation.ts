/**
 * Whether doing a thing twice is harmless. A retry repeats the request, and a request that deploys or deletes must not be
 * repeated because its answer was lost.
 */

/** `safe`: repeat at will. `conditional`: repeat after a rollback. `irreversible`: never repeat once it may have run. */
export type OperationSafety = 'safe' | 'conditional' | 'irreversible';

const LABELS = {
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
    'checkpoint_create',
    'validation',
    'read',
    'get',
    'list',
    'head',
    'options',
    'query',
  ],
  conditional: [
    'file_write',
    'file_edit',
    'file_move',
    'file_delete',
    'file_apply',
    'file_build',
    'plan_update',
    'context_update',
  ],
  irreversible: [
    'shell_exec',
    'shell_destructive',
    'external_api_write',
    'external_webhook',
    'deploy',
    'git_push',
    'database_write',
    'email_send',
    'send_notification',
    'payment',
    'publish',
  ],
} as const satisfies Readonly<Record<OperationSafety, readonly string[]>>;

/** The labels that are known, in whatever case and with spaces or hyphens as well. Any other text is a label too. */
export type OperationLabel = (typeof LABELS)[OperationSafety][number] | (string & {});

/** How safe it is to run the labelled operation again. An unknown label is `irreversible`: doubt does not repeat. */
export function classifyOperation(label: OperationLabel): OperationSafety {
  return safetyOf(label, 'irreversible');
}

/** The same with another answer for labels that are not known. */
export function safetyOf(label: OperationLabel, unknown: OperationSafety): OperationSafety {
  const name = label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  for (const safety of ['safe', 'conditional', 'irreversible'] as const)
    if ((LABELS[safety] as readonly string[]).includes(name)) return safety;
  return unknown;
}
