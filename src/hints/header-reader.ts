/** One look-up for the shapes in which callers have response headers at hand. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header whose name is given in lower case, cut at 4 KiB; '' where it is absent. Never throws. */
export type HeaderReader = (name: string) => string;

const MAX_VALUE = 4_096;

/** A header as it is searched: no server has more to say in one, and every pattern sees no more. */
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
