import { createFallback, createRetryFetch } from 'retry-transport';

/** A request for OpenAI's Chat Completions as one for Anthropic's Messages, which requires `max_tokens`. */
function forAnthropic(body: string): string {
  const { model, messages, max_completion_tokens = 1024 } = JSON.parse(body);
  return JSON.stringify({ model, max_tokens: max_completion_tokens, messages });
}

const fallback = createFallback({
  primary: 'openai',
  targets: [
    {
      name: 'anthropic',
      kind: 'provider',
      url: 'https://api.anthropic.com/v1/messages',
      model: 'claude-sonnet-5',
      headers: { 'x-api-key': 'the-key-for-anthropic', 'anthropic-version': '2023-06-01' },
      // The type of `body` is `unknown`: it is what your program gave to fetch, here a text.
      rewrite: (request) => ({ ...request, body: forAnthropic(String(request.body)) }),
    },
  ],
  maxRetriesBeforeFallback: 0,
});

const fetch = createRetryFetch({ fallback });
const response = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer the-key-for-openai', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }),
});

// The answer has the format of the API that gave it.
const { choices, content } = await response.json();
console.log(choices?.[0].message.content ?? content[0].text);
