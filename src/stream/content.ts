/**
 * What a body has to say: its JSON, the error in its stream or frames, or its text. Bodies are told by what they are
 * rather than by their content type, which is wrong often enough; bytes that are no text say nothing.
 */

import type { ErrorContent } from '../classify/index.ts';
import { parseJson } from '../hints/json.ts';
import { findStreamError, isInBandError, protocolOf } from './protocol.ts';

const SILENT: ErrorContent = { value: undefined, text: '', exception: null };
const EVENTS = /^\s*(?:data|event|id|retry|):/;
const JSON_START = /^\s*[[{"]/;
const JSON_END = /[}\]"]\s*$/;
// Compressed and other binary bodies show one of these at once; texts have none.
const BINARY = /[\0-\b\x0E-\x1F\x7F-\x9F]/;
const BINARY_SEARCHED = 512;

/** The content of a response that failed by its status. */
export function failedContent(body: string | Uint8Array | undefined, contentType: string | null): ErrorContent {
  if (isBytes(body) && protocolOf(contentType) === 'frames') {
    return findStreamError(body, 'frames')?.error ?? SILENT;
  }
  const { text, value } = contentOf(body);
  if (value !== undefined || text === '') return { value, text, exception: null };
  const found = mayBeEvents(text) ? findStreamError(text, 'text') : null;
  return found?.error ?? { value, text, exception: null };
}

/** The failure inside a body that began as a success; null when there is none. */
export function inBandContent(
  body: string | Uint8Array | undefined,
  contentType: string,
): { readonly error: ErrorContent; readonly isAfterContent: boolean } | null {
  const { text, value } = contentOf(body);
  // Frames are binary; where no content type says what the bytes are, they are tried as such.
  const mayBeFrames = contentType === '' ? text === '' : protocolOf(contentType) === 'frames';
  if (isBytes(body) && mayBeFrames) return findStreamError(body, 'frames');
  if (value !== undefined) {
    return isInBandError(value) ? { error: { value, text, exception: null }, isAfterContent: false } : null;
  }
  return protocolOf(contentType) === 'text' || mayBeEvents(text) ? findStreamError(text, 'text') : null;
}

/** What is no JSON as a whole may be many lines of it. */
function mayBeEvents(text: string): boolean {
  return EVENTS.test(text) || (JSON_START.test(text) && text.includes('\n'));
}

function contentOf(body: string | Uint8Array | undefined): { readonly text: string; readonly value: unknown } {
  const decoded = typeof body === 'string' ? body : isBytes(body) ? new TextDecoder().decode(body) : '';
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  // A failed parse is dear, and what was cut off or only opens brackets fails.
  const value = JSON_START.test(text) && JSON_END.test(text) ? parseJson(text) : undefined;
  return { text: value === undefined && BINARY.test(text.slice(0, BINARY_SEARCHED)) ? '' : text, value };
}

const isBytes = (body: unknown): body is Uint8Array => ArrayBuffer.isView(body);
