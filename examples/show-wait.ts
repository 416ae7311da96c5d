import { createRetryFetch, RetryController, watchRetry } from 'retry-transport';

const controller = new RetryController();
export const fetch = createRetryFetch({ controller });

// "overloaded (HTTP 503): retry 1 of 3 in 20s", then 19s, 18s …; null when the wait is over
watchRetry(controller, (wait) => console.log(wait?.text ?? 'sent'));
