/**
 * Which target a call uses, and when. A fallback chain knows other targets, a gate knows when a target takes the next
 * request. A call that has one of them gets a route, which keeps its target and the gate of that target. A chain
 * brings the code of its route with it, so a program without one does not load it.
 */

import type { opaque } from '../runtime/opaque.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { Gate, GateAnswer, GateOutcome, GateRequest, GateRetry, GateSessionOptions } from '../gate/gate.ts';
import type { GateSession } from '../gate/session.ts';
import type { Moments } from '../moments/moments.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Fetch, HttpHeaders } from '../transport.ts';

/** A request as a target may rewrite it. */
export interface FallbackRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: HttpHeaders;
  /** The body as given; that of a `Request` as text, or as bytes if it is not text. */
  readonly body: unknown;
}

/** A request in the shape of `fetch`. */
export interface FetchRequest {
  readonly inner: Fetch;
  readonly input: Parameters<Fetch>[0];
  readonly init: RequestInit | undefined;
  readonly method: string;
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Added unless the target has set them. */
  readonly headers: HttpHeaders;
}

/** A model, a provider or a key. */
export interface Target {
  /** Shown in events and in the history. */
  readonly name: string;
  /** Sends in place of the inner fetch or transport, which may add a key of another origin. */
  readonly fetch?: Fetch | undefined;
  /** The request before `rewrite`; a gate uses it to find the limit. @default the caller's own */
  offer?(request: FallbackRequest): FallbackRequest;
  /** The request that this target gets. If it throws, the attempt fails. */
  requestFor(request: FallbackRequest): FallbackRequest | Promise<FallbackRequest>;
  /** Sends a request of `fetch`, whose parts `rewrite` changes. */
  sendFetch(request: FetchRequest, rewrite: Target['requestFor']): Promise<Response>;
}

/** A target, and how long the call has to wait before it may use the target. */
export interface NextTarget {
  readonly target: Target;
  readonly waitMs: number;
}

/**
 * Made by `createFallback` or `createKeyRotation`, and shared by many calls. What it does inside is not part of the
 * contract.
 */
export interface FallbackChain {
  readonly [opaque]: 'fallback';
}

/** A chain from the inside. */
export interface Chain {
  /** The members of its targets that change a request: `url`, `model`, `headers`, `fetch`, `rewrite`; `keys` of a rotation. */
  readonly uses: readonly string[];
  /** The name of the request's own target. */
  readonly primary: string;
  /** Retries on the first target before the next one is used; a failure that no retry can help moves on at once. */
  readonly maxRetriesBeforeFallback: number;
  /** Retries on each further target. */
  readonly additionalRetries: number;
  /** How long a target rests after a failure that names no time, by type. */
  readonly restMs: Readonly<Partial<Record<FailureType, number>>>;
  /** Which targets rest, for all calls; the caller's own request by its origin and credential. */
  readonly moments: Moments<Target | string, Resting>;
  /**
   * The targets that may follow a failure, in order, without those that were asked.
   *
   * @param fallsBack `fallback` of the caller's strategy for this failure; undefined without one
   */
  left(failure: Resting, asked: readonly Target[], fallsBack?: boolean): readonly Target[];
  /** Of a rotation, which chooses a target for each attempt. Any other chain begins with the request's own target. */
  readonly keys?: Keys;
}

/** The keys of a rotation. All times are by the monotonic clock. */
export interface Keys {
  /**
   * Chooses the key of an attempt, right before it; the attempt waits until `waitMs` is 0. Infinity: no key is left.
   *
   * @param passed keys whose gate lets no request through now; the answer is undefined if no other is left
   */
  readonly choose: (nowMs: number, passed?: readonly Target[]) => NextTarget | undefined;
  /**
   * The key that follows a failure of another one; undefined: it was no failure of a key, or none is left.
   *
   * @param sentAtMs when the attempt was sent that failed; what was in flight says nothing about a later moment
   */
  readonly refused: (
    failure: Resting,
    key: Target | undefined,
    nowMs: number,
    sentAtMs: number,
  ) => NextTarget | undefined;
  /** An attempt with a key has succeeded. */
  readonly answered: (key: Target) => void;
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
  readonly common: { readonly schedule: (retry: number, failure: Failure, random: () => number) => number | undefined };
  readonly maxRetries: number;
  readonly retryAfter: 'obey' | 'clamp' | 'ignore';
  readonly maxRetryAfterMs: number;
  readonly runtime: Required<Runtime>;
}

/** The caller's own request, as events, gates and targets see it. */
export interface RouteRequest extends GateRequest {
  readonly method: string;
  /** What a target would get, for the gate of that target. */
  at(target: Target): GateRequest;
}

/** Counts the attempts of a call. */
export interface TurnCounter {
  /** Attempts that count on the current target. */
  readonly onTarget: number;
  /** Attempts that were started. */
  readonly attempts: number;
  /** Attempts on earlier targets. */
  before: number;
  /** Attempts on the current target that cost no retry. */
  free: number;
}

/** Opens the route of a call. */
export type OpenRoute = (policy: RoutePolicy, request: RouteRequest) => Route;

/**
 * The targets of one call, and their gates. `nowMs` is by the monotonic clock. What a method finds out it returns; the
 * call passes it to the next one.
 */
