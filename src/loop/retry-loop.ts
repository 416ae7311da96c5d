/**
 * The loop. A call that succeeds never gets beyond `run`; everything else is out of line, where its cost does not
 * matter. p-retry counts the attempts and checks the signal between the steps; deciding and waiting are ours.
 */

import pRetry from 'p-retry';
import { raceAbort } from './abort.ts';
import { askGate } from './admission.ts';
import { send } from './attempt.ts';
import { Call } from './call.ts';
import type { Policy } from '../policy/policy.ts';
import { type Exchange, isSuccess } from './exchange.ts';
import { needsHold } from './hold.ts';
import { discard } from '../stream/response-body.ts';

/** Sends a request, and again while that can help. */
export function run<R>(policy: Policy, exchange: Exchange<R>): Promise<R> {
  const startedAt = policy.runtime.now();
  const { signal } = exchange;
  const gate = askGate(policy, exchange);
  if (policy.alters || signal?.aborted || gate?.isOpen() === false) {
    return retry(new Call(policy, exchange, startedAt, undefined, gate));
  }
  const fulfilled = (response: R): R | Promise<R> => {
    if (!isSuccess(response) || needsHold(policy, exchange.method, response)) {
      return retry(new Call(policy, exchange, startedAt, { response }, gate));
    }
    exchange.release();
    gate?.settled('success');
    gate?.leave();
    return response;
  };
  const rejected = (error: unknown): Promise<R> => retry(new Call(policy, exchange, startedAt, { error }, gate));
  const sent = send(exchange, 1, policy.maxRetries === 0, undefined);
  return signal === undefined ? sent.then(fulfilled, rejected) : raceAbort(sent, signal, discard, fulfilled, rejected);
}

async function retry<R>(call: Call<R>): Promise<R> {
  try {
    const attempts = pRetry(() => call.attempt(), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 0,
      shouldRetry: () => call.proceed(),
      signal: call.signal,
    });
    return await attempts.then(
      (response) => call.succeed(response),
      (error: unknown) => call.fail(error),
    );
  } finally {
    call.leave();
  }
}
