/** One request, one response: the plain transport over any `fetch`, with JSON as the default body. */

import { type Check, checkOptions, expectHeaders, expectObject, is, isFunction, oneOf } from './runtime/expect.ts';
import { isCredentialHeader } from './redact/credentials.ts';
import { publicUrl, rememberSecrets, secretsOf } from './redact/redact.ts';
import { canParseUrl, get, hasMethod } from './runtime/values.ts';
import { isBodyInit, isForElsewhere, isReplayable, ordinaryHeaders, recordOf } from './http/request-parts.ts';
import { discard } from './body/response-body.ts';
import type { Fetch, HttpHeaders, HttpTransport, InnerFetch, TransportResponse } from './transport.ts';

type Init = RequestInit & { readonly duplex?: 'half' };

/** The options of `FetchTransport`. */
export interface FetchTransportOptions {
  /** @default `globalThis.fetch`, read at each call */
  readonly fetch?: InnerFetch | undefined;
  /**
   * Sent with every request; headers of the request override them. They belong to the origin of the caller's URL: a
   * fallback target at another origin gets only those that carry no secret, such as `content-type`.
   */
  readonly headers?: HttpHeaders | undefined;
  /**
   * How redirects are handled. fetch itself removes only `authorization` and `cookie` on the way to another origin.
   *
   * @default for a request with a header that is named like a credential (`x-api-key`, `private-token`, …): followed
   *   within the origin, refused with fetch's TypeError to another; otherwise 'follow'
   */
  readonly redirect?: RequestInit['redirect'] | undefined;
}

const checksOfOptions = (): { readonly [K in keyof FetchTransportOptions]-?: Check } => ({
  fetch: is('a function with the shape of the global fetch', isFunction),
  headers: expectHeaders,
  redirect: oneOf(REDIRECTS),
});

export const REDIRECTS = ['follow', 'manual', 'error'] as const;

