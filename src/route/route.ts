/**
 * Which target a call asks, and when. A fallback chain knows other targets, a gate knows when a target takes the next
 * request. A call that has one of them gets a route, which keeps its target and asks the gate of that target. Gates and
 * chains bring the code of the route with them, so a program without any does not load it.
 */

import type { Failure, FailureType } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/history.ts';
import type { Gate, GateAnswer, GateRequest, GateSession, GateSessionOptions } from '../gate/gate.ts';
import type { GateRefusedReason } from '../gate/gate-refused-error.ts';
import type { Fetch, HeadersLike, HttpHeaders } from '../transport.ts';

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
   * @param asked the targets of this call so far; without `choose` none of these objects is used again
   * @param fallsBack `fallback` of the caller's strategy for this failure; undefined without one
   */
  next(
    failure: { readonly type: FailureType; readonly retryAfterMs?: number },
    asked: readonly Target[],
    nowMs: number,
    fallsBack?: boolean,
  ): NextTarget | undefined;
}

/** What a route reads of the options. */
export interface RoutePolicy {
  readonly config: {
    readonly gate?: Gate | undefined;
    readonly fallback?: FallbackChain | undefined;
    readonly priority?: GateSessionOptions['priority'];
    readonly gateKey?: string | undefined;
    readonly idempotencyKeyHeader?: string | undefined;
  };
  readonly strategies: ReadonlyMap<FailureType, { readonly fallback: boolean }>;
  readonly maxRetries: number;
  readonly backoff: { delayFor(retry: number, context: { readonly random: () => number }): number | undefined };
  readonly retryAfter: 'obey' | 'clamp' | 'ignore';
  readonly maxDelayMs: number;
  readonly runtime: GateSessionOptions['runtime'];
}

/** Opens the route of a call. `request`: the caller's own. */
export type OpenRoute = (policy: RoutePolicy, request: GateRequest) => Route;

/** The targets of one call, and their gates. `nowMs` is by the monotonic clock. */
export interface Route {
  /** The current target; undefined: the caller's own request. */
  readonly target: Target | undefined;
  /** The name of the current target; undefined without a chain. */
  readonly name: string | undefined;
  /** Whether each attempt takes a turn right before it is sent. */
  readonly hasTurns: boolean;
  /** Attempts of this call that `standing` does not count, because they belong to earlier targets. */
  readonly retriesBefore: number;
  /** Takes the turn of a first attempt that is sent at once; undefined without a gate. */
  takeFirst(nowMs: number): GateAnswer | Promise<GateAnswer> | undefined;
  /** Tells the gate of a success. */
  succeeded(nowMs: number, headers: HeadersLike | undefined, response?: unknown): void;
  /** Sends an attempt, so that the gate knows the calls that are made within it. */
  within<T>(send: () => T): T;
  /** Tells the gate of a failure. */
  failed(nowMs: number, failure: Failure, headers: HeadersLike | undefined): void;
  /** How a failed attempt counts on the current target, and whether another target follows. */
  standing(nowMs: number, failure: Failure, attempts: number): Standing;
  /** Chooses the target of a retry that was decided. Takes nothing. */
  plan(nowMs: number, decision: PlannedRetry, failure: Failure): Choice | Promise<Choice>;
  /**
   * Chooses the target right before an attempt, and takes its turn. `failure`: the last one; undefined before the first
   * attempt. `isForced`: after `retryNow`, whatever the gate says.
   */
  take(nowMs: number, failure: Failure | undefined, isForced: boolean): Choice | Promise<Choice>;
  /** Moves to the target of a plan; null if it is the current one. */
  moveTo(nowMs: number, choice: Choice, attempts: number, failure: Failure): Move | null;
  /** Accepts the target of a turn. */
  settle(nowMs: number, choice: Choice, attempts: number, failure: Failure | undefined): Move | null;
  /** Gives back the place in line of a choice that is not used. */
  dismiss(nowMs: number, choice: Choice): void;
  /** The retries that a call has which has just moved to another target; null: it has not. */
  retriesAfterMove(attempts: number): number | null;
  /** The error of a call whose next attempt is refused. `waitMs`: when it may be sent; 0 or Infinity: unknown. */
  refusal(choice: Choice, reason: GateRefusedReason, waitMs: number): Error;
  /** The error of a call that a person gave up while it waited. */
  givenUp(waitMs: number): Error;
  /** The current target for an attempt. `learn` hears of each request to it. */
  targetOf(learn: (request: FallbackRequest) => void): AttemptTarget | undefined;
  /** The call has ended. */
  leave(nowMs: number): void;
}

/** A retry that was decided. */
export interface PlannedRetry {
  readonly delayMs: number;
  readonly because: WaitReason;
}

/** How the attempts of a call count on its target. */
export interface Standing {
  readonly attempts: number;
  readonly maxRetries: number;
  /** Another target for the failure, and how long it rests; null: none. */
  readonly fallback: { readonly restMs: number; readonly afterRetries: number } | null;
}

/** A target for the next attempt. */
export interface Choice {
  /** undefined: the caller's own request. */
  readonly target: Target | undefined;
  readonly session: GateSession | undefined;
  /** How long the target rests. */
  readonly restMs: number;
  readonly answer: GateAnswer;
  /** Whether it is the target that was asked first. */
  readonly isFirst: boolean;
  /** What the gate said of the target that was asked first, if another was taken. */
  readonly passedOver: GateAnswer | undefined;
  /** What keeps the attempt from being sent; null: nothing. In a plan, a rest is no obstacle. */
  readonly obstacle: RouteObstacle | null;
}

/** Why an attempt cannot be sent now, and when it may be. */
export interface RouteObstacle {
  /** The attempt is refused; null: it has to wait. */
  readonly stop: StopReason | null;
  readonly reason: GateRefusedReason;
  /** From now on. 0 or Infinity: unknown. */
  readonly waitMs: number;
  /** The part of it in which no call is let through. */
  readonly holdMs: number;
  readonly because: WaitReason;
  /** See {@link GateAnswer}. */
  readonly isStated?: boolean | undefined;
  readonly onFree?: ((wake: () => void) => void) | undefined;
  /** Whether every target rests until then, so that `retryNow` does not end the wait. */
  readonly isRest: boolean;
}

/** A call has moved to another target. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly failure: Failure;
}

/** A request in the shape of `fetch`, with what an attempt changes in it. */
export interface FetchRequest {
  readonly inner: Fetch;
  readonly input: Parameters<Fetch>[0];
  readonly init: RequestInit | undefined;
  readonly method: string;
  readonly url: string;
  /** In place of the caller's signal: aborts with it. */
  readonly signal: AbortSignal | undefined;
  /** Added unless the target has set them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A target as an attempt gets it. */
export interface AttemptTarget extends Target {
  /** Sends a request in the shape of `fetch` to it. */
  sendFetch(request: FetchRequest): Promise<Response>;
}
