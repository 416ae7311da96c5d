import { expect, test } from 'vitest';
import { createRetryFetch } from '../../src/index.ts';
import { fakeRuntime, observed, script, URL_OF_TEST } from '../script.ts';
import { answerOf, exchangeOf, type Source, streamed } from '../http/exchanges.ts';
import { sourceOf } from '../http/exchanges.ts';

test('a wait counts from the event with the hint, not from the head', async () => {
  const runtime = fakeRuntime();
  const { events, ...config } = observed({ runtime });
  const exchange = exchangeOf('Anthropic Messages');
  const limited = new TextEncoder().encode(
    'event: error\ndata: {"error":{"type":"rate_limit_error","message":"Please try again in 20s"}}\n\n',
  );
  const late: Source['body'] = new ReadableStream(
    {
      pull: (controller) => {
        // Half a minute passes between the head and the first event.
        runtime.time += 25_000;
        controller.enqueue(limited.slice());
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const inner = script(
    runtime,
    () => streamed(exchange, { body: late }),
    streamed(exchange, sourceOf([answerOf(exchange)])),
  );
  await (await createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { method: 'POST', body: '{}' })).text();
  const [retry] = events;
  const delayMs = retry?.type === 'retry' ? retry.delayMs : 0;
  expect(delayMs).toBeGreaterThanOrEqual(20_000);
  expect(runtime.slept).toEqual([delayMs]);
});
