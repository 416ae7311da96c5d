/**
 * One call from its first attempt to its end. It holds only what belongs to the whole call; what a step learns about one
 * attempt it returns, and the next step gets it.
 */

import {
  announce,
  type Details,
  identify,
  type Identity,
  isHeard,
  type LastEvent,
  type Summary,
} from '../events/announce.ts';
import type { Ended } from '../events/outcome-of.ts';
import { type Steering, steeringOf } from '../events/steering.ts';
import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { Route } from '../route/route.ts';
import type { Policy } from '../options/policy.ts';
import { Counter } from './counter.ts';
import type { Face } from './face.ts';
import type { Times, Unjudged, Wait } from './steps.ts';

/** Returns when what follows the progress began. */
export type Progress = (call: Call<unknown>, startedAt: number) => number;

export class Call<R> {
  readonly policy: Policy;
  readonly face: Face<R>;
  /** Which target is asked, and when; undefined without a gate and without a chain. */
  readonly route: Route | undefined;
  /** What `progress()` of an operation does; undefined for a request. */
  readonly progress: Progress | undefined;
  /** When the first attempt or the wait for it began. All times here are milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the present chain of retries began: the same, or the last progress. */
  chainStartedAt: number;
  counter: Counter;
  /** The attempts that have ended. */
  readonly records: AttemptRecord[] = [];
  /** The latest moment that was waited for, on the monotonic clock; it counts as passed even if the clock stands still. */
  waitedUntilMs: number = -Infinity;
  /** When the wait ends that was planned last, in milliseconds since the epoch. */
  waitsUntil: number = 0;
  /** Tells the controller that the call has ended; undefined before its first wait, and without a controller. */
  endRetrying: (() => void) | undefined;
  #identity: Identity | undefined;
  /** The same for all ends of the call. */
  readonly #token: object = {};

  /** `attempts`: those that were sent before this was needed. */
  constructor(
    policy: Policy,
    face: Face<R>,
    startedAt: number,
    route: Route | undefined,
    attempts: number,
    progress: Progress | undefined,
  ) {
    this.policy = policy;
    this.face = face;
    this.route = route;
    this.progress = progress;
    this.startedAt = startedAt;
    this.chainStartedAt = startedAt;
    this.counter = new Counter(attempts);
  }

  get isAborted(): boolean {
    return this.face.signal?.aborted === true;
  }

  /** Whether a controller is switched off. */
  get isSwitchedOff(): boolean {
    return this.policy.controllers.some(({ enabled }) => !enabled);
  }

  /** The monotonic clock, but never before the end of a wait that has ended. */
  get nowMs(): number {
    return Math.max(this.policy.runtime.monotonic(), this.waitedUntilMs);
  }

  /** The time since the call began. Never negative: the clock may have been set back. */
  elapsedMs(atMs: number): number {
    return Math.max(0, atMs - this.startedAt);
  }

  /** The moment from which a wait counts, because the server's hint counts from there. */
  countsFrom({ endedMonotonicMs }: Times, now: number): number {
    // By the monotonic clock. One millisecond less, because a clock that counts whole milliseconds may be ahead by one.
    return now - Math.max(0, this.policy.runtime.monotonic() - endedMonotonicMs - 1);
  }

  /** Whether the first attempt waits for its turn, or for the check of its abort; if not, it is sent synchronously. */
  get waitsFirst(): boolean {
    return this.policy.config.gate !== undefined || this.isAborted || this.route?.rests?.(this.nowMs) === true;
  }

  get steerings(): readonly Steering[] {
    return this.policy.controllers.map((controller) => steeringOf(controller));
  }

  /** Records the last attempt. `failure`: null for a success. */
  record(
    { startedAt, endedAt, failed }: Pick<Unjudged<unknown>, 'startedAt' | 'endedAt' | 'failed'>,
    failure: Failure | null,
    wait?: Pick<Wait, 'delayMs' | 'because'>,
  ): void {
    const target = this.route?.current.name;
    const entry: AttemptRecord = {
      attempt: this.counter.attempts,
      startedAt,
      durationMs: Math.max(0, endedAt - startedAt),
      failure,
      delayMs: wait?.delayMs ?? null,
      because: wait?.because ?? null,
      ...(target !== undefined && { target }),
    };
    this.records.push(sealed(entry, failed?.recorded));
  }

  /** Makes the recorded wait after the last attempt longer. */
  extendWait(delayMs: number): void {
    const last = this.records.pop();
    if (last !== undefined) this.records.push(sealed({ ...last, delayMs: (last.delayMs ?? 0) + delayMs }, last));
  }

  /** The failure of the last attempt that has ended. */
  get lastFailure(): Failure | undefined {
    return this.records.at(-1)?.failure ?? undefined;
  }

  /** A frozen snapshot of the attempts so far. */
  get history(): readonly AttemptRecord[] {
    return Object.freeze([...this.records]);
  }

  /** What the last event of the call reports. */
  get summary(): Summary {
    const elapsedMs = Math.max(0, this.policy.runtime.now() - this.chainStartedAt);
    return { attempts: this.counter.attempts, elapsedMs, history: this.history };
  }

  /** Computed at the first event, for most calls have none. */
  get identity(): Identity {
    const { method, url } = this.face.request;
    return (this.#identity ??= identify(this.policy.config.callId, method, url, this.face.secrets));
  }

  /** What follows has an id of its own, unless the caller has given the call one. */
  renew(): void {
    this.#identity = undefined;
  }

  emit(details: Details): void {
    const { policy } = this;
    if (isHeard(policy)) announce(policy, Object.freeze({ ...this.identity, at: policy.runtime.now(), ...details }));
  }

  /** Tells how the call ended, unless listeners know it. Otherwise the event is made only when `outcomeOf` asks for it. */
  end(details: Details<LastEvent>, isTold = false): Ended {
    const { policy, face } = this;
    const tells = isHeard(policy) && !isTold;
    const identity = tells ? this.identity : this.#identity;
    const at = policy.runtime.now();
    // Holds no more of the request, because a response may live long.
    const { callId } = policy.config;
    const { method, url } = face.request;
    const { secrets } = face;
    let made: LastEvent | undefined;
    const event = (): LastEvent =>
      (made ??= Object.freeze({ ...(identity ?? identify(callId, method, url, secrets)), at, ...details }));
    if (tells) announce(policy, event());
    return { call: this.#token, event };
  }
}

/** The error is not enumerable: it may hold secrets, which must not get into a log or a journal. */
function sealed(entry: AttemptRecord, { error }: { readonly error?: unknown } = {}): AttemptRecord {
  return Object.freeze(error === undefined ? entry : Object.defineProperty(entry, 'error', { value: error }));
}
