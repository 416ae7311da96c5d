/** The headers for the client: the target's, without those of its connection and those that are no longer true. */

import { hopByHop } from './hop-by-hop.ts';

type HeaderLine = readonly [name: string, value: string];

/** It names another way to the target, which would bypass the proxy. */
const NOT_OURS: ReadonlySet<string> = new Set(['alt-svc']);
/** fetch has undone a compression that the target used against the request, so its length is no longer true. */
const OF_THE_CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);
const UNDONE_BY_FETCH = /^(?:(?:x-)?gzip|deflate|br|zstd)$/i;

export function isUnpacked({ headers }: Response): boolean {
  const codings = headers.get('content-encoding')?.split(',') ?? [];
  return codings.length > 0 && codings.every((coding) => UNDONE_BY_FETCH.test(coding.trim()));
}

/** A response without a body gets no length. */
export function responseHeaders(response: Response): HeaderLine[] {
  const { headers, status } = response;
  const isHopByHop = hopByHop(headers.get('connection'));
  const isDecoded = isUnpacked(response);
  const hasNoBody = status === 204 || status === 304;
  const lines: HeaderLine[] = [];
  for (const [name, value] of headers) {
    if (name === 'set-cookie' || isHopByHop(name) || NOT_OURS.has(name)) continue;
    if (isDecoded && OF_THE_CODING.has(name)) continue;
    if (hasNoBody && name === 'content-length') continue;
    lines.push([name, value]);
  }
  return lines;
}
