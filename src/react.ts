/**
 * `retry-transport/react`: the state of the retries in a component, for React 18 and 19. Create the controller outside of
 * the component, one for all calls whose state is shown together.
 */

import { useSyncExternalStore } from 'react';
import { type RetryController, type RetryCountdown, type RetryState, watchRetry } from './index.ts';

export type { RetryCountdown, RetryState } from './index.ts';

/** The countdown that the components of one controller share. */
interface Countdown {
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: () => RetryCountdown | null;
}

const IDLE: RetryState = { status: 'idle' };

/**
 * The state of the retries: idle, waiting, sending, or how the last call ended.
 *
 * @example const state = useRetryState(controller); // state.status === 'waiting' && state.failure
 */
export function useRetryState(controller: RetryController): RetryState {
  return useSyncExternalStore(
    controller.onChange,
    () => controller.state,
    () => IDLE,
  );
}

/**
 * The wait in progress, counted down second by second; null if no call waits. Renders the component once a second.
 *
 * @example const wait = useRetryCountdown(controller); // <p role="timer">{wait?.text}</p>
 */
export function useRetryCountdown(controller: RetryController): RetryCountdown | null {
  const { subscribe, get } = countdownOf(controller);
  return useSyncExternalStore(subscribe, get, () => null);
}

const countdowns = new WeakMap<RetryController, Countdown>();

function countdownOf(controller: RetryController): Countdown {
  const known = countdowns.get(controller);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  let countdown: RetryCountdown | null = null;
  let stop: (() => void) | undefined;
  const shared: Countdown = {
    get: () => countdown,
    subscribe: (listener) => {
      // The timer runs only while a component shows it.
      if (listeners.size === 0) {
        stop = watchRetry(controller, (next) => {
          countdown = next;
          for (const each of Array.from(listeners)) each();
        });
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        countdown = null;
      };
    },
  };
  countdowns.set(controller, shared);
  return shared;
}
