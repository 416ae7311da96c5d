import { expect, test } from 'vitest';
import { AnthropicLLM, createLLM, OpenAILLM } from '../../src/llm/index.ts';

test('creates a provider by its name', () => {
  expect(createLLM('anthropic', { apiKey: 'my-key' })).toBeInstanceOf(AnthropicLLM);
  expect(createLLM('openai')).toBeInstanceOf(OpenAILLM);
});

test('refuses an unknown name, and suggests what to use', () => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => createLLM('ollama', {})).toThrow(
    "Expected `provider` to be 'anthropic' or 'openai', got ollama; a server that speaks OpenAI's API is 'openai' with a `baseURL`.",
  );
});
