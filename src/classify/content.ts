/**
 * What a body has to say: its JSON, the error in its stream or frames, or its text. Bodies are told by what they are
 * rather than by their content type, which is wrong often enough; bytes that are no text say nothing.
 */

import { findStreamError, isInBandError, protocolOf, type StreamError } from '../stream/protocol.ts';
import { parseJson } from './json.ts';

const SILENT: StreamError = { value: undefined, text: '', exception: null };
const EVENTS = /^\s*(?:data|event|id|retry|):/;
const JSON_START = /^\s*[[{"]/;
// Compressed and other binary bodies show one of these at once; texts have none.
const BINARY = /[\0-\u0008\u000e-\u001a\u001c-\u001f]/;
const BINARY_SEARCHED = 512;

/** The content of a response that failed by its status. */
export function failedContent(body: string | Uint8Array | undefined, contentType: string | null): StreamError {
  if (typeof body !== 'string' && protocolOf(contentType) === 'frames') return inFrames(body)?.error ?? SILENT;
  const text = textOf(body);
  const value = JSON_START.test(text) ? parseJson(text) : undefined;
  if (value !== undefined || text === '') return { value, text, exception: null };
  const found = EVENTS.test(text) || JSON_START.test(text) ? findStreamError(text, 'text') : null;
  return found?.error ?? { value, text, exception: null };
}

/** The failure inside a body that began as a success; null when there is none. */
export function inBandContent(
  body: string | Uint8Array | undefined,
  contentType: string | null,
): { readonly error: StreamError; readonly isAfterContent: boolean } | null {
  if (typeof body !== 'string' && protocolOf(contentType) === 'frames') return inFrames(body);
  const text = textOf(body);
  const value = JSON_START.test(text) ? parseJson(text) : undefined;
  if (value !== undefined) {
    return isInBandError(value) ? { error: { value, text, exception: null }, isAfterContent: false } : null;
  }
  return text === '' ? null : findStreamError(text, 'text');
}

function inFrames(body: Uint8Array | undefined): ReturnType<typeof findStreamError> {
  return body === undefined ? null : findStreamError(body, 'frames');
}

function textOf(body: string | Uint8Array | undefined): string {
  const text = typeof body === 'string' ? body : body === undefined ? '' : new TextDecoder().decode(body);
  return BINARY.test(text.slice(0, BINARY_SEARCHED)) ? '' : text.replace(/^\uFEFF/, '');
}
