/**
 * One request as the loop sees it, whichever face it came through: what it is, whether it can be sent again, how to
 * send it, and what an attempt ended in.
 */

import type { Verdict, Wording } from '../classify/index.ts';
import type { Target } from '../fallback/fallback.ts';

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
  /** Secrets that the inner transport adds by itself. */
  readonly secrets?: readonly string[] | undefined;
  /** What was given as the body; a gate may read the model or the size of it. */
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
  readonly replayable: boolean;
  /** The words in which an operation of any kind may fail; undefined for a request, whose failures have more to them. */
  readonly wording: Wording | undefined;
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

/** A failure that was found inside a success, and the words it was found in. */
export interface InBandFailure {
  readonly verdict: Verdict;
  readonly body: string;
}

/** What an attempt ended in. `inBand`: a success that turned out to carry a failure. */
export type AttemptOutcome<R> = { readonly response: R; readonly inBand?: InBandFailure } | { readonly error: unknown };
