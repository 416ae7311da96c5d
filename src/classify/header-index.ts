/** Response headers brought into order once, because a classification asks for dozens, and most are not there. */

import { hasGet, type HeaderReader, headerText, readHeaders } from '../hints/header-reader.ts';
import type { HeadersLike } from '../transport.ts';

/** The headers of one response. */
export interface HeaderIndex {
  readonly header: HeaderReader;
  /** Whether one of them may name a wait, so that they have to be searched for it. */
  readonly mayHint: boolean;
}

export function indexHeaders(headers: HeadersLike | undefined): HeaderIndex {
  const source = headers ?? {};
  const known = new Map<string, string>();
  let mayHint = false;
  try {
    // `Headers` give their own iterator, a record has its own properties; what has but a `get` has to be asked.
    const entries = isIterable(source) ? source : hasGet(source) ? [] : Object.entries(source);
    for (const [name, value] of entries) {
      const key = name.toLowerCase();
      mayHint ||= key.includes('retry-after') || key.includes('ratelimit');
      known.set(key, headerText(value));
    }
  } catch {
    known.clear();
  }
  if (known.size === 0) return { header: readHeaders(source), mayHint: hasGet(source) };
  return { header: (name) => known.get(name) ?? '', mayHint };
}

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}
