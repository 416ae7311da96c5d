import { createRetryFetch, describeFailure, formatDelay, RetryController } from 'retry-transport';

export const controller = new RetryController(); // retryNow() and giveUp() are your two buttons
export const fetch = createRetryFetch({ controller });

let countdown: ReturnType<typeof setInterval> | undefined;
controller.subscribe((event) => {
  clearInterval(countdown);
  if (event.type !== 'retry') return; // the next attempt is sent, or the call has ended
  const { headline } = describeFailure(event.failure);
  const retry = event.maxRetries === null ? `retry ${event.attempt}` : `retry ${event.attempt} of ${event.maxRetries}`;
  const show = () => {
    const seconds = Math.max(1, Math.ceil((event.nextAttemptAt - Date.now()) / 1_000));
    console.log(`⚠ ${headline}: ${retry} in ${formatDelay(seconds * 1_000)}`);
  };
  countdown = setInterval(show, 1_000);
  show();
});
