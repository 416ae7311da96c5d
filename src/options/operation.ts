/**
 * Whether an operation may run twice. A retry repeats the request, and a request that deploys or deletes must not be
 * repeated only because its answer was lost.
 */

/** `safe`: may be repeated. `conditional`: after a rollback. `irreversible`: not if it may have run. */
export type OperationSafety = 'safe' | 'conditional' | 'irreversible';

export const SAFETIES: readonly OperationSafety[] = ['safe', 'conditional', 'irreversible'];

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
  | 'tool_call'
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

/** The known labels, separated by spaces. */
const LABELS: Readonly<Record<OperationSafety, string>> = {
  safe:
    'model_request embedding_request token_count model_list file_read directory_list search context_load plan_read ' +
    'health_check checkpoint_create validation read get list head options query',
  conditional: 'file_write file_edit file_move file_delete file_apply file_build plan_update context_update',
  irreversible:
    'tool_call shell_exec shell_destructive external_api_write external_webhook deploy git_push database_write email_send ' +
    'send_notification payment publish',
};

/** The label of a request that the caller has not labelled. */
export const DEFAULT_OPERATION: OperationLabel = 'model_request';

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
  return SAFETIES.find((safety) => LABELS[safety].split(' ').includes(name));
}

/** The options on operations. */
interface OperationOptions {
  readonly operation?:
    | OperationLabel
    | ((request: { readonly method: string; readonly url: string }) => OperationLabel)
    | undefined;
  readonly unknownOperation?: OperationSafety | undefined;
  readonly retryIrreversible?: boolean | undefined;
  readonly rollback?: unknown;
}

/** The label of a call. `usual`: without the option. */
export function labelOf({ operation }: OperationOptions, method: string, url: string, usual: () => string): string {
  if (operation === undefined) return usual();
  // A function in JavaScript may return anything.
  return typeof operation === 'function' ? String(operation({ method, url })) : operation;
}

/** Whether the labelled operation may be repeated under the options. */
export function safetyOf({ unknownOperation }: OperationOptions, label: string): OperationSafety {
  return knownSafety(label) ?? unknownOperation ?? 'irreversible';
}

/** Whether its label keeps an operation that may have run from being repeated. */
export function isIrreversible(options: OperationOptions, label: string): boolean {
  if (options.retryIrreversible === true) return false;
  const safety = safetyOf(options, label);
  return safety !== 'safe' && (safety !== 'conditional' || options.rollback === undefined);
}

/** What the person who misspelt a label has to see; undefined for a known label. */
export function adviceOn({ unknownOperation }: OperationOptions, label: string): string | undefined {
  if ((unknownOperation ?? knownSafety(label)) !== undefined) return undefined;
  return `The operation label "${label}" is not known, so the request is not repeated: use a known label, or set \`unknownOperation\`.`;
}
