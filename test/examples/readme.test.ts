import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRetryFetch } from 'retry-transport';
import { completions, stubFetch } from 'retry-transport/mocks';

const url = 'https://api.openai.com/v1/chat/completions';
stubFetch({ beforeEach, afterEach }, url, 'openai-429-tpm-28ms', completions.openai('Hello'));

test('a rate limit is waited out', async () => {
  const response = await createRetryFetch()(url, { method: 'POST', body: '{}' });
  expect(await response.text()).toContain('Hello');
});
