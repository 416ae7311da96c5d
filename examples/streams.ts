import { createRetryFetch, describeEvent } from 'retry-transport';

const fetch = createRetryFetch({
  // Up to the first output: if the server sends 200 and then nothing, the request is retried after this time.
  attemptTimeoutMs: 20_000,
  // `broken` says that the answer is incomplete.
  onEvent: (event) => console.log(describeEvent(event)),
  // The stream fails when it goes silent. Without these limits it fails only when it ends too early.
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
});

const response = await fetch('https://api.anthropic.com/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'claude-sonnet-5',
    max_tokens: 64,
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
});
for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) console.log(text);
