/** The wait between two attempts, which a signal can abort and a controller can end. */

import { raceAbort } from './abort.ts';
import { offerWait, type RetryController, type WaitEnd } from '../events/controller.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';

/** Our own sleep hears the signal; whether a sleep that was handed in does is not known. */
export function sleep(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const slept = runtime.sleep(ms, signal);
  return signal === undefined || runtime.sleep === systemRuntime.sleep ? slept : raceAbort(slept, signal, () => {});
}

/** The wait that nothing but a signal ends early. */
export function sleepOut(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<true> {
  return sleep(runtime, ms, signal).then(yes);
}

/** Out here, for a closure keeps everything alive that its neighbours look at. */
const yes = (): true => true;

/** A wait that a person may end. */
export interface SteeredWait {
  readonly ms: number;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly until: number;
  /** False: "retry now" is not heard, because there is nobody to ask before the time. @default true */
  readonly canHurry?: boolean;
  /** Called once the controller has the wait, so that whoever hears of it can end it at once. */
  readonly announce?: () => void;
}

/** Sleeps unless the controller ends it first. Rejects with the signal's reason when it aborts. */
export async function sleepControlled(
  runtime: Runtime,
  { ms, until, canHurry = true, announce }: SteeredWait,
  signal: AbortSignal | undefined,
  controller: RetryController,
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
    announce?.();
    await sleep(runtime, ms, either);
  } catch (error) {
    if (end.how === 'elapsed' || signal?.aborted === true) throw error;
  } finally {
    withdraw();
  }
  return end.how;
}
