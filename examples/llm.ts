import { describeEvent, describeFailure, presets } from 'retry-transport';
import { createLLM, LLMError } from 'retry-transport/llm';

// For any server that speaks OpenAI's API, use 'openai' with its `baseURL`.
const llm = createLLM('anthropic', {
  apiKey: 'your-key',
  retry: { ...presets.agent, onEvent: (event) => console.log(describeEvent(event)) },
});

try {
  let answer = '';
  const request = { model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'Hello' }] } as const;
  for await (const event of llm.streamCompletion(request)) {
    if (event.type === 'text') answer += event.text;
    // The answer broke off. It was not retried, because its beginning would come twice.
    if (event.type === 'error') console.log(event.error.message);
  }
  console.log(answer);
} catch (error) {
  // There is no answer: the retries are used up, or a retry cannot help.
  if (!(error instanceof LLMError)) throw error;
  console.log(describeFailure(error.failure).headline, error.because, error.history.length);
}
