/** Reads response headers of any shape. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, cut at 4 KiB; '' if it is absent. The name is in lower case. Never throws. */
export type HeaderReader = (name: string) => string;

/** Limits the time of every pattern that searches a value. */
const MAX_VALUE = 4_096;

/** Headers are read into a map once, because a classification asks for dozens of names, and most are absent. */
export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const known = lookupOf(headers ?? {});
  return (name) => {
    try {
      const value = known.get(name) ?? '';
      return value === '' ? '' : String(value).slice(0, MAX_VALUE).trim();
    } catch {
      return '';
    }
  };
}

function lookupOf(headers: HeadersLike): { get(name: string): unknown } {
  if (!hasGet(headers))
    return new Map(Object.keys(headers).map((name) => [name.toLowerCase(), headers[name]] as const));
  try {
    return isHeaders(headers) ? new Map(headers) : headers;
  } catch {
    return headers;
  }
}

/** Not by `instanceof`: the class may be that of another realm or of a library. */
function isHeaders(headers: object): headers is Headers {
  return Object.prototype.toString.call(headers) === '[object Headers]';
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
