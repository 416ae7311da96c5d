import { afterEach, beforeEach, expect, test } from 'vitest'; // in Jest: from '@jest/globals'
import { createRetryFetch } from 'retry-transport';
import { completions, stubFetch } from 'retry-transport/mocks';

const url = 'https://api.openai.com/v1/chat/completions';
const chat = stubFetch({ beforeEach, afterEach }, url, 'openai-429-tpm-6ms', completions.openai('Hello'));

test('a rate limit is retried', async () => {
  const response = await createRetryFetch()(url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(200);
  expect(chat.requests).toHaveLength(2);
});
