/**
 * The headers for the target and for the client: those that came, without those of the connection and those that are no
 * longer true.
 */

/**
 * Headers that belong to one connection: those of RFC 9110 section 7.6.1, older names that are still in use, and every
 * name in `Connection`.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns a test for headers that end at this connection. `connection`: the value of the message's `Connection`
 * headers.
 */
function hopByHop(connection: string | null | undefined): (name: string) => boolean {
  const named = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}

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

/** No cookies, and no other way to the target, which would bypass the proxy. */
const NOT_OURS: ReadonlySet<string> = new Set(['alt-svc', 'set-cookie']);
/** fetch has undone a compression that the target used against the request, so its length is no longer true. */
const OF_THE_CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);
const UNDONE_BY_FETCH = /^(?:(?:x-)?gzip|deflate|br|zstd)$/i;

export function isUnpacked({ headers }: Response): boolean {
  const codings = headers.get('content-encoding')?.split(',') ?? [];
  return codings.length > 0 && codings.every((coding) => UNDONE_BY_FETCH.test(coding.trim()));
}

export function isJsonType(contentType: string | null | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
}

/** A response without a body gets no length. */
export function responseHeaders(response: Response): readonly (readonly [name: string, value: string])[] {
  const { headers, status } = response;
  const isHopByHop = hopByHop(headers.get('connection'));
  const isDecoded = isUnpacked(response);
  const hasNoBody = status === 204 || status === 304;
  return [...headers].filter(
    ([name]) =>
      !(isHopByHop(name) || NOT_OURS.has(name)) &&
      !(isDecoded && OF_THE_CODING.has(name)) &&
      !(hasNoBody && name === 'content-length'),
  );
}
