/**
 * From an outcome to its failure: the error that stands in a body, be it JSON, a stream or frames, is found here and read
 * by the rules of `classify/`.
 */

import {
  type ErrorContent,
  OPERATION_WORDING,
  readError,
  readFailure,
  type ResponseEvidence,
  type Verdict,
} from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { systemNow } from '../hints/retry-after.ts';
import type { HeadersLike } from '../transport.ts';
import { failedContent, inBandContent } from './content.ts';

/**
 * What an outcome is: the failure, or null for a success. An error inside a 200 is a failure too, be the body JSON, the
 * beginning of a stream or frames; one that comes after output is classified alike and never retryable.
 * `x-should-retry: false` is obeyed; `true` only where nothing but the status tells what the failure is.
 */
export function classify(
  outcome: { status: number; headers?: HeadersLike; body?: string | Uint8Array; nowMs?: number } | { error: unknown },
): Failure | null {
  if ('error' in outcome) return readError(outcome.error, { wording: OPERATION_WORDING });
  const { nowMs = systemNow() } = outcome;
  const verdict = readResponse({ ...outcome, nowMs });
  if (verdict === null) return null;
  const { failure, basis, serverSaid } = verdict;
  const retryable = serverSaid === 'stop' ? false : failure.retryable || (serverSaid === 'retry' && basis === 'status');
  return retryable === failure.retryable ? failure : Object.freeze({ ...failure, retryable });
}

/** Reads a response without applying `x-should-retry`. Null for a success. */
export function readResponse(response: ResponseEvidence): Verdict | null {
  const contentType = readHeaders(response.headers)('content-type');
  if (response.status >= 400) return readFailure(response, failedContent(response.body, contentType), 'response');
  const found = inBandContent(response.body, contentType);
  return found === null ? null : readFailure(response, found.error, 'stream', found.isAfterContent);
}

/** Reads an error that came inside a stream before its first content. */
export function readStreamError(error: ErrorContent, response: ResponseEvidence): Verdict {
  return readFailure(response, error, 'stream');
}
