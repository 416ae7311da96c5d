/**
 * The gate: what many callers of one limit have in common.
 *
 * A limit belongs to a key, not to a call. A call that is refused learns what a hundred others will learn by being refused
 * too, and each of them repeats its request as if it were alone. So a server that is asked for too much is asked for even
 * more, and one that is down is asked all the time. A gate lets the calls share what each of them saw.
 *
 * It promises to be harmless first. It is open, and a few numbers per key, until refusals are more than an accident that a
 * retry mends; an interactive first attempt waits a quarter of a second at most, unless nothing gets through at all or what
 * the server announced has to last; and it steps aside where waiting does not help. Under every ordinary
 * limiter it serves what plain retries serve, as fast, with fewer refusals; `limit.ts` says how.
 *
 * Every call has a session per target: it asks when an attempt could be sent, takes the slot right before it sends, and
 * reports what the attempt ended in. The gate sends nothing, and has no timer and no clock of its own: each method gets
 * the time of `runtime.monotonic`.
 */

import type { CircuitPhase, GateRefusal } from '../events/gate-event.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { Runtime } from '../runtime.ts';
import type { HeadersLike } from '../transport.ts';

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
  /** The call has ended, or turned to another target. Gives back what was not used. May be called more than once. */
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

/** Shared by all calls that are made with it. */
export interface Gate {
  /** A session for one call at one target. */
  session(request: GateRequest, options: GateSessionOptions): GateSession;
  /** The key of a request: its origin, and a hash in place of its credential. */
  keyOf(request: GateRequest): string;
  /** Calls of this process in line, over all keys. */
  readonly waiting: number;
  /** How every known key stands. For people and metrics. `nowMs`: @default `performance.now()` */
  readings(nowMs?: number): readonly GateReading[];
}
