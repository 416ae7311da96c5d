import { subscribe } from 'node:diagnostics_channel';
import { createRetryFetch } from 'retry-transport';
import { publishRetryEvents, RETRY_CHANNEL } from 'retry-transport/diagnostics';

// In your program:
export const fetch = createRetryFetch({ onEvent: publishRetryEvents() });

// In a monitoring tool that knows only the name of the channel:
subscribe(RETRY_CHANNEL, (message) => console.log(JSON.stringify(message)));
