/** One attempt: the caller's arguments, the limit on its time, and the race with the caller's abort. */

import { raceAbort } from './abort.ts';
import { markAttemptTimeout } from '../classify/index.ts';
import type { AttemptChanges, Exchange } from './exchange.ts';
import { discard } from '../stream/response-body.ts';
import { startTimer } from '../runtime.ts';

/** A limit on one attempt, running until `clear`. */
export interface AttemptLimit {
  /** Aborts with the caller's signal, and at the limit. */
  readonly signal: AbortSignal;
  clear(): void;
}

/** Starts the clock of an attempt. When it runs out the signal aborts with a `TimeoutError` that names the limit. */
export function startLimit(timeoutMs: number, signal: AbortSignal | undefined): AttemptLimit {
  const limit = new AbortController();
  const clear = startTimer(timeoutMs, () => {
    const error = new DOMException(`No answer within ${timeoutMs} ms (attemptTimeoutMs).`, 'TimeoutError');
    markAttemptTimeout(error);
    limit.abort(error);
  });
  return { signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]), clear };
}

/** Sends one attempt; rejects with the signal's reason when it aborts first, and lets a late answer go. */
export function sendAttempt<R>(
  exchange: Exchange<R>,
  attempt: number,
  last: boolean,
  changes: AttemptChanges | undefined,
): Promise<R> {
  const signal = changes?.signal ?? exchange.signal;
  const sent = send(exchange, attempt, last, changes);
  return signal === undefined ? sent : raceAbort(sent, signal, discard);
}

/** A transport that throws has rejected. */
export function send<R>(
  exchange: Exchange<R>,
  attempt: number,
  last: boolean,
  changes: AttemptChanges | undefined,
): Promise<R> {
  try {
    const sent: Promise<R> | R = exchange.send(attempt, last, changes);
    return sent instanceof Promise ? sent : Promise.resolve(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}
