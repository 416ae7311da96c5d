/**
 * Which target a call asks, and when. A fallback chain knows other targets, a gate knows when a target takes the next
 * request. A call that has one of them gets a route, which keeps its target and asks the gate of that target. Gates and
 * chains bring the code of the route with them, so a program without any does not load it.
 */

import type { CircuitPhase, GateRefusal } from '../events/gate-event.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/history.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Fetch, HeadersLike, HttpHeaders } from '../transport.ts';
import type { GateRefusedReason } from './gate-refused-error.ts';

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
  /** Opens the route of a call with this chain. A chain of your own takes it from one of `createFallback`. */
  readonly openRoute: OpenRoute;
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

/** A request, as far as a gate looks at it: of the caller, or of a target of a chain or one key of a rotation. */
export interface GateRequest {
  readonly url: string;
  readonly headers?: RequestInit['headers'] | undefined;
  /** Read only for `key: 'model'` and for `cost`, once per session. */
  readonly body?: unknown;
}

/** A retry that a call plans. */
export interface GateRetry {
  /** What the attempt before it ended in. */
  readonly failure: Failure;
  /** When the call itself plans to send, on the gate's clock. */
  readonly atMs: number;
}

/** Whether, and otherwise when, an attempt may be sent. */
export type GateAnswer =
  | { readonly go: true }
  | {
      readonly go: false;
      readonly refused: null;
      /** From `nowMs` on, all in all. */
      readonly waitMs: number;
      /** The part of it that is a hold for every call, without spread or padding; 0 when it is only paced. */
      readonly holdMs: number;
      readonly because: 'pace' | 'cooldown';
      /** The type of the failure that began the hold; null when it is only paced. */
      readonly heldBy: FailureType | null;
    }
  | {
      readonly go: false;
      readonly refused: GateRefusal;
      /** When the answer may be another; 0: unknown. */
      readonly waitMs: number;
    };

/** What an attempt ended in. The hint of a failure is the one that the policy accepts. */
export type GateOutcome =
  | { readonly type: 'success'; readonly headers?: HeadersLike | undefined }
  | { readonly type: 'failure'; readonly failure: Failure; readonly headers?: HeadersLike | undefined }
  /** The caller took the attempt back: it says nothing about the server. */
  | { readonly type: 'cancelled' };

/** One call at one target. `nowMs` is `runtime.monotonic`. */
export interface GateSession {
  /** Whose limit it is. Shows no credential. */
  readonly key: string;
  /**
   * When could the attempt be sent? Takes no slot and no token, but keeps the call's place in line until `take`,
   * `takeAnyway` or `leave`. `retry`: null for a first attempt.
   */
  estimate(nowMs: number, retry: GateRetry | null): GateAnswer | Promise<GateAnswer>;
  /**
   * Called right before an attempt is sent. Takes the slot and, for a retry, the token of the retry budget. If the answer
   * is not `go`, nothing was taken.
   */
  take(nowMs: number, retry: GateRetry | null): GateAnswer | Promise<GateAnswer>;
  /** A person said "retry now": the attempt is sent whatever the gate says, and its place in line is given back. */
  takeAnyway(nowMs: number): void;
  /** Called after each attempt. Never throws. */
  report(nowMs: number, outcome: GateOutcome): void;
  /**
   * The call has ended, or turned to another target. Gives back what was not used. May be called more than once. Not
   * called if the first attempt succeeded: then its `report` is the last call.
   */
  leave(nowMs: number): void;
}

/** How a key stands. */
export interface GateReading {
  readonly key: string;
  /** Calls of this process in line. */
  readonly waiting: number;
  /** How long the hold lasts; 0: there is none. */
  readonly cooldownMs: number;
  /** What is in the retry budget; null: there is none. */
  readonly tokens: number | null;
  readonly circuit: CircuitPhase;
}

/** What a session takes from its call. */
export interface GateSessionOptions {
  readonly runtime: Pick<Runtime, 'now' | 'random'>;
  /** @default 'interactive' */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /** The key itself, in place of the one that is made from the request. */
  readonly gateKey?: string | undefined;
}

/** Made by `createGate`. Shared by all calls that are made with it. */
export interface Gate {
  /** Opens the route of a call with this gate. A gate of your own takes it from one of `createGate`. */
  readonly openRoute: OpenRoute;
  /** A session for one call at one target. */
  session(request: GateRequest, options: GateSessionOptions): GateSession;
  /** The key of a request: its origin, and a hash in place of its credential. */
  keyOf(request: GateRequest): string;
  /** Calls of this process in line, over all keys. */
  readonly waiting: number;
  /** How every known key stands. For people and metrics. `nowMs`: @default `performance.now()` */
  readings(nowMs?: number): readonly GateReading[];
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
  succeeded(nowMs: number, headers: HeadersLike | undefined): void;
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
