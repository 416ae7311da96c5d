import { createRetryFetch, type RetryEvent, outcomeOf } from 'retry-transport';
import { completions, responseOf } from 'retry-transport/mocks';

const events: RetryEvent[] = [];
const answers = [new Response('{}', { status: 503 }), responseOf(completions.openai('Hello'))];
const retryFetch = createRetryFetch({
  fetch: async () => answers.shift() ?? Response.error(),
  baseDelayMs: 1,
  onEvent: (event) => void events.push(event),
});

void retryFetch('https://example.test/').then((response) => {
  if (response.status !== 200 || (outcomeOf(response)?.history ?? []).length !== 2)
    throw new Error(`got ${response.status}`);
  console.log(`answered: ${events.map(({ type }) => type).join(', ')}`);
});
