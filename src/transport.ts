/** The shapes that a transport speaks. Nothing here runs. */

/** `fetch`, as every runtime and every SDK spells it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Request headers as a plain record. */
export type HttpHeaders = Record<string, string>;

/** Response headers in any shape that callers have at hand. Names are case-insensitive in each of them. */
export type HeadersLike = Headers | Record<string, string> | { get(name: string): string | null };

/** What `get` gives: a `Response`, or as much of one as a transport of the caller's own has. */
export interface TransportResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers?: Headers;
  json<T>(): Promise<T>;
  text(): Promise<string>;
}

/**
 * One request, one response. `RetryTransport` implements what it wraps, so a caller cannot tell the two apart.
 *
 * Both methods resolve for every status and reject only when there is no response at all.
 */
export interface HttpTransport {
  get(url: string, headers?: HttpHeaders, signal?: AbortSignal): Promise<TransportResponse>;
  post(url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Response>;
}
