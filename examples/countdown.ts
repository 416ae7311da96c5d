import { createRetryFetch, describeFailure, formatDelay, RetryController } from 'retry-transport';

// Hand it to every call; controller.retryNow() and controller.giveUp() are your two buttons.
export const controller = new RetryController();
export const fetch = createRetryFetch(undefined, { controller });

let countdown: ReturnType<typeof setInterval> | undefined;
controller.subscribe((event) => {
  clearInterval(countdown);
  if (event.type !== 'retry') return;
  const show = (): void => {
    const leftMs = Math.max(0, event.nextAttemptAt - Date.now());
    console.log(`⚠ ${describeFailure(event.failure).headline} — asking again in ${formatDelay(leftMs)}`);
  };
  show();
  countdown = setInterval(show, 1_000);
});
