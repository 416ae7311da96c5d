/** The headers that the client gets: the target's, without those of its connection and those that are no longer true. */

import { hopByHop } from './hop-by-hop.ts';

/** A name and its value; several values where it has to be sent several times. */
type HeaderLine = readonly [name: string, value: string | readonly string[]];

/** Another way to the target, which would be none to the proxy. */
const NOT_OURS: ReadonlySet<string> = new Set(['alt-svc']);
/** What a target compresses although it was asked not to, fetch has undone; the length was that of the compressed body. */
const OF_THE_CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);
const UNDONE_BY_FETCH = /^(?:(?:x-)?gzip|deflate|br|zstd)$/i;

export function responseHeaders(headers: Headers): HeaderLine[] {
  const isHopByHop = hopByHop(headers.get('connection'));
  const codings = headers.get('content-encoding')?.split(',') ?? [];
  const isDecoded = codings.length > 0 && codings.every((coding) => UNDONE_BY_FETCH.test(coding.trim()));
  const lines: HeaderLine[] = [];
  for (const [name, value] of headers) {
    if (name === 'set-cookie' || isHopByHop(name) || NOT_OURS.has(name)) continue;
    if (isDecoded && OF_THE_CODING.has(name)) continue;
    lines.push([name, value]);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) lines.push(['set-cookie', cookies]);
  return lines;
}
