/** One request, one response: the plain transport over any `fetch`, with JSON as the default body. */

import { isBodyInit } from './fallback/request-parts.ts';
import type { Fetch, HttpHeaders, HttpTransport, TransportResponse } from './transport.ts';

/** Names that carry a key. fetch keeps `authorization` from another origin by itself, but not these. */
const KEY_HEADERS: readonly string[] = ['x-api-key', 'api-key', 'x-goog-api-key'];

/** Whether a header carries a key that fetch would hand on to another origin. */
export const isKeyHeader = (name: string): boolean => KEY_HEADERS.includes(name.toLowerCase());

export interface FetchTransportOptions {
  /** @default `globalThis.fetch`, looked up at each call */
  readonly fetch?: Fetch | undefined;
  /** Sent with every request; a request's own headers win. */
  readonly headers?: HttpHeaders | undefined;
  /**
   * What happens to a redirect.
   *
   * @default 'error' for a request that carries `x-api-key`, `api-key` or `x-goog-api-key`, which fetch would hand to
   *   another origin; otherwise 'follow'. On Cloudflare Workers, which refuse 'error', 'manual' in its place: the
   *   redirect itself is the answer
   */
  readonly redirect?: RequestInit['redirect'] | undefined;
}

/** An `HttpTransport` over `fetch`. Never retries. */
export class FetchTransport implements HttpTransport {
  readonly #fetch: Fetch | undefined;
  readonly #headers: HttpHeaders;
  readonly #redirect: RequestInit['redirect'] | undefined;

  /** @throws TypeError for an option that cannot be, naming it */
  constructor({ fetch, headers, redirect }: FetchTransportOptions = {}) {
    if (fetch !== undefined && typeof fetch !== 'function') {
      throw new TypeError(
        `Expected \`fetch\` to be a function with the shape of the global fetch, got ${typeof fetch}.`,
      );
    }
    this.#fetch = fetch;
    this.#headers = { ...headers };
    this.#redirect = redirect;
  }

  get(url: string, headers?: HttpHeaders, signal?: AbortSignal): Promise<TransportResponse> {
    return this.#send(url, { method: 'GET' }, headers, signal);
  }

  /**
   * Sends a string, buffer, Blob, form, URLSearchParams or stream as it is, and anything else as JSON. `undefined` sends
   * no body.
   */
  post(url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Response> {
    if (body === undefined) return this.#send(url, { method: 'POST' }, headers, signal);
    if (isStream(body)) return this.#send(url, { method: 'POST', body, duplex: 'half' }, headers, signal);
    if (isBodyInit(body)) return this.#send(url, { method: 'POST', body }, headers, signal);
    return this.#sendJson(url, body, headers, signal);
  }

  /** Async, so that a body that cannot be JSON rejects instead of throwing. */
  async #sendJson(
    url: string,
    body: unknown,
    headers: HttpHeaders | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const json = { 'content-type': 'application/json', ...lowerNames(this.#headers), ...lowerNames(headers) };
    return this.#send(url, { method: 'POST', body: JSON.stringify(body) }, json, signal);
  }

  async #send(
    url: string,
    init: RequestInit & { readonly duplex?: 'half' },
    headers: HttpHeaders | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const sent = { ...lowerNames(this.#headers), ...lowerNames(headers) };
    const redirect = this.#redirect ?? (Object.keys(sent).some(isKeyHeader) ? notFollowed() : undefined);
    const send = this.#fetch ?? globalThis.fetch;
    try {
      return await send(url, { ...init, headers: sent, ...(redirect && { redirect }), ...(signal && { signal }) });
    } catch (error) {
      if (isUrl(url)) throw error;
      const message = `Expected \`url\` to be an absolute URL such as "https://api.example.com/v1/messages", got ${JSON.stringify(url)}.`;
      throw new TypeError(message, { cause: error });
    }
  }
}

/** Workers throw a TypeError at `redirect: 'error'`. */
function notFollowed(): 'manual' | 'error' {
  return typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers' ? 'manual' : 'error';
}

function lowerNames(headers: HttpHeaders | undefined): HttpHeaders {
  const lowered: HttpHeaders = {};
  for (const [name, value] of Object.entries(headers ?? {})) lowered[name.toLowerCase()] = value;
  return lowered;
}

const STREAM_METHODS: readonly PropertyKey[] = ['getReader', Symbol.asyncIterator];

function isStream(body: unknown): body is ReadableStream {
  return (
    typeof body === 'object' &&
    body !== null &&
    STREAM_METHODS.some((name) => typeof Reflect.get(body, name) === 'function')
  );
}

/** A browser resolves a relative URL against its page; elsewhere there is nothing to resolve it against. */
function isUrl(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  return URL.canParse(url, typeof location === 'undefined' ? undefined : location.href);
}
