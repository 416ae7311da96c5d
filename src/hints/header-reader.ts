/** Reads response headers of any shape. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, cut at 4 KiB; '' if it is absent. The name is in lower case. Never throws. */
export type HeaderReader = (name: string) => string;

/** The part of a header value that is searched; the limit bounds the time of every pattern. */
const MAX_VALUE = 4_096;

/** Copies the headers, because a classification asks for dozens, and most are not there. */
export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const source = headers ?? {};
  const known = new Map<string, string>();
  try {
    for (const [name, value] of entriesOf(source)) known.set(name.toLowerCase(), textOf(value));
  } catch {
    known.clear();
  }
  if (known.size > 0 || !hasGet(source)) return (name) => known.get(name) ?? '';
  return (name) => {
    try {
      return textOf(source.get(name));
    } catch {
      return '';
    }
  };
}

/** `Headers` give their own iterator, a record has its own properties; what has but a `get` has to be asked. */
function entriesOf(headers: HeadersLike): Iterable<readonly [name: string, value: unknown]> {
  if (isIterable(headers)) return headers;
  return hasGet(headers) ? [] : Object.entries(headers);
}

const textOf = (value: unknown): string =>
  String(value ?? '')
    .slice(0, MAX_VALUE)
    .trim();

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
