import { createRetryFetch, describeEvent } from 'retry-transport';
import { completions, replayFetch } from 'retry-transport/mocks';

// In place of a server: a recorded overload, then an answer. Without this first argument, requests go to the server.
const server = replayFetch('anthropic-529-overloaded-details-null', completions.anthropic('Hello'));
const fetch = createRetryFetch({
  fetch: server,
  onEvent: (event) => console.log(describeEvent(event)),
});

const response = await fetch('https://api.anthropic.com/v1/messages', { method: 'POST', body: '{}' });
console.log(response.status, await response.text());
