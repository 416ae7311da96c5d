/**
 * The loop. `run` sends the first attempt as a plain call, and a success ends there. Otherwise `retry` repeats, driven by
 * p-retry: wait for the turn, send, plan what follows the failure; until a success, or a plan that stops.
 */

import pRetry from 'p-retry';
import type { Policy } from '../options/policy.ts';
import { discard } from '../fetch/response-body.ts';
import { raceAbort } from '../runtime/abort.ts';
import { type Call, newCall, waitsFirst } from './call.ts';
import { givenUp, leave, recovered } from './ending.ts';
import type { Exchange } from './exchange.ts';
import { hasSucceeded, headersOf, isSuccess } from './outcome.ts';
import { plan } from './plan.ts';
import { look, needsLook, send, sendSafely } from './send.ts';
import { waitForTurn } from './wait.ts';

/** Stands for every failure in p-retry, which treats some errors by its own rules. */
const FAILED = /* @__PURE__ */ new Error('retry-transport: the attempt failed');

/** Sends a request, and retries it while a retry can help. Never throws: what a gate of the caller throws rejects. */
export function run<R>(policy: Policy, exchange: Exchange<R>): Promise<R> {
  try {
    const { runtime } = policy;
    const { signal } = exchange;
    const startedAt = runtime.now();
    const route = policy.openRoute?.(policy, exchange);
    const beginCall = (): Call<R> => newCall(policy, exchange, startedAt, route);
    if (policy.plansFirst || signal?.aborted === true) return retry(beginCall());
    const turn = route?.takeFirst(runtime.monotonic());
    if (turn !== undefined && (turn instanceof Promise || !turn.go)) return retry(beginCall());

    // The first attempt is a plain call, because most calls succeed.
    const handOver = (first: NonNullable<Call<R>['first']>): Promise<R> =>
      retry({ ...beginCall(), first, attempts: 1 });
    const sent = sendSafely(exchange, 1, policy.maxRetries === 0, undefined);
    return (signal === undefined ? sent : raceAbort(sent, signal, discard)).then(
      (response) => {
        if (!isSuccess(response) || needsLook(policy, exchange.method, response)) return handOver({ response });
        exchange.release();
        route?.succeeded(runtime.monotonic(), headersOf({ response }));
        return response;
      },
      (error: unknown) => handOver({ error }),
    );
  } catch (error) {
    return Promise.reject(error);
  }
}

function retry<R>(call: Call<R>): Promise<R> {
  if (call.attempts === 0 && waitsFirst(call)) call.exchange.defer();
  return pRetry(() => nextOutcome(call), {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 0,
    onFailedAttempt: () => plan(call),
    shouldRetry: () => call.plan.kind === 'attempt',
  })
    .then(
      (response) => recovered(call, response),
      () => givenUp(call),
    )
    .finally(() => leave(call));
}

/** Resolves with the response of a success; throws otherwise, and `call` has the outcome. */
async function nextOutcome<R>(call: Call<R>): Promise<R> {
  try {
    const { first } = call;
    call.first = undefined;
    if (first !== undefined) await look(call, first);
    else if (call.attempts > 0 || waitsFirst(call)) await waitForTurn(call, send);
    else await send(call);
  } catch (error) {
    call.plan = { kind: 'broken', error };
  }
  if (call.plan.kind === 'attempt' && call.outcome && hasSucceeded(call.outcome)) return call.outcome.response;
  throw FAILED;
}
