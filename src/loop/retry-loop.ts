/**
 * The loop. `run` sends the first attempt as a plain call, and a success ends there. Otherwise `retry` repeats a round
 * of two steps, driven by p-retry: `attempt` waits for its moment and its turn, sends, and looks into the response;
 * `plan` judges what came, decides, and announces the wait. Each step returns a value and throws nothing. After a 429:
 * the body and the headers are read, the wait is decided, the targets and their gates are asked, the listeners are told,
 * the call sleeps, takes its turn and sends again.
 */

import pRetry from 'p-retry';
import type { Policy } from '../options/policy.ts';
import { discard } from '../body/response-body.ts';
import { raceAbort } from '../runtime/abort.ts';
import { inNextTask } from '../runtime/runtime.ts';
import { attempt, sendSafely, type Sent, type Succeeded, waitsFirst, withinGate } from './attempt.ts';
import { type Call, type End, firstAttempt, newCall, type Next } from './call.ts';
import { givenUp, leave, recovered } from './ending.ts';
import type { Exchange } from './exchange.ts';
import { headersOf, isSuccess } from './judge.ts';
import { needsLook } from './look.ts';
import type { GivenUp } from './given-up.ts';
import { goOnFrom, plan } from './plan.ts';

/** Repeats the round. A constant, because p-retry treats some errors by its own rules. */
const AGAIN = /* @__PURE__ */ new Error('retry-transport: the attempt failed');

/**
 * Sends a request, and retries it while a retry can help. `before`: the call that it repeats, which was given up; it is
 * then one request. Never throws: what a gate of the caller throws rejects.
 */
export function run<R>(policy: Policy, exchange: Exchange<R>, before?: GivenUp<R>): Promise<R> {
  try {
    const { runtime } = policy;
    const { signal } = exchange;
    const startedAt = runtime.now();
    const route = policy.openRoute?.(policy, exchange);
    const begin = (answer?: Next<R>['answer']): Promise<R> =>
      retry(newCall(policy, exchange, startedAt, route, 0), firstAttempt(answer));
    if (before !== undefined) {
      const call = newCall({ ...policy, maxRetries: 0 }, exchange, startedAt, route, 0);
      const next = goOnFrom(call, before);
      if (next !== undefined) return retry(call, next);
      leave(call);
      return before.answer(policy.config.throwOnExhausted === true);
    }
    if (policy.plansFirst || signal?.aborted === true) return begin();
    const answer = route?.takeFirst(runtime.monotonic());
    if (answer !== undefined && (answer instanceof Promise || !answer.go)) return begin(answer);

    // The first attempt is a plain call, because most calls succeed.
    const goOn = (outcome: Sent<R>['outcome']): Promise<R> =>
      retry(newCall(policy, exchange, startedAt, route, 1), { kind: 'sent', outcome });
    const isLast = policy.maxRetries === 0;
    const sent =
      route === undefined
        ? sendSafely(exchange, 1, isLast, undefined)
        : withinGate(route, () => sendSafely(exchange, 1, isLast, undefined));
    return (signal === undefined ? sent : raceAbort(sent, signal, discard, inNextTask)).then(
      (response) => {
        if (signal?.aborted === true || !isSuccess(response) || needsLook(policy, exchange, response))
          return goOn({ response });
        exchange.release();
        route?.report(runtime.monotonic(), { type: 'success', headers: headersOf({ response }), response, signal });
        return response;
      },
      (error: unknown) => goOn({ error }),
    );
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Sends a request of which only its body says whether it is retried; one that is not is sent once, by `send` alone. */
export async function runIfChosen<R>(policy: Policy, exchange: Exchange<R>, begin: () => Promise<R>): Promise<R> {
  await exchange.readWords?.();
  if (policy.chooses?.(exchange) === true) return begin();
  try {
    return await exchange.send(1, true, undefined);
  } finally {
    exchange.release();
  }
}

/** Not async: the frame of an async function would keep `first`, and its response, for the whole call. */
function retry<R>(call: Call<R>, first: Sent<R> | Next<R>): Promise<R> {
  if (first.kind === 'next' && (first.wait !== undefined || waitsFirst(call))) call.exchange.defer();
  let next = first;
  const round = async (): Promise<Succeeded<R> | End<R>> => {
    const tried = await attempt(call, next);
    if (tried.kind !== 'tried') return tried;
    const planned = await plan(call, tried);
    if (planned.kind === 'end') return planned;
    next = planned;
    throw AGAIN;
  };
  return pRetry(round, { retries: Number.POSITIVE_INFINITY, minTimeout: 0 })
    .then((last) => (last.kind === 'succeeded' ? recovered(call, last) : givenUp(call, last)))
    .finally(() => leave(call));
}
