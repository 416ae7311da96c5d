/**
 * Whether an operation may run twice. A retry repeats the request, and a request that deploys or deletes must not be
 * repeated only because its answer was lost.
 */

import type { Failure } from '../failure/failure.ts';
import { isNear } from '../runtime/expect.ts';

/** `safe`: may be repeated. `conditional`: after a rollback. `irreversible`: not if it may have run. */
export type OperationSafety = 'safe' | 'conditional' | 'irreversible';

const SAFETIES: readonly OperationSafety[] = ['safe', 'conditional', 'irreversible'];

/**
 * A known label, in any case and with spaces or hyphens as well; any other text is a label too. All known ones:
 * docs/with-retry.md.
 */
export type OperationLabel = 'model_request' | 'tool_call' | 'file_write' | 'deploy' | (string & {});

/** An operation that can be undone. */
export interface OperationOptions {
  /** @default 'conditional' with `rollback`, else the label that the call has without this option */
  readonly is?: OperationSafety | OperationLabel | undefined;
  /** Undoes a conditional operation before it is repeated. Awaited; if it throws, the call rejects. */
  readonly rollback?: ((failure: Failure) => void | Promise<void>) | undefined;
}

/** The known labels, separated by spaces; a safety is a label too. */
const LABELS: Readonly<Record<OperationSafety, string>> = {
  safe:
    'safe model_request embedding_request token_count model_list file_read directory_list search context_load plan_read ' +
    'health_check checkpoint_create validation read get list head options query',
  conditional:
    'conditional file_write file_edit file_move file_delete file_apply file_build plan_update context_update',
  irreversible:
    'irreversible tool_call shell_exec shell_destructive external_api_write external_webhook deploy git_push database_write email_send ' +
    'send_notification payment publish',
};

/** The label of a request that the caller has not labelled. */
export const DEFAULT_OPERATION: OperationLabel = 'model_request';

/** Whether the labelled operation may run again. An unknown label is `irreversible`. */
export function classifyOperation(label: OperationLabel): OperationSafety {
  return knownSafety(label) ?? 'irreversible';
}

/** The label or safety that a text which is neither is probably meant to be. */
export function nearLabel(text: string): string | undefined {
  if (text.length < 5 || knownSafety(text) !== undefined) return undefined;
  return SAFETIES.flatMap((safety) => LABELS[safety].split(' ')).find(
    (label) => label.length > 5 && isNear(text, label, 2),
  );
}

/** undefined: the label is not known. */
export function knownSafety(label: OperationLabel): OperationSafety | undefined {
  // Asked after each failure.
  if (label === DEFAULT_OPERATION) return 'safe';
  const name = label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return SAFETIES.find((safety) => LABELS[safety].split(' ').includes(name));
}

/** What an operation is: its label or safety, whether it may be repeated, and how it is undone. */
export interface Operation {
  readonly label: string;
  /** undefined: the label is not known, and counts as irreversible. */
  readonly safety: OperationSafety | undefined;
  readonly rollback: OperationOptions['rollback'];
}

/** Reads what the caller has written. `usual`: the label where the caller has given none. */
export function operationFrom(
  given: OperationSafety | OperationLabel | OperationOptions | undefined,
  usual: () => string,
): Operation {
  if (given === undefined) return named(usual());
  // A function in JavaScript may return anything, also a promise. In doubt the operation is not repeated.
  if (typeof given !== 'object' || 'then' in given || Array.isArray(given)) return named(String(given));
  const { is, rollback } = given;
  return named(is ?? (rollback === undefined ? usual() : 'conditional'), rollback);
}

function named(label: string, rollback?: OperationOptions['rollback']): Operation {
  return { label, safety: knownSafety(label), rollback };
}

/** @throws TypeError if there is a `rollback` that would never be called; `name` is that of the option */
export function expectUndoable(name: string, { label, safety, rollback }: Operation): void {
  if (rollback !== undefined && safety !== 'conditional')
    throw new TypeError(
      `\`${name}.rollback\` undoes conditional operations, and '${label}' is ${safety ?? 'not known, so irreversible'}. Write is: 'conditional', or leave \`rollback\` out.`,
    );
}

/** Whether an operation that may have run must not run again. */
export function isIrreversible({ safety, rollback }: Operation, retryIrreversible: boolean | undefined): boolean {
  if (retryIrreversible === true) return false;
  return safety !== 'safe' && (safety !== 'conditional' || rollback === undefined);
}

/** The advice for a label that is not known; undefined for a known one. */
export function adviceOn({ label, safety }: Operation): string | undefined {
  if (safety !== undefined) return undefined;
  return `The operation label "${label}" is not known, so it is not repeated: use a known label, or 'safe', 'conditional' or 'irreversible'.`;
}
