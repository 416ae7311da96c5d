/**
 * What a body has to say: its JSON, the error in its stream or frames, or its text. Bodies are told by what they are
 * rather than by their content type, which is wrong often enough; bytes that are no text say nothing.
 */

import type { ErrorContent } from '../classify/index.ts';
import { parseJson } from '../hints/json.ts';
import { findStreamError, type FoundError, isInBandError, protocolOf } from './protocol.ts';

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
  const decoded = ArrayBuffer.isView(body) ? new TextDecoder().decode(body) : (body ?? '');
  const text = decoded.replace(/^\uFEFF/, '');
  // A failed parse is dear, and what was cut off or only opens brackets fails.
  const value = JSON_START.test(text) && JSON_END.test(text) ? parseJson(text) : undefined;
  const isBinary = value === undefined && BINARY.test(text.slice(0, BINARY_SEARCHED));
  return { value, text: isBinary ? '' : text, exception: null };
}
