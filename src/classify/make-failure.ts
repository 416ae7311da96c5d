/** The one place where a failure is put together: frozen, bounded, scrubbed. */

import { FAILURES, type Failure, type FailureType, type HintSource } from '../failure/failure.ts';
import { excerpt } from '../failure/redact.ts';

/** Longer than any useful message, and short enough to be kept by each of thousands of waiting requests. */
const MAX_MESSAGE = 512;
const MAX_CODE = 128;

/** What is known of a failure; what is absent stays absent. */
export interface FailureParts {
  readonly type: FailureType;
  readonly phase: Failure['phase'];
  readonly message: string;
  /** @default the rule of the type */
  readonly retryable?: boolean | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly provider?: string | undefined;
  /** @default the advice of the type */
  readonly action?: string | undefined;
  readonly hint?: { readonly ms: number; readonly source: HintSource } | null;
}

/** A failure whose words are the server's. */
export function makeFailure(parts: FailureParts, secrets?: readonly string[]): Failure {
  const { code, message } = parts;
  return assemble(
    parts,
    code === undefined ? undefined : clip(code, MAX_CODE, secrets),
    clip(message, MAX_MESSAGE, secrets),
  );
}

/** A failure whose words are our own. */
export function statusFailure(parts: FailureParts): Failure {
  return assemble(parts, parts.code, parts.message);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function assemble(parts: FailureParts, code: string | undefined, message: string): Failure {
  const { type, phase, status, provider, hint } = parts;
  const { category, strategy, action } = FAILURES[type];
  const failure: Writable<Failure> = {
    type,
    retryable: parts.retryable ?? strategy !== null,
    category,
    message,
    phase,
  };
  if (status !== undefined) failure.status = status;
  if (code !== undefined) failure.code = code;
  if (provider !== undefined) failure.provider = provider;
  if (hint !== undefined && hint !== null) {
    failure.retryAfterMs = hint.ms;
    failure.hintSource = hint.source;
  }
  const advice = parts.action ?? action;
  if (!failure.retryable && advice !== null) failure.action = advice;
  return Object.freeze(failure);
}

function clip(text: string, length: number, secrets: readonly string[] | undefined): string {
  const cut = excerpt(text.trim(), length, secrets);
  return text.length > length ? detached(cut) : cut;
}

/** The same text with memory of its own: a slice would keep the whole body alive for as long as there is a failure. */
export function detached(text: string): string {
  return String(JSON.parse(JSON.stringify(text)));
}
