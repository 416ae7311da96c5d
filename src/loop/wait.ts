/**
 * The wait of a call, the only one in the library: until the planned moment, and longer if the gate or the chain says
 * "not yet". An abort, `retryNow` and `giveUp` end it.
 */

import type { WaitEnd } from '../events/steering.ts';
import { operationSafety } from '../options/policy.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { eitherSignal, raceAbort, throwIfAborted } from '../runtime/abort.ts';
import { type Call, gateNow, lastFailure, type PlannedWait, stop } from './call.ts';
import type { Choice, Route } from '../route/route.ts';
import { giveUp, moved, planAgain, raceChoice } from './plan.ts';

/**
 * Waits for the planned moment, takes the turn and sends. Nothing is awaited between the choice of a key and its use,
 * because another call may find at any time that the key must rest. If the plan stops the call, nothing is sent.
 * Rejects with the reason of an abort, and with what `rollback` throws.
 */
export async function waitForTurn<R>(call: Call<R>, send: (call: Call<R>) => Promise<void>): Promise<void> {
  let isRolledBack = false;
  while (call.plan.kind === 'attempt') {
    const { wait } = call.plan;
    const end = wait === undefined ? 'elapsed' : await sleepUntil(call, wait);
    const { signal } = call.exchange;
    throwIfAborted(signal);
    if (wait !== undefined && end === 'given-up') giveUp(call, wait.until);
    else if (isSwitchedOff(call)) stop(call, 'disabled');
    else {
      if (!isRolledBack) await rollBack(call);
      isRolledBack = true;
      const turn = takeTurn(call, end === 'retry-now');
      const isTaken = turn instanceof Promise ? await turn : turn;
      // The caller may have aborted during the rollback, or while the gate answered.
      throwIfAborted(signal);
      if (isTaken) return send(call);
    }
  }
}

/** Sleeps until the moment, or until the controller ends the wait. */
async function sleepUntil(call: Call<unknown>, { steering, ms }: PlannedWait): Promise<WaitEnd> {
  const endsAtMs = gateNow(call) + ms;
  const { signal, release } = eitherSignal(call.exchange.signal, steering?.interrupt);
  try {
    // A listener may have ended the wait when it was announced.
    if (steering?.ended === undefined) await sleep(call, ms, signal);
  } catch (error) {
    if (steering?.ended === undefined) throw error;
  } finally {
    release();
    steering?.withdraw();
  }
  const end = steering?.ended ?? 'elapsed';
  // A wait counts as over when its sleep has resolved, whatever the clock says.
  if (end === 'elapsed') call.waitedUntilMs = endsAtMs;
  return end;
}

/** Our own sleep obeys the signal. An injected one may ignore it, and in JavaScript it may return nothing. */
function sleep({ policy: { runtime } }: Call<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (runtime.sleep === systemRuntime.sleep) return runtime.sleep(ms, signal);
  return raceAbort((async () => runtime.sleep(ms, signal))(), signal);
}

/**
 * Whether the controller was switched off during the wait. A first attempt is sent anyway, because it is not a retry.
 */
function isSwitchedOff({ attempts, policy: { config } }: Call<unknown>): boolean {
  return attempts > 0 && config.controller?.enabled === false;
}

/** Undoes the operation before it is repeated. Raced with the abort. */
async function rollBack(call: Call<unknown>): Promise<void> {
  const { policy, announcer, exchange } = call;
  const { rollback } = policy.config;
  const failure = lastFailure(call);
  if (rollback === undefined || failure === undefined || operationSafety(policy, announcer) !== 'conditional') return;
  await raceAbort((async () => rollback(failure))(), exchange.signal);
}

/** Takes the slot and the token from the gate. False: the moment has moved, or the call has ended. */
function takeTurn(call: Call<unknown>, isForced: boolean): boolean | Promise<boolean> {
  const { route } = call;
  if (route?.hasTurns !== true) return true;
  const chosen = route.take(gateNow(call), lastFailure(call), isForced);
  return chosen instanceof Promise
    ? raceChoice(call, chosen).then((choice) => settleTurn(call, route, choice))
    : settleTurn(call, route, chosen);
}

function settleTurn(call: Call<unknown>, route: Route, choice: Choice): boolean {
  if (choice.obstacle !== null) {
    planAgain(call, route, choice, choice.obstacle);
    return false;
  }
  moved(call, route.settle(gateNow(call), choice, call.attempts, lastFailure(call)));
  return true;
}
