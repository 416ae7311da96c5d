/** One look-up for the shapes in which callers have response headers at hand. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header whose name is given in lower case; '' where it is absent. Never throws. */
export type HeaderReader = (name: string) => string;

export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const source = headers ?? {};
  const known: { get(name: string): unknown } = hasGet(source)
    ? source
    : new Map(Object.keys(source).map((name) => [name.toLowerCase(), source[name]] as const));
  return (name) => {
    try {
      return String(known.get(name) ?? '').trim();
    } catch {
      return '';
    }
  };
}

export function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
