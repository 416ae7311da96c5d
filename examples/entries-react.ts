import { createElement } from 'react';
import { createRetryFetch, RetryController } from 'retry-transport';
import { useRetryCountdown } from 'retry-transport/react';

const controller = new RetryController();
export const fetch = createRetryFetch({ controller });

/** A line for the wait, with two buttons; nothing while no call waits. `stop` aborts the `signal` of the call. */
export function Wait({ stop }: { readonly stop: () => void }) {
  const wait = useRetryCountdown(controller);
  if (wait === null) return null;
  const retryNow = createElement('button', { onClick: () => controller.retryNow() }, 'Retry now');
  return createElement('p', { role: 'timer' }, wait.text, retryNow, createElement('button', { onClick: stop }, 'Stop'));
}
