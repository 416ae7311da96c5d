import { expect, test } from '@jest/globals';
import { createLLM } from 'retry-transport/llm';
import { completions, responseOf } from 'retry-transport/mocks';
import { retriedCall } from './call.js';

test('one retried call', async () => {
  expect(await retriedCall()).toBe('Hello');
});

test('the other entries load as ES modules', async () => {
  expect(createLLM).toBeInstanceOf(Function);
  expect(responseOf(completions.anthropicStream('Hello')).status).toBe(200);
});
