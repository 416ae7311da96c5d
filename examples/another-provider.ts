import { createFallback, createRetryFetch, outcomeOf } from 'retry-transport';

const fallback = createFallback({
  primary: 'openai',
  targets: [
    {
      name: 'openrouter',
      kind: 'provider',
      url: 'https://openrouter.ai/api/v1/chat/completions', // it speaks OpenAI's protocol
      model: 'anthropic/claude-sonnet-5',
      headers: { authorization: 'Bearer the-key-for-openrouter' }, // the key for OpenAI is not sent there
    },
  ],
  maxRetriesBeforeFallback: 1,
});

const fetch = createRetryFetch({ fallback });
const response = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer the-key-for-openai', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }),
});

const { choices } = await response.json();
// Without a failure the history is empty.
console.log((outcomeOf(response)?.history ?? []).at(-1)?.target ?? 'openai', choices[0].message.content);
