/** One look-up for the shapes in which callers have response headers at hand. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header, whatever the case of its name; empty when there is none. `name` is in lower case. */
export function headerValue(headers: HeadersLike | undefined, name: string): string {
  if (headers === undefined || headers === null) return '';
  if (hasGet(headers)) return (headers.get(name) ?? '').trim();
  const key = Object.keys(headers).find((known) => known.length === name.length && known.toLowerCase() === name);
  return key === undefined ? '' : String(headers[key]).trim();
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
