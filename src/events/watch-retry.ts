/** Counts a wait down, second by second, for a line in a user interface. */

import { expectFunction } from '../runtime/expect.ts';
import { startTicks, systemRuntime } from '../runtime/runtime.ts';
import type { RetryController } from './controller.ts';
import { describeWait } from './describe-event.ts';
import { notify } from './events.ts';
import type { PendingRetry } from './retry-state.ts';

/** One second of a wait. */
export interface RetryCountdown extends PendingRetry {
  /** Whole seconds until the next attempt, rounded up, at least 1. */
  readonly secondsLeft: number;
  /** The sentence of {@link describeEvent} with the time that is left: `overloaded (HTTP 529): retry 1 of 3 in 4s`. */
  readonly text: string;
}

/**
 * Calls `show` at the beginning of each wait, then once a second, and with null when the wait is over: the next attempt
 * is sent, or the call has ended. If several calls wait, `show` gets the wait that ends first. The returned function
 * stops it.
 *
 * @example watchRetry(controller, (wait) => (line.textContent = wait?.text ?? ''));
 * @throws TypeError if `show` is not a function
 */
export function watchRetry(controller: RetryController, show: (countdown: RetryCountdown | null) => void): () => void {
  expectFunction('show', show);
  let isShown = false;
  let cancel: (() => void) | undefined;

  function update(): void {
    cancel?.();
    const { state } = controller;
    if (state.status === 'waiting') {
      const tick = (): void => notify(show, countdownOf(state));
      cancel = startTicks(1_000, tick);
      isShown = true;
      tick();
    } else if (isShown) {
      isShown = false;
      notify(show, null);
    }
  }

  const unsubscribe = controller.onChange(update);
  update();
  return () => {
    cancel?.();
    unsubscribe();
  };
}

function countdownOf(wait: PendingRetry): RetryCountdown {
  // Never less than one: a late timer would show 0, or a negative number, until the attempt is sent.
  const secondsLeft = Math.max(1, Math.ceil((wait.nextAttemptAt - systemRuntime.now()) / 1_000));
  return Object.freeze({ ...wait, secondsLeft, text: describeWait({ ...wait, delayMs: secondsLeft * 1_000 }) });
}
