import { createRetryFetch, describeEvent, RetryController } from 'retry-transport';

// One controller for each conversation: it gets the events of its calls and can end their waits.
const controller = new RetryController();
controller.subscribe((event) => {
  console.log(describeEvent(event));
  // What a "Retry now" button does.
  if (event.type === 'retry') queueMicrotask(() => controller.retryNow());
});

const fetch = createRetryFetch({ controller });
const response = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer your-key', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status);
