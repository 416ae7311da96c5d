/** The headers for the target: the client's, without those of its connection and those that fetch sets itself. */

import { hopByHop } from './hop-by-hop.ts';

/** fetch sets these from the URL and the body that it sends; the client's values could contradict them. */
const SET_BY_FETCH: ReadonlySet<string> = new Set(['content-length', 'expect', 'host']);

/**
 * Names are in lower case, repeated headers are joined. No compression is requested: fetch would undo it and leave
 * `content-encoding` in place. So the client gets the bytes and the length that the target sent, and an incomplete
 * response stays incomplete.
 */
export function requestHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  const isHopByHop = hopByHop(joined.get('connection'));
  for (const name of [...joined.keys()]) if (isHopByHop(name) || SET_BY_FETCH.has(name)) joined.delete(name);
  // A browser sends every cookie of localhost.
  joined.delete('cookie');
  joined.set('accept-encoding', 'identity');
  return Object.fromEntries(joined);
}
