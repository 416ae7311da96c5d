import { createRetryFetch, RetryController, watchRetry } from 'retry-transport';

/** A fetch that shows each wait in `line`, and has two buttons. `line` and the buttons are elements of your page. */
export function fetchWithCountdown(line: Pick<Element, 'textContent'>, retryNow: EventTarget, stop: EventTarget) {
  const controller = new RetryController();
  const fetch = createRetryFetch({ controller });
  let call = new AbortController();

  // "overloaded (HTTP 503): retry 1 of 3 in 20s", then 19s, 18s …, and nothing when the next attempt is sent
  watchRetry(controller, (wait) => (line.textContent = wait?.text ?? ''));
  retryNow.addEventListener('click', () => controller.retryNow());
  stop.addEventListener('click', () => call.abort()); // the call rejects with an AbortError

  return (url: string, init?: RequestInit) => {
    call = new AbortController();
    return fetch(url, { ...init, signal: call.signal });
  };
}