export interface Route {
  readonly current: CurrentTarget;
  /** Takes the turn of a first attempt that is sent at once; undefined without a gate. */
  takeFirst(nowMs: number): GateAnswer | undefined;
  /** Whether the first attempt needs a turn of its own, because its target rests or is chosen; absent without a chain. */
  rests?(nowMs: number): boolean;
  /**
   * The call leaves its target after a failure, or ends with it (`isLeft` false): it may rest for every call. If it rests
   * until a named time, the answer is how long the first of the call's targets rests. Absent without a chain.
   */
  rest?(nowMs: number, failure: Failure, isLeft: boolean): number | undefined;
  /** Tells the gate what an attempt ended in. */
  report(nowMs: number, outcome: GateOutcome): void;
  /** How a failed attempt counts on the current target, and whether another follows; absent where there is no other. */
  standing?(nowMs: number, failure: Failure, counter: TurnCounter): Standing;
  /** Chooses the target of a retry that was decided. Takes nothing. */
  plan(nowMs: number, retry: PlannedRetry): Choice;
  /** Chooses the target right before an attempt, and takes its turn. */
  take(nowMs: number, turn: Turn): Choice;
  /** Accepts a choice; null if it is the current target, as always where there is no other. `failure`: the last one. */
  adopt?(nowMs: number, choice: Choice, counter: TurnCounter, failure: Failure | undefined): Move | null;
  /** The call has ended. With a choice: it is not used, and its place in the queue is given back. */
  leave(nowMs: number, unused?: Choice): void;
}

/** The target that a call uses now, and its gate. */
export interface CurrentTarget {
  /** undefined: the caller's own request. */
  readonly target: Target | undefined;
  /** Shown in the history; undefined without a chain. */
  readonly name: string | undefined;
  readonly session: GateSession | undefined;
  /** Whether the target gets the caller's own request, with its own idempotency key. */
  readonly isOwnRequest: boolean;
}

/** What a wait before a retry means for the targets. */
export interface WaitRules {
  /** Whether the retry goes to the target that follows, at once. */
  readonly moves: boolean;
  /** What must not be used before the wait is over, also by another way than this retry. */
  readonly rests: 'nothing' | 'this target' | 'all targets';
}

/** A retry that was decided. */
export interface PlannedRetry extends WaitRules {
  readonly delayMs: number;
  readonly failure: Failure;
  /** The target that follows the failure, by `standing`. */
  readonly next: NextTarget | undefined;
}

/** An attempt that is about to be sent. */
export interface Turn {
  /** The last failure; undefined before the first attempt. */
  readonly failure: Failure | undefined;
  /** What the gate got when the attempt was planned. */
  readonly retry: GateRetry | null;
  /** The gate's answer for a first attempt that could not be sent at once. */
  readonly answer: GateAnswer | undefined;
  /** After `retryNow`: whatever the gate says. */
  readonly isForced: boolean;
  /** Whether no target is waited for because it rests. */
  readonly ignoresRests: boolean;
}

/** How the attempts of a call count on its target. */
export interface Standing {
  readonly maxRetries: number;
  /** Another target for the failure, and how long it rests; null: none. `isUsed`: the call has used it before. */
  readonly fallback: {
    readonly next: NextTarget;
    readonly restMs: number;
    readonly afterRetries: number;
    readonly isUsed: boolean;
  } | null;
  /** The retries that the targets after this one have, the move to each included. */
  readonly retriesElsewhere: number;
}

/** A target for the next attempt. */
export interface Choice {
  /** undefined: the caller's own request. */
  readonly target: Target | undefined;
  readonly session: GateSession | undefined;
  /** How long the target rests. */
  readonly restMs: number;
  readonly answer: GateAnswer;
  /** What the gate got of the retry; null for a first attempt. */
  readonly retry: GateRetry | null;
  /** Whether the turn was taken, and not only planned. */
  readonly isTaken: boolean;
  /** The gate's answer for the target that was tried first; undefined if that one was taken. */
  readonly passedOver: GateAnswer | undefined;
  /** What keeps the attempt from being sent; null: nothing. In a plan, a rest is no obstacle. */
  readonly obstacle: RouteObstacle | null;
}

/** What is known of the failure that made a target rest. */
export type Resting = Pick<Failure, 'type'> & Partial<Failure>;

/** Why an attempt cannot be sent now, and when it may be. */
export interface RouteObstacle {
  /** The attempt is refused; null: it has to wait. */
  readonly stop: StopReason | null;
  /** The error of a call that ends here and has no outcome to return. */
  readonly refusal: () => Error;
  /** From now on. 0 or Infinity: unknown. */
  readonly waitMs: number;
  /** The part of it in which no call is let through. */
  readonly holdMs: number;
  readonly because: WaitReason;
  /** See {@link GateAnswer}. */
  readonly isStated?: boolean | undefined;
  /** Whether neither a server nor a limit names the end of the wait. */
  readonly isGuess: boolean;
  readonly onFree?: ((wake: () => void) => void) | undefined;
  /**
   * What rests until then. A key is never sent before, also after `retryNow`. A target is only used after the others: if
   * the call may not wait so long, it is used all the same.
   */
  readonly rests: 'key' | 'target' | null;
  /** Why it rests. */
  readonly reason?: Resting | undefined;
}

/** A call has moved to another target. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly failure: Failure;
  /** The retries that the new target and those after it have; null: they are those of the call. */
  readonly retries: number | null;
}
