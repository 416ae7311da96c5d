/** The types of a transport. */

/** The type of `fetch`, as all runtimes and SDKs have it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A fetch to wrap: the global one, undici's, node-fetch's. Their `Request` and `Response` types differ, so the parameters
 * are not checked.
 */
export type InnerFetch = (
  // oxlint-disable-next-line typescript/no-explicit-any
  input: any,
  // oxlint-disable-next-line typescript/no-explicit-any
  init?: any,
) => Promise<{
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** Request headers as a plain record. */
export type HttpHeaders = Record<string, string>;

/** Response headers in any shape. Names are case-insensitive in each shape. */
export type HeadersLike = Headers | Record<string, string> | { get(name: string): string | null };

/** The result of `get`: a `Response`, or the part of one that a custom transport has. */
export interface TransportResponse {
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** The HTTP status. */
  readonly status: number;
  /** Without them, no hint of the server is known. */
  readonly headers?: Headers;
  /** Reads the body as JSON. */
  json<T>(): Promise<T>;
  /** Reads the body. */
  text(): Promise<string>;
}

/**
 * One request, one response. `RetryTransport` implements the interface that it wraps, so it can replace the inner
 * transport.
 *
 * Both methods resolve for every status, and reject only if there is no response.
 */
export interface HttpTransport {
  /** Sends a GET. */
  get(url: string, headers?: HttpHeaders, signal?: AbortSignal): Promise<TransportResponse>;
  /** Sends a POST with `body` as JSON, unless it is a body already. */
  post(url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Response>;
}
