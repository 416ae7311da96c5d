/** Reads response headers of any shape. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, cut at 4 KiB; '' if it is absent. The name is in lower case. Never throws. */
export type HeaderReader = (name: string) => string;

const MAX_VALUE = 4_096;

/** The part of a header value that is searched; the limit bounds the time of every pattern. */
export function headerText(value: unknown): string {
  return String(value ?? '')
    .slice(0, MAX_VALUE)
    .trim();
}

export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const source = headers ?? {};
  const known: { get(name: string): unknown } = hasGet(source)
    ? source
    : new Map(Object.keys(source).map((name) => [name.toLowerCase(), source[name]] as const));
  return (name) => {
    try {
      return headerText(known.get(name));
    } catch {
      return '';
    }
  };
}

export function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
