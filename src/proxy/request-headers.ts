/** The headers that the target gets: the client's, without those of its connection and those that fetch sets itself. */

import { hopByHop } from './hop-by-hop.ts';

/** Set by fetch from the URL and the body that it really sends; copies of the client's could only contradict them. */
export const SET_BY_FETCH: ReadonlySet<string> = new Set(['content-length', 'expect', 'host']);

/**
 * Names in lower case, repeated ones joined. fetch undoes a compression but keeps the header that tells of it, so none is
 * asked for: what the target sends is what the client gets, with its length, and a broken answer stays a broken answer.
 * `cookies`: whether they are sent on.
 */
export function requestHeaders(rawHeaders: readonly string[], cookies: boolean): Record<string, string> {
  const joined = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  const isHopByHop = hopByHop(joined.get('connection'));
  for (const name of [...joined.keys()]) if (isHopByHop(name) || SET_BY_FETCH.has(name)) joined.delete(name);
  if (!cookies) joined.delete('cookie');
  joined.set('accept-encoding', 'identity');
  return Object.fromEntries(joined);
}
