import { createRetryFetch, describeFailure, formatDelay, RetryController } from 'retry-transport';

/** A fetch that shows each wait in `line`, and has two buttons. `line` and the buttons are elements of your page. */
export function fetchWithCountdown(line: Pick<Element, 'textContent'>, retryNow: EventTarget, cancel: EventTarget) {
  const controller = new RetryController();
  const fetch = createRetryFetch({ controller });
  let call = new AbortController();
  let countdown: ReturnType<typeof setInterval> | undefined;

  retryNow.addEventListener('click', () => controller.retryNow());
  cancel.addEventListener('click', () => call.abort()); // the call rejects with an AbortError
  controller.subscribe((event) => {
    clearInterval(countdown);
    line.textContent = '';
    if (event.type !== 'retry') return; // the next attempt is sent, or the call has ended
    const { headline } = describeFailure(event.failure);
    const show = () => {
      const seconds = Math.max(1, Math.ceil((event.nextAttemptAt - Date.now()) / 1_000));
      line.textContent = `${headline}: retry ${event.attempt} in ${formatDelay(seconds * 1_000)}`;
    };
    countdown = setInterval(show, 1_000);
    show();
  });

  return (url: string, init?: RequestInit) => {
    call = new AbortController();
    return fetch(url, { ...init, signal: call.signal });
  };
}
