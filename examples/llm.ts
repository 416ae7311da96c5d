import { formatDelay, presets } from 'retry-transport';
import { createLLM, LLMError } from 'retry-transport/llm';

// Any server that speaks OpenAI's API is 'openai' with its `baseURL`.
const llm = createLLM('anthropic', {
  apiKey: 'your-key',
  retry: {
    ...presets.agent,
    onEvent: (event) => {
      if (event.type !== 'retry') return;
      console.log(`${event.failure.message} — attempt ${event.attempt + 1} in ${formatDelay(event.delayMs)}`);
    },
  },
});

try {
  let answer = '';
  const request = { model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'Hello' }] } as const;
  for await (const event of llm.streamCompletion(request)) {
    if (event.type === 'text') answer += event.text;
    // Output cannot be taken back, so that nothing is retried after it: what to do with half an answer is yours to say.
    if (event.type === 'error') console.log(event.error.message);
  }
  console.log(answer);
} catch (error) {
  // Nothing has been said yet: the retries are used up, or there was nothing to be retried.
  if (!(error instanceof LLMError)) throw error;
  console.log(error.failure.type, error.history.length);
}
