import { createRetryFetch, describeFailure, formatDelay, RetryController } from 'retry-transport';

export const controller = new RetryController(); // its retryNow() and giveUp() are your two buttons
export const fetch = createRetryFetch(undefined, { controller });

let countdown: ReturnType<typeof setInterval> | undefined;
controller.subscribe((event) => {
  clearInterval(countdown);
  if (event.type !== 'retry') return; // it recovered, failed, was cancelled or goes elsewhere
  const { headline } = describeFailure(event.failure);
  const show = () => console.log(`⚠ ${headline}: next try in ${formatDelay(event.nextAttemptAt - Date.now())}`);
  countdown = setInterval(show, 1_000);
  show();
});