/** An `HttpTransport` over `fetch`. Never retries. */
export class FetchTransport implements HttpTransport {
  readonly #fetch: Fetch | undefined;
  readonly #headers: HttpHeaders;
  readonly #redirect: RequestInit['redirect'] | undefined;

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(options: FetchTransportOptions = {}) {
    const given = expectObject('options', options, 'an object such as { fetch }');
    const { fetch, headers, redirect } = checkOptions('', given, checksOfOptions());
    // Its parameters are not checked, because the `Request` types of fetches differ.
    this.#fetch = fetch as Fetch | undefined;
    this.#headers = recordOf(headers);
    this.#redirect = redirect;
    rememberSecrets(this, secretsOf({ headers: this.#headers }));
  }

  get(url: string, headers?: HttpHeaders, signal?: AbortSignal): Promise<TransportResponse> {
    return this.#send('GET', url, undefined, headers, signal);
  }

  /**
   * Sends a string, buffer, Blob, form, URLSearchParams or stream as it is, and anything else as JSON. `undefined`
   * and null send no body.
   */
  post(url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Response> {
    return this.#send('POST', url, body, headers, signal);
  }

  async #send(
    method: 'GET' | 'POST',
    url: string,
    body: unknown,
    headers: HttpHeaders | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const isElsewhere = headers !== undefined && isForElsewhere(headers);
    const own = isElsewhere ? ordinaryHeaders(this.#headers) : this.#headers;
    const encoded = encode(body);
    const sent = { ...encoded.headers, ...own, ...recordOf(headers) };
    const send = this.#fetch ?? globalThis.fetch;
    const request: Init = { method, ...encoded, headers: sent, ...(signal && { signal }) };
    try {
      if (this.#redirect !== undefined) return await send(url, { ...request, redirect: this.#redirect });
      return await (Object.keys(sent).some(isRedirectedHeader)
        ? fetchWithinOrigin(send, url, request)
        : send(url, request));
    } catch (error) {
      if (isUrl(url) || !isAboutUrl(error)) throw error;
      // fetch's own error quotes the whole URL.
      const shown = typeof url === 'string' ? JSON.stringify(publicUrl(url, secretsOf({ url }))) : String(url);
      // oxlint-disable-next-line preserve-caught-error
      throw new TypeError(
        `Expected \`url\` to be an absolute URL such as "https://api.example.com/v1/messages", got ${shown}.`,
      );
    }
  }
}

/** Whether a header carries a credential that fetch would send to another origin after a redirect. */
export function isRedirectedHeader(name: string): boolean {
  return isCredentialHeader(name) && !/^(?:authorization|cookie)$/i.test(name);
}

/** fetch has the same limit. */
const MAX_REDIRECTS = 20;

/**
 * Sends a request whose headers must not reach another origin: redirects within the origin are followed as fetch would,
 * any other rejects. A browser does not show the target of a redirect, so there every redirect rejects.
 */
export async function fetchWithinOrigin(send: Fetch, url: string, init: Init): Promise<Response> {
  let target = url;
  let request: Init = { ...init, redirect: 'manual' };
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(target, request);
    if (response.type === 'opaqueredirect') throw refusal('unexpected redirect');
    // Only a browser page resolves a relative URL.
    const from = canParseUrl(target) ? target : response.url;
    const location = locationOf(response, from);
    if (location === null) {
      if (redirects > 0) Object.defineProperty(response, 'redirected', { value: true, configurable: true });
      return response;
    }
    discard(response);
    if (location.origin !== new URL(from).origin) {
      throw refusal(
        `redirect to ${location.origin} refused: the request has a header that is named like a credential. ` +
          "Use the final URL, or set `redirect: 'follow'`",
      );
    }
    if (redirects >= MAX_REDIRECTS) throw refusal('redirect count exceeded');
    request = redirected(request, response.status);
    target = location.href;
  }
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** The target of a redirect; null for any other response. */
function locationOf({ status, headers }: Response, url: string): URL | null {
  const location = REDIRECT_STATUSES.includes(status) ? headers.get('location') : null;
  if (location === null) return null;
  if (!canParseUrl(location, url)) throw refusal('redirect to a location that is no URL');
  return new URL(location, url);
}

/** The request that fetch would send after a redirect. */
function redirected(init: Init, status: number): Init {
  const { method = 'GET', body = null } = init;
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) {
    if (!isReplayable(body)) throw refusal('redirect of a body that cannot be sent again');
    return init;
  }
  const { body: _body, duplex: _duplex, ...rest } = init;
  const headers = new Headers(init.headers);
  for (const name of ['encoding', 'language', 'length', 'location', 'type']) headers.delete(`content-${name}`);
  return { ...rest, method: 'GET', headers };
}

/** An error like fetch's own, which the classification reads as permanent. */
const refusal = (reason: string): TypeError => new TypeError('fetch failed', { cause: new Error(reason) });

/** The body as fetch accepts it, with its content type if it is encoded here. */
function encode(body: unknown): Pick<Init, 'body' | 'duplex'> & { readonly headers?: HttpHeaders } {
  if (body === undefined) return {};
  if (isStream(body)) return { body, duplex: 'half' };
  if (isBodyInit(body)) return { body };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function isStream(body: unknown): body is ReadableStream {
  return typeof body === 'object' && ['getReader', Symbol.asyncIterator].some((name) => hasMethod(body, name));
}

/** Whether fetch refused the URL. Node reports it with a code, other runtimes only in the message. */
function isAboutUrl(error: unknown): boolean {
  if (get(error, 'name') !== 'TypeError') return false;
  const code = get(get(error, 'cause'), 'code') ?? get(error, 'code');
  return code === undefined ? /\bURLs?\b/.test(String(get(error, 'message'))) : code === 'ERR_INVALID_URL';
}

/** Whether a URL is valid; in a browser it may be relative to the page. */
function isUrl(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  return canParseUrl(url, typeof location === 'undefined' ? undefined : location.href);
}
