import { afterEach, beforeEach, expect, test } from 'vitest';
import { completions, stubFetch } from 'retry-transport/mocks';
import { fetchWithCountdown } from '../../examples/countdown.ts';

const url = 'https://router.huggingface.co/v1/chat/completions';
stubFetch({ beforeEach, afterEach }, url, 'huggingface-503-loading', completions.openai('Hello'));

test('the wait is shown, and "Retry now" ends it', async () => {
  const [line, retryNow, cancel] = [{ textContent: '' }, new EventTarget(), new EventTarget()];
  const answer = fetchWithCountdown(line, retryNow, cancel)(url, { method: 'POST', body: '{}' });
  await expect.poll(() => line.textContent).toMatch(/^overloaded \(HTTP 503\): retry 1 of 3 in 2\ds/);
  retryNow.dispatchEvent(new Event('click'));
  expect((await answer).status).toBe(200);
});
