/**
 * One logical request as the loop sees it, whichever door it came through: who it is, whether it can be sent again,
 * and how to send it.
 */

import type { Target } from '../fallback/fallback.ts';
import type { InBandFailure } from './hold.ts';
import type { HeadersLike, TransportResponse } from '../transport.ts';

/** What an attempt changes in the caller's arguments. */
export interface AttemptChanges {
  /** In place of the caller's signal: it aborts with it, and at the attempt's limit. */
  readonly signal: AbortSignal | undefined;
  /** Added unless the caller has set them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the attempt goes instead of the caller's own URL. */
  readonly target: Target | undefined;
}

export interface Exchange<R> {
  readonly method: string;
  /** As the caller gave it: never shown. */
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  readonly signal: AbortSignal | undefined;
  readonly replayable: boolean;
  /**
   * Sends attempt `attempt` (from 1); `last` tells that no other will follow. Without changes the first attempt gets
   * exactly the caller's arguments, unless it was deferred. May throw instead of rejecting.
   */
  send(attempt: number, last: boolean, changes: AttemptChanges | undefined): Promise<R>;
  /** The first attempt will not be sent in the caller's turn, so it gets a copy too. Called in that turn. */
  defer(): void;
  /** No retry will follow: let go of the copies. */
  release(): void;
}

/** What an attempt ended in. `inBand`: a success that turned out to carry a failure. */
export type Settled<R> = { readonly response: R; readonly inBand?: InBandFailure } | { readonly error: unknown };

/** The response as the loop needs it; a transport of the caller's own may give less than a `Response`. */
interface ResponseLike {
  readonly ok?: boolean;
  readonly status?: number;
  readonly headers?: HeadersLike;
}

/** What a transport resolves with is a response, by its interface; the rest of a `Response` may be missing. */
export function isResponse(value: unknown): value is Response | TransportResponse {
  return typeof value === 'object' && value !== null;
}

/** Below 400 is the caller's business. A transport that gives no status is believed by its `ok`. */
export function isSuccess(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return true;
  const { status }: ResponseLike = response;
  return typeof status === 'number' ? status < 400 : !('ok' in response) || response.ok !== false;
}

/** Whether an attempt ended well. */
export function hasSucceeded<R>(settled: Settled<R>): settled is { readonly response: R } {
  return 'response' in settled && settled.inBand === undefined && isSuccess(settled.response);
}

/** The callbacks get the very thing that was thrown, which by their type is an `Error`. */
export function isThrown(value: unknown): value is Error {
  return value !== undefined;
}
