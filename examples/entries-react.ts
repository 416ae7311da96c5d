import { createElement } from 'react';
import { createRetryFetch, RetryController } from 'retry-transport';
import { useRetryCountdown } from 'retry-transport/react';

const controller = new RetryController();
export const fetch = createRetryFetch({ controller });

/** A line for the wait, with a button that ends it; nothing while no call waits. */
export function Wait() {
  const wait = useRetryCountdown(controller);
  if (wait === null) return null;
  const retryNow = createElement('button', { onClick: () => controller.retryNow() }, 'Retry now');
  return createElement('p', { role: 'timer' }, wait.text, ' ', retryNow);
}
