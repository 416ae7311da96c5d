/** What is read of a response, which a custom transport may make of less than a `Response`. */

import type { HeadersLike, TransportResponse } from '../transport.ts';

/** The members of a response that are read here; a custom transport may return less than a `Response`. */
export interface ResponseLike {
  readonly ok?: boolean;
  readonly status?: number;
  readonly headers?: HeadersLike;
  readonly redirected?: boolean;
}

/** Whether a transport resolved with a response. Members of `Response` may be missing. */
export function isResponse(value: unknown): value is Response | TransportResponse {
  return typeof value === 'object' && value !== null;
}

/** Whether a response is a success: a status below 400, or `ok` if there is no status. */
export function isSuccess(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return true;
  const { status }: ResponseLike = response;
  return typeof status === 'number' ? status < 400 : !('ok' in response) || response.ok !== false;
}

/** The headers of a value, for the gate; undefined if the transport gives none. */
export function headersOf(value: unknown): HeadersLike | undefined {
  return isResponse(value) ? value.headers : undefined;
}
