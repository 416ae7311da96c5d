/**
 * From an outcome to its failure: the error that stands in a body, be it JSON, a stream or frames, is found here and read
 * by the rules of `classify/`. Bodies are told by what they are rather than by their content type, which is wrong often
 * enough; bytes that are no text say nothing.
 */

import {
  applyRules,
  type ErrorContent,
  OPERATION_WORDING,
  readError,
  readFailure,
  type ResponseEvidence,
  type Verdict,
} from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { parseJson } from '../hints/json.ts';
import { systemNow } from '../hints/retry-after.ts';
import type { HeadersLike } from '../transport.ts';
import { findStreamError, type FoundError, isInBandError, protocolOf } from './protocol.ts';

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
  return verdict && applyRules(verdict, null).failure;
}

/** Reads a response without applying `x-should-retry`. Null for a success. */
export function readResponse(response: ResponseEvidence): Verdict | null {
  const contentType = readHeaders(response.headers)('content-type');
  if (response.status >= 400) return readFailure(response, failedContent(response.body, contentType), 'response');
  const found = inBandContent(response.body, contentType);
  return found === null ? null : readFailure(response, found.error, 'stream', found.isAfterContent);
}

const EVENTS = /^\s*(?:data|event|id|retry|):/;
const JSON_START = /^\s*[[{"]/;
const JSON_END = /[}\]"]\s*$/;
// Compressed and other binary bodies show one of these at once; texts have none.
const BINARY = /[\0-\b\x0E-\x1F\x7F-\x9F]/;
const BINARY_SEARCHED = 512;

/** The content of a response that failed by its status. */
export function failedContent(body: string | Uint8Array | undefined, contentType: string | null): ErrorContent {
  if (ArrayBuffer.isView(body) && protocolOf(contentType) === 'frames') {
    return findStreamError(body, 'frames')?.error ?? contentOf(undefined);
  }
  const content = contentOf(body);
  if (content.value !== undefined || !mayBeEvents(content.text)) return content;
  return findStreamError(content.text, 'text')?.error ?? content;
}

/** The failure inside a body that began as a success; null when there is none. */
export function inBandContent(body: string | Uint8Array | undefined, contentType: string): FoundError | null {
  const content = contentOf(body);
  const { text, value } = content;
  const framing = protocolOf(contentType);
  // Frames are binary; where no content type says what the bytes are, they are tried as such.
  const mayBeFrames = contentType === '' ? text === '' : framing === 'frames';
  if (ArrayBuffer.isView(body) && mayBeFrames) return findStreamError(body, 'frames');
  if (value !== undefined) return isInBandError(value) ? { error: content, isAfterContent: false } : null;
  return framing === 'text' || mayBeEvents(text) ? findStreamError(text, 'text') : null;
}

/** What is no JSON as a whole may be many lines of it. */
function mayBeEvents(text: string): boolean {
  return EVENTS.test(text) || (JSON_START.test(text) && text.includes('\n'));
}

function contentOf(body: string | Uint8Array | undefined): ErrorContent {
  const decoded = ArrayBuffer.isView(body) ? new TextDecoder().decode(body) : body;
  // Callers in JavaScript may pass anything.
  const text = typeof decoded === 'string' ? decoded.replace(/^\uFEFF/, '') : '';
  // A failed parse is dear, and what was cut off or only opens brackets fails.
  const value = JSON_START.test(text) && JSON_END.test(text) ? parseJson(text) : undefined;
  const isBinary = value === undefined && BINARY.test(text.slice(0, BINARY_SEARCHED));
  return { value, text: isBinary ? '' : text, exception: null };
}
