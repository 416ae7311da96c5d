/**
 * What the loop knows of a kind of call. A face sends an attempt, and says what came of it: a value, or a failure that
 * carries its own ending. The loop itself knows no response, no status and no body.
 */

import type { RuledFailure } from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason } from '../failure/reasons.ts';
import type { AttemptResult, CallInfo } from '../options/config.ts';
import type { Operation } from '../options/operation.ts';
import type { BreakReason } from '../events/events.ts';
import type { GateOutcome } from '../gate/gate.ts';
import type { RouteRequest, Target } from '../route/route.ts';

/** One attempt, as the loop hands it to a face. */
export interface Attempt<R = unknown> {
  /** From 1. */
  readonly number: number;
  /** In place of the caller's signal: aborts with it, and at the time limit of the attempt. undefined: the caller's. */
  readonly signal: AbortSignal | undefined;
  /** Where it goes; undefined: where the caller sends it. */
  readonly target: Target | undefined;
  /** Whether the target gets the caller's own request, with its own idempotency key. */
  readonly isOwnRequest: boolean;
  /** The first output has arrived: ends the time limit. */
  begun(): void;
  /** More of the answer has arrived: a time limit that is over waits a moment longer for the rest. */
  arrived(): void;
  /** It has got further: what failed before is over, and everything counts anew. */
  progress(): void;
  /** Told of a value that broke after it was handed over, at `sinceMs`. */
  broke(because: BreakReason, value: R, error: unknown, failure: Failure, sinceMs: number): void;
}

/** What a sent attempt has come to. */
export type Settled<R> = { readonly value: R } | { readonly error: unknown };

/** What a face makes of it. */
export type Judged<R> = { readonly value: R } | Failed<R>;

/** A failed attempt. */
export interface Failed<R> {
  /** How it was read, before the caller's `classify`. */
  readonly read: RuledFailure;
  /** Whether it was thrown, and not found in a value. */
  readonly isThrown: boolean;
  /** Whether it was found after the attempt had settled: the wait counts from then. */
  readonly isFoundLater: boolean;
  /** What a gate reads of it. */
  readonly headers?: GateFacts['headers'];
  /** What its record keeps beside the failure; of a request it would keep the request in memory. */
  readonly recorded?: { readonly error: unknown };
  /** What `classify` and `stopIf` are told of it. */
  result(): Omit<AttemptResult, keyof CallInfo>;
  /** What the callbacks get; undefined if none would. */
  errorFor(failure: Failure): Error | undefined;
  /** What stands against a repeat, whatever the failure is. Asked only if a retry or another target could help. */
  obstacle(): StopReason | null | Promise<StopReason | null>;
  /** What the caller gets if this is the last attempt: returned, or thrown. */
  end(failure: Failure, stop: StopDetails, history: readonly AttemptRecord[]): R;
  /** Lets go of what the attempt still holds. */
  discard(): void;
}

/** Why a call ends, as its last event shows it. */
export interface StopDetails {
  readonly because: StopReason;
  /** When the request may succeed, in milliseconds since the epoch; absent where it is not known. */
  readonly possibleAt?: number;
}

/** What a gate learns from a success: announced limits, and when the caller has read it. */
export type GateFacts = Omit<Extract<GateOutcome, { readonly type: 'success' }>, 'type'>;

/** One call. Created for every call, so it has plain fields. */
export interface Face<R> {
  /** The request that events show, and that a gate or a chain reads. */
  readonly request: RouteRequest;
  readonly signal: AbortSignal | undefined;
  /** Texts that nothing of ours may show. */
  readonly secrets: readonly string[];
  /** What the request does, which says whether it may run twice. Read after a failure only. */
  readonly operation: Operation;
  /** Whether `outcomeOf` knows a value that was returned. */
  readonly remembersValues: boolean;
  /** Sends an attempt. The first gets exactly the caller's arguments. May throw. */
  send(attempt: Attempt<R>): Promise<R>;
  /** Whether a value is a success that needs no second look. The success path asks nothing else. */
  isPlain(value: R): boolean;
  /** Looks into what came. Called at once, so that it reads the time of what came itself. */
  judge(settled: Settled<R>, attempt: Attempt<R>): Judged<R> | Promise<Judged<R>>;
  /** What a gate learns from a value; undefined if it is no success. */
  gateFacts(value: R): GateFacts | undefined;
  /** A value that came after the call had ended. */
  late?(value: R): void;
  /** The first attempt will be sent later, so it needs a copy too. Called synchronously. */
  defer?(): void;
  /** The call has ended before anything was sent: lets go of what would have been, with the reason. */
  unsent?(reason: unknown): void;
  /** The call has ended: lets go of all copies. */
  release?(): void;
  /** The call was given up. */
  gaveUp?(end: GaveUp<R>): void;
}

/** What a call ended in that was given up. */
export interface GaveUp<R> {
  readonly failure: Failure;
  /** undefined if nothing of the attempt is kept, because the caller aborted the wait after it. */
  readonly failed: Failed<R> | undefined;
  readonly history: readonly AttemptRecord[];
  /** When the server may be asked again, in milliseconds since the epoch; 0 if it named no time. */
  readonly notBefore: number;
}

/** A call that was given up. */
export interface GivenUp<R> {
  /** When the next request may be sent, in milliseconds since the epoch; not after now if the server named no time. */
  readonly notBefore: number;
  /** Whether the call had begun to wait for that moment, so that no limit on a single wait keeps a repeat from it. */
  readonly isAccepted: boolean;
  /** Whether a repeat is not sent, because no wait can help. @default false */
  readonly isFinal?: boolean;
  /** Whether listeners know how it ended: the client says that it is still the same call. */
  readonly isTold: boolean;
  readonly failure: Failure;
  readonly history: readonly AttemptRecord[];
  /** What the call ended in once more, for a request that comes too early to wait. */
  answer(): Promise<R>;
}
