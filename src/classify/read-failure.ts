/**
 * Reads a failed response. A verdict also tells whether the response itself said what it is or only its status did
 * (`basis`), and what the server said of retrying.
 */

import type { Failure } from '../failure/failure.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { findHint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { readEvidence } from './envelope.ts';
import { evidenceFailure, statusFailure, withRetryable } from './make-failure.ts';
import { signatureOf } from './provider.ts';
import { findReading, readEvidenceType } from './rules.ts';
import { isRetryableStatusCode, typeOfStatus, wordOnRetrying } from './status.ts';

/** What a body has to say of a failure, parsed once. */
export interface ErrorContent {
  /** The parsed JSON; undefined where it was none. */
  readonly value: unknown;
  readonly text: string;
  /** The exception that a frame names (Bedrock). */
  readonly exception: string | null;
  /** What stands for its message, where something else says it. */
  readonly message?: string;
}

/** As much of a response as there is. */
export interface ResponseEvidence {
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
  /** The body or its beginning. Bytes that are no text are left alone. */
  readonly body?: string | Uint8Array | undefined;
  readonly nowMs: number;
  /** What must not appear in the failure, beside the known shapes of keys. */
  readonly secrets?: readonly string[] | undefined;
}

/** A classification with where it comes from. */
export interface Verdict {
  readonly failure: Failure;
  /** `evidence`: body or headers say what it is. `status`: nothing but the status does. */
  readonly basis: 'status' | 'evidence';
  /** What `x-should-retry` says, not yet applied. */
  readonly serverSaid: ReturnType<typeof wordOnRetrying>;
}

/** Reads a failed response by its status, its headers and what its body has to say. `x-should-retry` is not applied. */
export function readFailure(
  response: ResponseEvidence,
  { value, text, exception, message }: ErrorContent,
  phase: Failure['phase'],
  isAfterContent = false,
): Verdict {
  const { status, nowMs, secrets } = response;
  const header = readHeaders(response.headers);
  const serverSaid = wordOnRetrying(header);
  const named = exception ?? (header('x-amzn-errortype') || null);
  if (value === undefined && text === '' && named === null && status >= 400 && status !== 404) {
    // A status and its hint need no rulebook, and contain no secret.
    const failure = statusFailure({
      type: typeOfStatus(status),
      retryable: isRetryableStatusCode(status),
      status,
      provider: signatureOf(status, header),
      message: `HTTP ${status}`,
      hint: findHint(header, nowMs, status, () => undefined),
      phase: 'response',
    });
    return { failure, basis: 'status', serverSaid };
  }
  const evidence = readEvidence(status, value, text, named);
  const hint = findHint(header, nowMs, evidence.status, () => evidence.words);
  const judged = readEvidenceType(evidence, hint?.ms ?? 0);
  // An error inside a success that cannot be read, and whose words say nothing, may be any.
  const isUnreadable = status < 400 && value === undefined && named === null && findReading(evidence, 0) === undefined;
  const retryable = isAfterContent || isUnreadable ? false : judged.retryable;
  const words = message ?? (evidence.message || `HTTP ${status}`);
  const parts = { type: judged.type, action: judged.action, retryable, status, hint, message: words, phase };
  return { failure: evidenceFailure(evidence, header, parts, secrets), basis: judged.basis, serverSaid };
}

/** A failure after everything that tells whether it may be retried. */
export interface RuledFailure {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
}

/**
 * Applies `x-should-retry` and the caller's list of statuses: `false` stops; `true`, or a listed status, counts only
 * where nothing but the status tells what the failure is; a status that is not in a list is not retried.
 */
export function applyRules({ failure, basis, serverSaid }: Verdict, codes: readonly number[] | null): RuledFailure {
  const status = failure.status ?? 0;
  const listed = codes?.includes(status) === true || serverSaid === 'retry';
  let { retryable } = failure;
  if (listed && basis === 'status') retryable = true;
  if (codes !== null && status >= 400 && !listed) retryable = false;
  const serverSaidStop = serverSaid === 'stop' && retryable;
  return { failure: withRetryable(failure, retryable && !serverSaidStop), serverSaidStop };
}
