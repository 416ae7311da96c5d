import { createFallback, createRetryFetch, type FallbackRequest } from 'retry-transport';

/** The same question for Anthropic's API. */
function forAnthropic(request: FallbackRequest): FallbackRequest {
  const { messages } = JSON.parse(String(request.body));
  return { ...request, body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 1_024, messages }) };
}

const fallback = createFallback({
  primary: 'openai',
  targets: [
    {
      name: 'anthropic',
      kind: 'provider',
      url: 'https://api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'the-key-for-anthropic', 'anthropic-version': '2023-06-01' },
      rewrite: forAnthropic, // gets the request with this `url` and these `headers`, and without the key for OpenAI
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

// The answer has the form of the API that gave it.
const answer = await response.json();
console.log(answer.choices?.[0].message.content ?? answer.content[0].text);
