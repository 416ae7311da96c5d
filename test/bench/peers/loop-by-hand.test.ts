import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { loopByHand } from '../../../bench/peers/loop-by-hand.ts';

const URL_NOWHERE = 'http://127.0.0.1:9/';

test('the loop retries up to its limit, reads discarded bodies, and returns the last response unread', async () => {
  const answers: Response[] = [];
  const call = loopByHand(
    () => {
      const answer = new Response('busy', { status: 503 });
      answers.push(answer);
      return Promise.resolve(answer);
    },
    { retries: 2, waitMs: 1 },
  );
  const last = await call(URL_NOWHERE, {});
  expect(answers.map(({ bodyUsed }) => bodyUsed)).toEqual([true, true, false]);
  expect(last).toBe(answers[2]);
});

test('a success or a permanent failure is returned at once', async () => {
  for (const status of [200, 400]) {
    let requests = 0;
    const call = loopByHand(
      () => {
        requests += 1;
        return Promise.resolve(new Response('', { status }));
      },
      { retries: 2, waitMs: 1 },
    );
    expect((await call(URL_NOWHERE, {})).status).toBe(status);
    expect(requests).toBe(1);
  }
});

test('an abort ends its wait with the reason, and leaves no listener', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = loopByHand(() => Promise.resolve(new Response('', { status: 429 })), { retries: 1, waitMs: 60_000 });
  const answer = call(URL_NOWHERE, { signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await expect(answer).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
