/**
 * Whether an operation may run twice. A retry repeats the request, and a request that deploys or deletes must not be
 * repeated only because its answer was lost.
 */

/** `safe`: may be repeated. `conditional`: after a rollback. `irreversible`: not if it may have run. */
export type OperationSafety = 'safe' | 'conditional' | 'irreversible';

/** The labels that are known. */
type KnownLabel =
  | 'model_request'
  | 'embedding_request'
  | 'token_count'
  | 'model_list'
  | 'file_read'
  | 'directory_list'
  | 'search'
  | 'context_load'
  | 'plan_read'
  | 'health_check'
  | 'checkpoint_create'
  | 'validation'
  | 'read'
  | 'get'
  | 'list'
  | 'head'
  | 'options'
  | 'query'
  | 'file_write'
  | 'file_edit'
  | 'file_move'
  | 'file_delete'
  | 'file_apply'
  | 'file_build'
  | 'plan_update'
  | 'context_update'
  | 'shell_exec'
  | 'shell_destructive'
  | 'external_api_write'
  | 'external_webhook'
  | 'deploy'
  | 'git_push'
  | 'database_write'
  | 'email_send'
  | 'send_notification'
  | 'payment'
  | 'publish';

/** A known label, in any case and with spaces or hyphens as well; any other text is a label too. */
export type OperationLabel = KnownLabel | (string & {});

const SAFETY: Readonly<Record<KnownLabel, OperationSafety>> = {
  model_request: 'safe',
  embedding_request: 'safe',
  token_count: 'safe',
  model_list: 'safe',
  file_read: 'safe',
  directory_list: 'safe',
  search: 'safe',
  context_load: 'safe',
  plan_read: 'safe',
  health_check: 'safe',
  checkpoint_create: 'safe',
  validation: 'safe',
  read: 'safe',
  get: 'safe',
  list: 'safe',
  head: 'safe',
  options: 'safe',
  query: 'safe',
  file_write: 'conditional',
  file_edit: 'conditional',
  file_move: 'conditional',
  file_delete: 'conditional',
  file_apply: 'conditional',
  file_build: 'conditional',
  plan_update: 'conditional',
  context_update: 'conditional',
  shell_exec: 'irreversible',
  shell_destructive: 'irreversible',
  external_api_write: 'irreversible',
  external_webhook: 'irreversible',
  deploy: 'irreversible',
  git_push: 'irreversible',
  database_write: 'irreversible',
  email_send: 'irreversible',
  send_notification: 'irreversible',
  payment: 'irreversible',
  publish: 'irreversible',
};

/** Whether the labelled operation may run again. An unknown label is `irreversible`. */
export function classifyOperation(label: OperationLabel): OperationSafety {
  return knownSafety(label) ?? 'irreversible';
}

/** undefined: the label is not known. */
export function knownSafety(label: OperationLabel): OperationSafety | undefined {
  const name = label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return isKnown(name) ? SAFETY[name] : undefined;
}

function isKnown(name: string): name is KnownLabel {
  return Object.hasOwn(SAFETY, name);
}
