/**
 * The loop. `run` sends the first attempt as a plain call, and a plain success ends there. Otherwise `retry` repeats a
 * round of two steps, driven by p-retry: `attempt` waits for its moment and its turn, and lets the face send, and judge
 * what came; `plan` decides, and announces the wait. Each step returns a value and throws nothing.
 */

import pRetry from 'p-retry';
import { forgetEnd } from '../events/outcome-of.ts';
import { raceAbort } from '../runtime/abort.ts';
import { inNextTask } from '../runtime/runtime.ts';
import { attempt } from './attempt.ts';
import { Call, type Progress } from './call.ts';
import { answeredBefore, givenUp, leave, recovered } from './ending.ts';
import type { Attempt, Face, GivenUp, Settled } from './face.ts';
import { goOnFrom, plan } from './plan.ts';
import { FIRST, sendSafely } from './sending.ts';
import type { End, Next, Sent, Succeeded } from './steps.ts';

/** Repeats the round. A constant, because p-retry treats some errors by its own rules. */
const AGAIN = /* @__PURE__ */ new Error('retry-transport: the attempt failed');

/**
 * Runs a call, and retries it while a retry can help. `before`: the call that it repeats, which was given up; it is
 * then one request. `progress`: of an operation. Never throws: what a gate of the caller throws rejects.
 */
export function run<R>(policy: Call<R>['policy'], face: Face<R>, before?: GivenUp<R>, progress?: Progress): Promise<R> {
  try {
    const { runtime } = policy;
    const { signal } = face;
    const startedAt = runtime.now();
    const route = policy.openRoute?.(policy, face.request);
    const begin = (answer?: Next<R>['answer']): Promise<R> =>
      retry(new Call(policy, face, startedAt, route, 0, progress), { kind: 'next', answer });
    if (before !== undefined) {
      const call = new Call({ ...policy, maxRetries: 0 }, face, startedAt, route, 0, progress);
      const next = goOnFrom(call, before);
      return next.kind === 'next' ? retry(call, next) : answeredBefore(call, before, next);
    }
    if (
      policy.attemptTimeoutMs !== undefined ||
      signal?.aborted === true ||
      route?.rests?.(runtime.monotonic()) === true
    )
      return begin();
    const answer = route?.takeFirst(runtime.monotonic());
    if (answer?.go === false) return begin(answer);

    // The first attempt is a plain call, because most calls succeed.
    let call: Call<R> | undefined;
    const callOf = (): Call<R> => (call ??= new Call(policy, face, startedAt, route, 1, progress));
    const goOn = (settled: Settled<R>): Promise<R> => retry(callOf(), { kind: 'sent', settled });
    const first: Attempt<R> =
      progress === undefined ? FIRST : { ...FIRST, progress: () => void progress(callOf(), startedAt) };
    const sent = sendSafely(face, first, route);
    return (signal === undefined ? sent : raceAbort(sent, signal, (value) => face.late?.(value), inNextTask)).then(
      (value) => {
        if (signal?.aborted === true || !face.isPlain(value)) return goOn({ value });
        face.release?.();
        if (face.remembersValues) forgetEnd(value);
        route?.report(runtime.monotonic(), { type: 'success', ...face.gateFacts(value) });
        return value;
      },
      (error: unknown) => goOn({ error }),
    );
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Not async: the frame of an async function would keep `first`, and its response, for the whole call. */
function retry<R>(call: Call<R>, first: Sent<R> | Next<R>): Promise<R> {
  if (first.kind === 'next' && (first.wait !== undefined || call.waitsFirst)) call.face.defer?.();
  let next = first;
  const round = async (): Promise<Succeeded<R> | End<R>> => {
    const tried = await attempt(call, next);
    if (tried.kind !== 'tried') return tried;
    const planned = await plan(call, tried);
    if (planned.kind === 'end') return planned;
    next = planned;
    throw AGAIN;
  };
  return pRetry(round, { retries: Infinity, minTimeout: 0 })
    .then((last) => (last.kind === 'succeeded' ? recovered(call, last) : givenUp(call, last)))
    .finally(() => leave(call));
}
