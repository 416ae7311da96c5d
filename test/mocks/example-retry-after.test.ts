import { afterEach, beforeEach, expect, test, vi } from 'vitest'; // in Jest: `jest` in place of `vi`
import { createRetryFetch } from 'retry-transport';
import { completions, stubFetch } from 'retry-transport/mocks';

const url = 'https://api.openai.com/v1/chat/completions';
const limited = { status: 429, headers: { 'retry-after': '20' }, body: '{"error":{"message":"Too many requests"}}' };
const chat = stubFetch({ beforeEach, afterEach }, url, limited, completions.openai('Hello'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a retry comes when the server allows it', async () => {
  const answer = createRetryFetch()(url, { method: 'POST', body: '{}' });
  await vi.advanceTimersByTimeAsync(19_999);
  expect(chat.requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_001); // the jitter adds up to 2 s
  expect(chat.requests).toHaveLength(2);
  expect((await answer).status).toBe(200);
});
