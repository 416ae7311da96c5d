import { createRetryFetch } from 'retry-transport';
import { createUndiciFetch } from 'retry-transport/undici';

// Without Node's limits of 300 s. No `attemptTimeoutMs`: a model may think for as long as it needs.
const inner = createUndiciFetch({ headersTimeoutMs: Infinity, bodyTimeoutMs: Infinity });
const fetch = createRetryFetch({
  fetch: inner,
  answers: { idleTimeoutMs: 1_800_000, outputTimeoutMs: 1_800_000 },
});

const response = await fetch('http://127.0.0.1:11434/api/chat', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'qwen3:32b', messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status);
for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) console.log(text);
await inner.close();
