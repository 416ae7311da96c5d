/** The wait between two attempts, which a signal can abort and a controller can end. */

import { raceAbort } from './abort.ts';
import { offerWait, type RetryController, type WaitEnd } from './controller.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

/** Our own sleep hears the signal; whether a sleep that was handed in does is not known. */
export function sleep(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const slept = runtime.sleep(ms, signal);
  return signal === undefined || runtime.sleep === systemRuntime.sleep ? slept : raceAbort(slept, signal, () => {});
}

/**
 * Sleeps until `until` unless the controller ends it first. Rejects with the signal's reason when it aborts.
 *
 * @param canHurry false: "retry now" is not heard, because there is nobody to ask before the time
 */
export async function sleepControlled(
  runtime: Runtime,
  ms: number,
  until: number,
  signal: AbortSignal | undefined,
  controller: RetryController,
  canHurry = true,
): Promise<WaitEnd> {
  const interrupt = new AbortController();
  const end: { how: WaitEnd } = { how: 'elapsed' };
  const withdraw = offerWait(controller, {
    until,
    end: (how) => {
      if (how === 'retry-now' && !canHurry) return;
      end.how = how;
      interrupt.abort();
    },
  });
  const either = signal === undefined ? interrupt.signal : AbortSignal.any([signal, interrupt.signal]);
  try {
    await sleep(runtime, ms, either);
  } catch (error) {
    if (end.how === 'elapsed' || signal?.aborted === true) throw error;
  } finally {
    withdraw();
  }
  return end.how;
}
