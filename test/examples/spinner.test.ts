import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRetryFetch, RetryController } from 'retry-transport';
import { completions, stubFetch } from 'retry-transport/mocks';
import { showSpinner } from '../../examples/spinner.ts';

const url = 'https://router.huggingface.co/v1/chat/completions';
const slow = { recording: completions.openai('Hello'), delayMs: 1_000 };
stubFetch({ beforeEach, afterEach }, url, 'huggingface-503-loading', slow);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a line turns, says what happens, and is emptied at the end', async () => {
  const drawn: string[] = [];
  const line = (): string | undefined => drawn.at(-1)?.replace('\r\u001B[K', '');
  const controller = new RetryController();
  const stop = showSpinner(controller, { write: (text) => drawn.push(text) });
  expect(line()).toBe('| asking');
  const answer = createRetryFetch({ controller, jitter: 'none' })(url, { method: 'POST', body: '{}' });
  await vi.advanceTimersByTimeAsync(100);
  expect(line()).toMatch(/^\/ overloaded \(HTTP 503\): retry 1 of 3 in 2\ds/);
  await vi.advanceTimersByTimeAsync(100);
  expect(line()).toMatch(/^- overloaded/);
  controller.retryNow();
  await vi.advanceTimersByTimeAsync(100);
  expect(line()).toBe('\\ asking');
  await vi.advanceTimersByTimeAsync(900);
  expect((await answer).status).toBe(200);
  stop();
  expect(line()).toBe('');
  const before = drawn.length;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(drawn).toHaveLength(before);
});
