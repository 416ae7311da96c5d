import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRetryFetch, RetryController } from 'retry-transport';
import { completions, stubFetch } from 'retry-transport/mocks';
import { showSpinner } from '../../examples/spinner.ts';

const url = 'https://router.huggingface.co/v1/chat/completions';
stubFetch({ beforeEach, afterEach }, url, 'huggingface-503-loading', completions.openai('Hello'));

test('a line with the reason and the seconds is written, and emptied when the wait ends', async () => {
  const lines: string[] = [];
  const controller = new RetryController();
  const stop = showSpinner(controller, { write: (text) => lines.push(text) });
  const answer = createRetryFetch({ controller })(url, { method: 'POST', body: '{}' });
  await expect.poll(() => lines[0]).toMatch(/^\r\u001B\[KService overloaded \(HTTP 503\): retry 1 in 2\ds$/);
  controller.retryNow();
  expect((await answer).status).toBe(200);
  expect(lines.at(-1)).toBe('\r\u001B[K');
  stop();
});
