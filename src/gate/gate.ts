/** What a gate answers to a call, and what a call reports to it; `session.ts` says when. */

import type { opaque } from '../runtime/opaque.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { HeadersLike } from '../transport.ts';
import type { BodyReaders } from './body-end.ts';
import type { CircuitPhase, GateRefusal } from './gate-event.ts';

/**
 * The parts of a request that a gate reads. It is the caller's request, or that of a target of a chain or a key of a
 * rotation.
 */
export interface GateRequest {
  readonly url: string;
  readonly headers?: RequestInit['headers'] | undefined;
  /** Read only for `key: 'model'` and for `cost`, once per session. */
  readonly body?: unknown;
}

/** A retry that a call plans. */
export interface GateRetry {
  /** How the attempt before it failed. */
  readonly failure: Failure;
  /** When the call itself plans to send, on the gate's clock. */
  readonly atMs: number;
}

/** Whether an attempt may be sent now, or else when. */
export type GateAnswer =
  | { readonly go: true }
  | {
      readonly go: false;
      readonly refused: null;
      /** The whole wait, counted from `nowMs`. */
      readonly waitMs: number;
      /**
       * The part of the wait that is a hold for every call, without spread or padding; 0 if the attempt is only paced.
       */
      readonly holdMs: number;
      readonly because: 'pace' | 'cooldown';
      /** The type of the failure that began the hold; null if the attempt is only paced. */
      readonly heldBy: FailureType | null;
      /** Whether the wait is for a limit that the user has stated, which only `maxElapsedMs` and an abort end. */
      readonly isStated?: boolean | undefined;
      /** Whether neither a server nor a limit names the end of the wait. @default false */
      readonly isGuess?: boolean | undefined;
      /** Takes a function that the gate calls once if the attempt may be sent earlier; the call then asks again. */
      readonly onFree?: ((wake: () => void) => void) | undefined;
    }
  | {
      readonly go: false;
      readonly refused: GateRefusal;
      /** When it is worth asking again; 0: unknown. */
      readonly waitMs: number;
    };

/** How an attempt ended. A failure has the hint that the policy accepts. */
export type GateOutcome =
  | {
      readonly type: 'success';
      readonly headers?: HeadersLike | undefined;
      /** The response that the caller gets. A limit on concurrent requests counts it until its body has ended. */
      readonly response?: unknown;
      /** What is read in place of a response: takes what is told of the reading. */
      readonly readBy?: ((readers: BodyReaders) => void) | undefined;
      /** The signal of the call: the request no longer counts when it aborts. */
      readonly signal?: AbortSignal | undefined;
    }
  | { readonly type: 'failure'; readonly failure: Failure; readonly headers?: HeadersLike | undefined }
  /** The attempt has got further, and goes on: a success that keeps its slot. */
  | { readonly type: 'progress' }
  /** The caller ended the attempt, which says nothing about the server. */
  | { readonly type: 'cancelled' };

/** How a key stands. */
export interface GateReading {
  readonly key: string;
  /** Calls of this process that wait in its queues. */
  readonly waiting: number;
  /** How long the hold lasts; 0: there is none. */
  readonly cooldownMs: number;
  /** The balance of the retry budget; null: there is none. */
  readonly tokens: number | null;
  /** The phase of its circuit breaker; closed without one. */
  readonly circuit: CircuitPhase;
}

/** What a session takes from its call. */
export interface GateSessionOptions {
  readonly runtime: Pick<Runtime, 'now' | 'random' | 'monotonic'>;
  /** @default 'interactive' */
  readonly priority?: 'interactive' | 'batch' | undefined;
  /** The key itself, in place of the one that is made from the request. */
  readonly gateKey?: string | undefined;
}

/** Made by `createGate`, and shared by all calls that are made with it. What it does inside is not part of the contract. */
export interface Gate {
  readonly [opaque]: 'gate';
  /** Calls of this process that wait in its queues, over all keys. */
  readonly waiting: number;
  /** The key of a request: its origin, and a hash in place of its credential. */
  keyOf(request: GateRequest): string;
  /** How every known key stands. For people and metrics. `nowMs`: @default `performance.now()` */
  readings(nowMs?: number): readonly GateReading[];
}
