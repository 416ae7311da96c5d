/**
 * Classifies an outcome: finds the error in a body (JSON, a stream or frames) and reads it by the rules of `classify/`.
 * The body decides its kind, because content types are often wrong. Binary bodies are ignored.
 */

import { applyRules, OPERATION_WORDING, readError, readFailure, type ResponseEvidence, type Verdict } from './index.ts';
import { expectObject, isText, mismatch } from '../runtime/expect.ts';
import type { Failure } from '../failure/failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { parseJson } from '../runtime/values.ts';
import { systemNow } from '../hints/retry-after.ts';
import type { HeadersLike } from '../transport.ts';
import { findStreamError, type FoundError, protocolOf } from '../protocol/event-kinds.ts';
import { type ErrorContent, inBandError, isInBandError } from '../protocol/in-band-error.ts';

/**
 * Classifies an outcome: returns the failure, or null for a success. An error inside a 200 is a failure too, whether it
 * is in JSON, in the beginning of a stream or in frames. An error after content is classified in the same way and is
 * never retryable. `x-should-retry: false` is obeyed; `true` is obeyed only if the status alone shows the type.
 *
 * @throws TypeError if the outcome, its status or its body has another type, such as a `Response` with an unread body
 */
export function classify(
  outcome: { status: number; headers?: HeadersLike; body?: string | Uint8Array; nowMs?: number } | { error: unknown },
): Failure | null {
  expectObject('outcome', outcome, 'an object with a `status` or an `error`');
  if ('error' in outcome) return readError(outcome.error, { wording: OPERATION_WORDING });
  const { status, body, nowMs = systemNow() }: Unchecked = outcome;
  if (typeof status !== 'number')
    throw new TypeError(mismatch('status', 'a number (for an error write classify({ error }))', status));
  if (!isText(body ?? '') && !ArrayBuffer.isView(body))
    throw new TypeError(mismatch('body', 'a text or a Uint8Array, such as `await response.text()`', body));
  const verdict = readResponse({ ...outcome, nowMs });
  return verdict && applyRules(verdict, null).failure;
}

/** An outcome as a caller in JavaScript may pass it. */
interface Unchecked {
  readonly status?: unknown;
  readonly body?: unknown;
  readonly nowMs?: number;
}

/** Classifies a response without applying `x-should-retry`. null for a success. */
export function readResponse(response: ResponseEvidence): Verdict | null {
  const header = readHeaders(response.headers);
  const contentType = header('content-type');
  if (response.status >= 400)
    return readFailure(response, failedContent(response.body, contentType), 'response', header);
  const found = inBandContent(response.body, contentType);
  return found === null ? null : readFailure(response, found.error, 'stream', header, found.isAfterContent);
}

const EVENTS = /^\s*(?:data|event|id|retry|):/;
const JSON_START = /^\s*[[{"]/;
const JSON_END = /[}\]"]\s*$/;
// Compressed and other binary bodies contain one of these within a few bytes; texts contain none.
const BINARY = /[\0-\b\x0E-\x1F\x7F-\x9F]/;
const BINARY_SEARCHED = 512;

/** The content of a response with a failed status. */
export function failedContent(body: string | Uint8Array | undefined, contentType: string | null): ErrorContent {
  if (ArrayBuffer.isView(body) && protocolOf(contentType) === 'frames') {
    const found = findStreamError(body, 'frames');
    // A gateway may answer with JSON under the type that was asked for.
    if (found !== null) return found.error;
  }
  const content = contentOf(body);
  if (content.value !== undefined || !mayBeEvents(content.text)) return content;
  return findStreamError(content.text, 'text')?.error ?? content;
}

/** The error inside a body that began as a success; null if there is none. */
export function inBandContent(body: string | Uint8Array | undefined, contentType: string): FoundError | null {
  const content = contentOf(body);
  const { text, value } = content;
  const framing = protocolOf(contentType);
  // Frames are binary. Without a content type, bytes are tried as frames.
  const mayBeFrames = contentType === '' ? text === '' : framing === 'frames';
  if (ArrayBuffer.isView(body) && mayBeFrames) return findStreamError(body, 'frames');
  if (value !== undefined) return isInBandError(value) ? { error: inBandError(content), isAfterContent: false } : null;
  return framing === 'text' || mayBeEvents(text) ? findStreamError(text, 'text') : null;
}

/** A body that is not valid JSON may be NDJSON. */
function mayBeEvents(text: string): boolean {
  return EVENTS.test(text) || (JSON_START.test(text) && text.includes('\n'));
}

function contentOf(body: string | Uint8Array | undefined): ErrorContent {
  const decoded = textOf(body);
  // Callers in JavaScript may pass any value.
  const text = typeof decoded === 'string' ? decoded.replace(/^\uFEFF/, '') : '';
  // A failed parse is expensive, so a body that was cut or only opens brackets is not parsed.
  const value = JSON_START.test(text) && JSON_END.test(text) ? parseJson(text) : undefined;
  const isBinary = value === undefined && BINARY.test(text.slice(0, BINARY_SEARCHED));
  return { value, text: isBinary ? '' : text, exception: null };
}
