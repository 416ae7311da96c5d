/**
 * `retry-transport/undici`: a fetch bound to an undici `Agent`, for Node programs that limit the number of connections
 * and the time of each phase. A phase that takes longer fails with an error code of undici (`UND_ERR_CONNECT_TIMEOUT`,
 * …). Connections are pooled per origin and kept alive.
 */

import * as undici from 'undici';
import { Agent, type Dispatcher, fetch as undiciFetch, FormData as UndiciFormData } from 'undici';
import { type Check, checkOptions, expectObject, number, oneOf, row } from './runtime/expect.ts';
import { fetchWithinOrigin, isRedirectedHeader, REDIRECTS } from './fetch-transport.ts';
import { isRequest, plainInit, recordOf } from './http/request-parts.ts';
import type { Fetch } from './transport.ts';

/** The options of `createUndiciFetch`. */
export interface UndiciFetchOptions {
  /** Connections per origin. @default unlimited */
  readonly connections?: number | undefined;
  /** For a TCP or TLS connection. @default 10000 */
  readonly connectTimeoutMs?: number | undefined;
  /** From the request sent to the response headers; LLMs may think for minutes. @default 300000 */
  readonly headersTimeoutMs?: number | undefined;
  /** Between two pieces of a body; `Infinity` and 0 mean none. See docs/time-limits.md. @default 300000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** An idle connection is closed after this. @default 4000 */
  readonly keepAliveTimeoutMs?: number | undefined;
  /** `environment` obeys `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, and needs undici 6.14 or later. @default 'none' */
  readonly proxy?: 'none' | 'environment' | undefined;
  /**
   * @default for a request with a header that is named like a credential (`x-api-key`, `private-token`, …): followed
   *   within the origin, refused to another; otherwise that of the request
   */
  readonly redirect?: RequestInit['redirect'] | undefined;
}

/** A fetch with its own connections. */
export type UndiciFetch = Fetch & {
  /** The global one: SDKs upload a file only if the `Response` of a fetch takes the global `FormData`, as this fetch does. */
  readonly Response: typeof Response;
  /** Waits for requests in progress, then closes the connections. */
  close(): Promise<void>;
};

/** `Infinity` and 0 mean none. */
const TIME_LIMIT = { integer: true, max: Infinity };

/** undici itself refuses an invalid number only at the first request, and ignores unknown names. */
const CHECKS: { readonly [K in keyof UndiciFetchOptions]-?: Check } = {
  connections: number({ min: 1, integer: true }),
  connectTimeoutMs: number({ integer: true }),
  headersTimeoutMs: row(number(TIME_LIMIT), 'timeout'),
  bodyTimeoutMs: number(TIME_LIMIT),
  keepAliveTimeoutMs: number({ min: 1, integer: true }),
  proxy: oneOf(['none', 'environment']),
  redirect: oneOf(REDIRECTS),
};

/**
 * Creates a fetch over undici. Pass it to `createRetryFetch` or `FetchTransport`.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function createUndiciFetch(options: UndiciFetchOptions = {}): UndiciFetch {
  const given = checkOptions('', expectObject('options', options, 'an object such as { connections: 8 }'), CHECKS);
  const agent = createAgent(given);
  const send: Fetch = async (url, init) =>
    (await undiciFetch(
      url as string,
      { ...init, dispatcher: agent } as Parameters<typeof undiciFetch>[1],
    )) as unknown as Response;
  const fetch: Fetch = async (input, init) => {
    // undici's fetch does not accept a `Request` of another realm, so its parts are passed.
    const [url, own] = isRequest(input) ? [input.url, requestInit(input)] : [input, undefined];
    const merged = { ...own, ...(init && plainInit(init)) };
    const request = isForeignForm(merged.body)
      ? { ...merged, body: ownForm(merged.body) as unknown as FormData }
      : merged;
    if (given.redirect !== undefined) return send(url, { ...request, redirect: given.redirect });
    // The `redirect` of a `Request` is 'follow' by default.
    const follows = (merged.redirect ?? 'follow') === 'follow';
    const carriesKey = Object.keys(recordOf(merged.headers)).some(isRedirectedHeader);
    return follows && carriesKey ? fetchWithinOrigin(send, String(url), request) : send(url, request);
  };
  return Object.assign(fetch, { Response: globalThis.Response, close: () => agent.close() });
}

function createAgent(options: UndiciFetchOptions): Dispatcher {
  const settings: Agent.Options = {
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
    headersTimeout: limitOf(options.headersTimeoutMs),
    bodyTimeout: limitOf(options.bodyTimeoutMs),
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 4_000,
    ...(options.connections !== undefined && { connections: options.connections }),
  };
  if (options.proxy !== 'environment') return new Agent(settings);
  // Not imported by name: undici before 6.14 does not export it, and then this whole entry could not be imported.
  if (undici.EnvHttpProxyAgent === undefined) throw new TypeError("`proxy: 'environment'` needs undici 6.14 or later.");
  return new undici.EnvHttpProxyAgent(settings);
}

/** undici has 0 for none. */
function limitOf(ms = 300_000): number {
  return ms === Infinity ? 0 : ms;
}

function requestInit(request: Request): RequestInit & { readonly duplex?: 'half' } {
  const { method, headers, body, signal, redirect } = request;
  return { method, headers: [...headers], signal, redirect, ...(body !== null && { body, duplex: 'half' as const }) };
}

/** undici's fetch accepts only its own `FormData`, and would send any other as the text `[object FormData]`. */
function isForeignForm(body: unknown): body is FormData {
  return body instanceof FormData && !(body instanceof UndiciFormData);
}

function ownForm(form: FormData): UndiciFormData {
  const own = new UndiciFormData();
  for (const [name, value] of form) {
    if (typeof value === 'string') own.append(name, value);
    else own.append(name, value, value.name);
  }
  return own;
}
