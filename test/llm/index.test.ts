import { expect, test } from 'vitest';
import { AnthropicLLM, createLLM, OpenAILLM } from '../../src/llm/index.ts';

test('makes a provider by its name', () => {
  expect(createLLM('anthropic', { apiKey: 'my-key' })).toBeInstanceOf(AnthropicLLM);
  expect(createLLM('openai')).toBeInstanceOf(OpenAILLM);
});

test('refuses a name that it does not know, with what to say instead', () => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => createLLM('ollama', {})).toThrow(
    "Expected `provider` to be 'anthropic' or 'openai', got ollama; a server that speaks OpenAI's API is 'openai' with a `baseURL`.",
  );
});
