/** A failure in a few words, for the middle of a sentence. */

import type { Failure } from './failure.ts';

const MAX_LINE = 300;
const MAX_SOURCE = 80;

/** `overloaded (HTTP 529)`, `connection error (ECONNRESET)`, `timeout`. */
export function failureLabel(failure: Failure): string {
  const words = failure.type === 'unknown' ? 'unknown error' : failure.type.replaceAll('_', ' ');
  return withSource(words, failure);
}

/** The words, and the source of the failure in brackets: a status, a place, or a code. */
export function withSource(words: string, { status, phase, code = '' }: Failure): string {
  if (status !== undefined && status >= 400) return `${words} (HTTP ${status})`;
  const source = phase === 'stream' ? 'inside the answer' : oneLine(code, MAX_SOURCE);
  return source === '' ? words : `${words} (${source})`;
}

/**
 * At most `most` characters on one line, without control characters, direction marks and half characters: a message or
 * a name from elsewhere must not begin a line of its own, nor change how the rest is read.
 */
export function oneLine(text: string, most: number = MAX_LINE): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const shown = line.length > most ? `${line.slice(0, most - 1)}…` : line;
  // A literal would be compiled at the import, and the Unicode tables take longer than the rest of this file.
  return shown.replace(new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Cs}]+`, 'gu'), '').trim();
}
