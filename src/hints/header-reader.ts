/** Reads response headers of any shape. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, cut at 4 KiB; '' if it is absent. The name is in lower case. Never throws. */
export type HeaderReader = (name: string) => string;

/** Bounds the time of every pattern that searches a value. */
const MAX_VALUE = 4_096;

export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const source = headers ?? {};
  const known: { get(name: string): unknown } = hasGet(source)
    ? source
    : new Map(Object.keys(source).map((name) => [name.toLowerCase(), source[name]] as const));
  return (name) => {
    try {
      return String(known.get(name) ?? '')
        .slice(0, MAX_VALUE)
        .trim();
    } catch {
      return '';
    }
  };
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
