/** Reads response headers of any shape. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, cut at 4 KiB; '' if it is absent. The name is in lower case. Never throws. */
export type HeaderReader = (name: string) => string;

/** Limits the time of every pattern that searches a value. */
const MAX_VALUE = 4_096;

/** Headers are read into a map once, because a classification asks for dozens of names, and most are absent. */
export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  let known: { get(name: string): unknown } | undefined;
  return (name) => {
    try {
      known ??= lookupOf(headers ?? {});
      const value = known.get(name) ?? '';
      return value === '' ? '' : String(value).slice(0, MAX_VALUE).trim();
    } catch {
      return '';
    }
  };
}

function lookupOf(headers: HeadersLike): { get(name: string): unknown } {
  if (typeof headers.get !== 'function') {
    return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
  // Not by `instanceof`, because the class may be that of another realm.
  return Object.prototype.toString.call(headers) === '[object Headers]'
    ? new Map(headers as Headers)
    : (headers as Headers);
}
