/**
 * Remembers the calls of a `fetch` that were given up. An SDK with retries of its own sends such a request again and
 * says so in a header. It then gets one request, not before the moment that the server named, in place of a fresh set
 * of retries.
 */

import type { Failure } from '../failure/failure.ts';
import { recordOf } from '../fetch/request-parts.ts';
import type { Exchange } from './exchange.ts';

/** A call that was given up. */
export interface GivenUp<R> {
  /** When the next request may be sent, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** The failure once more, for a request that comes too early to wait. */
  answer(): R;
}

/** By request. */
export type GivenUpCalls = Map<string, GivenUp<Response>>;

const MOST_REMEMBERED = 100;

/** Remembers a call, unless its client does not count its retries. */
export function rememberGivenUp(
  calls: GivenUpCalls,
  request: Exchange<Response>,
  { message, status = 503 }: Failure,
  notBefore: number,
): void {
  if (retryCountOf(request) === undefined) return;
  // Without `x-should-retry: false`: an SDK with retries left may still wait until that moment.
  const headers = { 'retry-after': new Date(notBefore).toUTCString() };
  if (calls.size === MOST_REMEMBERED) calls.clear();
  calls.set(keyOf(request), { notBefore, answer: () => new Response(message, { status, headers }) });
}

/** The call that a request repeats; undefined for a new one. */
export function givenUpBefore(calls: GivenUpCalls, request: Exchange<Response>): GivenUp<Response> | undefined {
  return Number(retryCountOf(request)) > 0 ? calls.get(keyOf(request)) : undefined;
}

const retryCountOf = ({ headers }: Exchange<Response>): string | undefined =>
  recordOf(headers)['x-stainless-retry-count'];

const keyOf = ({ url, body }: Exchange<Response>): string => `${url} ${String(body)}`;
