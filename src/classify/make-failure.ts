/** The only place that creates failures: frozen, bounded, and with secrets masked. */

import { detached, get } from '../runtime/values.ts';
import { type Failure, TOO_MANY_BYTES, TYPES } from '../failure/failure.ts';
import { excerpt } from '../redact/redact.ts';
import type { HeaderReader } from '../hints/header-reader.ts';
import type { Hint } from '../hints/retry-hint.ts';
import type { Evidence } from './family.ts';
import { providerOf } from './signatures.ts';

/** Longer than any useful message, and short enough for thousands of waiting requests. */
const MAX_MESSAGE = 512;
const MAX_CODE = 128;

/** The known parts of a failure; missing ones stay missing, or follow from the type (`retryable`, `action`). */
export type FailureParts = Pick<Failure, 'type' | 'phase' | 'message'> & {
  readonly [Name in Exclude<keyof Failure, 'type' | 'phase' | 'message'>]?: Failure[Name] | undefined;
} & { readonly hint?: Hint | null };

/** The failure of a response, with the code and provider of its evidence. */
export function evidenceFailure(
  evidence: Evidence,
  header: HeaderReader,
  parts: FailureParts,
  secrets?: readonly string[],
): Failure {
  const requestId = requestIdIn(header, secrets);
  return makeFailure({ ...parts, code: evidence.code, provider: providerOf(evidence, header), requestId }, secrets);
}

/** The names of the header with the server's id of a request; a server behind a proxy may have several. */
const ID_HEADERS =
  'x-request-id request-id x-amzn-requestid x-amz-request-id apim-request-id x-ms-request-id x-goog-request-id x-cloud-trace-context x-correlation-id x-generation-id cf-ray';

/** The server's own id of the request. What is no plain id, or has a secret in it, is left out. */
export function requestIdIn(header: HeaderReader, secrets?: readonly string[]): string | undefined {
  for (const name of ID_HEADERS.split(' ')) {
    const id = header(name);
    if (id !== '' && PLAIN_ID.test(id) && excerpt(id, MAX_CODE, secrets) === id) return id;
  }
  return undefined;
}

const PLAIN_ID = /^[\w.:;=+/@-]{1,128}$/;

/** A failure with a message of the server. */
export function makeFailure(parts: FailureParts, secrets?: readonly string[]): Failure {
  const { code, message } = parts;
  return statusFailure({
    ...parts,
    code: code === undefined ? undefined : clip(code, MAX_CODE, secrets),
    message: clip(message, MAX_MESSAGE, secrets),
  });
}

/** A failure with a message of our own. */
export function statusFailure(parts: FailureParts): Failure {
  const { type, phase, status, code, provider, message, hint, requestId } = parts;
  const { retryAfterMs = hint?.ms, hintSource = hint?.source } = parts;
  const { category, isRetried, action } = TYPES[type];
  const failure: { -readonly [Name in keyof Failure]: Failure[Name] } = {
    type,
    retryable: parts.retryable ?? isRetried,
    category,
    message,
    phase,
  };
  if (status !== undefined) failure.status = status;
  if (code !== undefined) failure.code = code;
  if (provider !== undefined) failure.provider = provider;
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  if (hintSource !== undefined) failure.hintSource = hintSource;
  // A 413 that counts no tokens means the size in bytes.
  const isOfBytes = type === 'context_too_long' && status === 413 && !/token|context/i.test(message);
  const advice = parts.action ?? (isOfBytes ? TOO_MANY_BYTES : action);
  if (!failure.retryable && advice !== null) failure.action = advice;
  if (requestId !== undefined) failure.requestId = requestId;
  return Object.freeze(failure);
}

/** A copy of the failure with another `retryable`, if it differs. A retry needs no advice. */
export function withRetryable(failure: Failure, retryable: boolean): Failure {
  return retryable === failure.retryable ? failure : statusFailure({ ...failure, retryable });
}

function clip(text: string, length: number, secrets: readonly string[] | undefined): string {
  const cut = excerpt(text.trim(), length, secrets);
  return text.length > length ? detached(cut) : cut;
}

/** The caller has not aborted, so a `TimeoutError` is a limit of the inner fetch or of the operation: retryable. */
export function ownTimeout(failure: Failure, error: unknown): Failure {
  if (get(error, 'name') !== 'TimeoutError' || failure.retryable) return failure;
  return withRetryable({ ...failure, type: 'timeout' }, true);
}
