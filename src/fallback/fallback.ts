/**
 * Where else to ask when waiting does not help. The loop knows nothing of models, providers and keys: it asks the chain
 * for the next target, and sends what the target makes of the request.
 */

import type { FailureType } from '../failure/failure.ts';
import type { Fetch, HttpHeaders } from '../transport.ts';

/** A request as a target may rewrite it. */
export interface FallbackRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: HttpHeaders;
  /** What was given to a transport's `post` or a fetch; the body of a `Request` as text, or as bytes where it is none. */
  readonly body: unknown;
}

/** One place to ask. */
export interface Target {
  /** Shown in events and in the history. */
  readonly name: string;
  /** In place of the inner fetch or transport, for keys that are added below us. */
  readonly fetch?: Fetch | undefined;
  /** The request before it is rewritten, known at once: a gate tells limits apart by it. @default the caller's own */
  offer?(request: FallbackRequest): FallbackRequest;
  /** The request that this target gets. A throw is the failure of the attempt. */
  requestFor(request: FallbackRequest): FallbackRequest | Promise<FallbackRequest>;
}

/** A target, and how long it is to be left alone first. */
export interface NextTarget {
  readonly target: Target;
  readonly waitMs: number;
}

/** Made by `createFallback` or `createKeyRotation`. Shared by many calls. */
export interface FallbackChain {
  /** What the caller's own request is called. */
  readonly primary: string;
  /** Retries on a target before the next is tried; a failure that no retry can help falls back at once. */
  readonly maxRetriesBeforeFallback: number;
  /** Retries on each target after the first. */
  readonly additionalRetries: number;
  /**
   * The target of an attempt, asked right before it; the attempt waits until the answer is a wait of 0. An infinite wait:
   * no target is left. A chain without `choose` begins with the caller's own request and goes on with what `next` gives.
   *
   * @param passed targets whose gate lets no request through now; undefined when no other is left
   */
  choose?(nowMs: number, passed?: readonly Target[]): NextTarget | undefined;
  /**
   * Where a failure leads; undefined: no other target helps. `nowMs`: on a clock that is never set.
   *
   * @param asked the targets of this call so far
   * @param fallsBack what the caller's strategy for this failure says; undefined where there is none
   */
  next(
    failure: { readonly type: FailureType; readonly retryAfterMs?: number },
    asked: readonly Target[],
    nowMs: number,
    fallsBack?: boolean,
  ): NextTarget | undefined;
}
