/**
 * One request as the loop sees it, the same for `createRetryFetch`, `RetryTransport` and `withRetry`: what it is,
 * whether it can be sent again, how to send it, and the outcome of an attempt.
 */

import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { Verdict, Wording } from '../classify/index.ts';
import type { Words } from '../http/request-words.ts';
import type { AttemptTarget } from '../route/route.ts';

/** What an attempt changes in the caller's arguments. */
export interface AttemptChanges {
  /** In place of the caller's signal: aborts with it, and at the time limit of the attempt. */
  readonly signal: AbortSignal | undefined;
  /** Added unless the caller has set them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the attempt goes instead of the caller's own URL. */
  readonly target: AttemptTarget | undefined;
}

export interface Exchange<R> {
  readonly method: string;
  /** As the caller gave it. Never shown unscrubbed. */
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  /** Secrets that the inner transport adds. */
  readonly secrets?: readonly string[] | undefined;
  /** The body as given; a gate may read its model or its size. */
  readonly body: unknown;
  /** What the body says; undefined until it has been read with `readWords`. An operation has none. */
  readonly words?: Words | undefined;
  /** Reads a body that is not in memory as text or bytes. Never rejects. */
  readWords?(): Promise<void>;
  readonly signal: AbortSignal | undefined;
  readonly replayable: boolean;
  /** How the texts of errors are read, for an operation of `withRetry`; undefined for a request. */
  readonly wording?: Wording | undefined;
  /** The last word on a thrown error. */
  reread?(failure: Failure, error: unknown): Failure;
  /**
   * Sends attempt `attempt` (from 1). `last`: no other will follow. Without changes the first attempt gets exactly the
   * caller's arguments, unless it was deferred. May throw or reject.
   */
  send(attempt: number, last: boolean, changes: AttemptChanges | undefined): Promise<R>;
  /** The first attempt will be sent later, so it needs a copy too. Called synchronously. */
  defer(): void;
  /** No retry will follow: releases the copies. */
  release(): void;
  /** The call was given up. */
  gaveUp?(end: GaveUp<R>): void;
}

/** What a call ended in that was given up. */
export interface GaveUp<R> {
  readonly failure: Failure;
  readonly outcome: AttemptOutcome<R>;
  readonly history: readonly AttemptRecord[];
  /** When the server may be asked again, in milliseconds since the epoch; 0 if it named no time. */
  readonly notBefore: number;
}

/** A failure that was found inside a success, and the text that it was found in. */
export interface InBandFailure {
  readonly verdict: Verdict;
  readonly body: string;
}

/**
 * The outcome of an attempt. `inBand`: a failure inside a response that looked like a success. `isWhole`: a stream that
 * was read to its end.
 */
export type AttemptOutcome<R> =
  | { readonly response: R; readonly inBand?: InBandFailure; readonly isWhole?: boolean }
  | { readonly error: unknown };
