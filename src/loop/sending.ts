/** An attempt while it runs: what the face is handed, and its time limit. */

import { rememberEnd } from '../events/outcome-of.ts';
import type { GateSession } from '../gate/session.ts';
import type { Route, Target } from '../route/route.ts';
import { abortError, eitherSignal, releaseAfter } from '../runtime/abort.ts';
import { doNothing, startIoLimit } from '../runtime/runtime.ts';
import type { Call } from './call.ts';
import type { Attempt, Face } from './face.ts';

/** A first attempt as a plain call: with the caller's own arguments. */
export const FIRST: Attempt<never> = {
  number: 1,
  signal: undefined,
  target: undefined,
  isOwnRequest: true,
  begun: doNothing,
  arrived: doNothing,
  progress: doNothing,
  broke: doNothing,
};

/** Sends, and turns a throw of the face into a rejection. */
export function sendSafely<R>(face: Face<R>, attempt: Attempt<R>, route?: Route): Promise<R> {
  try {
    const session = route?.current.session;
    const sent: Promise<R> | R = session === undefined ? face.send(attempt) : sendWithin(session, face, attempt);
    return sent instanceof Promise ? sent : Promise.resolve(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The gate knows the calls that are made within an attempt. A function of its own, because a closure costs time. */
function sendWithin<R>(session: GateSession, face: Face<R>, attempt: Attempt<R>): Promise<R> {
  return session.within(() => face.send(attempt));
}

/** An attempt of a call that has a record. */
export class Sending<R> implements Attempt<R> {
  readonly number: number;
  readonly signal: AbortSignal | undefined;
  readonly target: Target | undefined;
  readonly isOwnRequest: boolean;
  startedAt: number;
  readonly #call: Call<R>;
  #arrivals = 0;
  /** Ends the time limit; the signal still aborts with the caller's. */
  #stopLimit: () => void = doNothing;
  #releaseSignal: () => void = doNothing;

  /** Starts the time limit. The signal then aborts with a `TimeoutError` that names it. */
  constructor(call: Call<R>, startedAt: number) {
    const { attemptTimeoutMs } = call.policy;
    const current = call.route?.current;
    this.number = call.counter.attempts;
    this.target = current?.target;
    this.isOwnRequest = current?.isOwnRequest ?? true;
    this.startedAt = startedAt;
    this.#call = call;
    if (attemptTimeoutMs === undefined) return;
    const limit = new AbortController();
    const { signal, release } = eitherSignal(call.face.signal, limit);
    this.signal = signal;
    this.#releaseSignal = release;
    this.#stopLimit = startIoLimit(
      attemptTimeoutMs,
      () => limit.abort(abortError(`No answer within ${attemptTimeoutMs} ms (attemptTimeoutMs).`, 'TimeoutError')),
      () => this.#arrivals,
    );
  }

  begun(): void {
    this.#stopLimit();
  }

  arrived(): void {
    this.#arrivals += 1;
  }

  /** The time limit is one for the beginning, as it is for a stream. */
  progress(): void {
    this.begun();
    this.startedAt = this.#call.progress?.(this.#call, this.startedAt) ?? this.startedAt;
  }

  /** Its value broke after the caller got it: it has failed after all. */
  broke(...[because, value, error, failure, sinceMs]: Parameters<Attempt<R>['broke']>): void {
    const call = this.#call;
    const now = call.policy.runtime.now();
    // The record of the success is replaced.
    if (call.records.at(-1)?.failure === null) call.records.pop();
    call.record({ startedAt: this.startedAt, endedAt: now }, failure);
    const afterMs = Math.max(0, now - sinceMs);
    const { attempts, history } = call.summary;
    const ended = call.end({ type: 'broken', because, afterMs, failure, attempts, history });
    rememberEnd(value, ended);
    rememberEnd(error, ended);
  }

  /** The attempt is over. The caller may abort while what it has got is read. */
  release(value: unknown): void {
    this.#stopLimit();
    // A signal of another realm is released at once: where it comes from, its listeners may be counted.
    if (this.#call.face.signal instanceof AbortSignal) releaseAfter(value, this.#releaseSignal);
    else this.#releaseSignal();
  }
}
