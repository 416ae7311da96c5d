/**
 * Where a request goes when waiting does not help. The loop knows nothing about models, providers and keys: it asks the
 * chain for the next target, and sends the request that the target returns.
 */

import type { FailureType } from '../failure/failure.ts';
import type { Fetch, HttpHeaders } from '../transport.ts';

/** A request as a target may rewrite it. */
export interface FallbackRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: HttpHeaders;
  /** The body as given; that of a `Request` as text, or as bytes if it is not text. */
  readonly body: unknown;
}

/** A model, a provider or a key. */
export interface Target {
  /** Shown in events and in the history. */
  readonly name: string;
  /** In place of the inner fetch or transport, which may add a key of another origin. */
  readonly fetch?: Fetch | undefined;
  /** The request before `rewrite`, by which a gate finds the limit. @default the caller's own */
  offer?(request: FallbackRequest): FallbackRequest;
  /** The request that this target gets. If it throws, the attempt fails. */
  requestFor(request: FallbackRequest): FallbackRequest | Promise<FallbackRequest>;
}

/** A target, and how long it rests before it may be used. */
export interface NextTarget {
  readonly target: Target;
  readonly waitMs: number;
}

/** Made by `createFallback` or `createKeyRotation`, and shared by many calls. */
export interface FallbackChain {
  /** The name of the request's own target. */
  readonly primary: string;
  /** Retries on the first target before the next one is used; a failure that no retry can help moves on at once. */
  readonly maxRetriesBeforeFallback: number;
  /** Retries on each further target. */
  readonly additionalRetries: number;
  /**
   * Chooses the target of an attempt, right before it; the attempt waits until `waitMs` is 0. Infinity: no target is
   * left. A chain without `choose` starts with the request's own target and continues with those of `next`.
   *
   * @param passed targets whose gate lets no request through now; the answer is undefined if no other is left
   */
  choose?(nowMs: number, passed?: readonly Target[]): NextTarget | undefined;
  /**
   * The target that follows a failure; undefined: no other target helps. `nowMs` is by the monotonic clock.
   *
   * @param asked the targets of this call so far
   * @param fallsBack `fallback` of the caller's strategy for this failure; undefined without one
   */
  next(
    failure: { readonly type: FailureType; readonly retryAfterMs?: number },
    asked: readonly Target[],
    nowMs: number,
    fallsBack?: boolean,
  ): NextTarget | undefined;
}
