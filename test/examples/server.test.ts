import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerWithin } from '../../examples/server-deadline.ts';
import { answerWithWaits } from '../../examples/server-events.ts';
import { callOrPostpone } from '../../examples/durable-wait.ts';
import { completions, replayFetch } from '../../mocks/index.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const init = { method: 'POST', body: '{"model":"m"}' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

test('a request of several calls ends before the limit of its host, with an answer of its own', async () => {
  vi.useRealTimers();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}));
  const answer = await answerWithin(40, async (fetch) => {
    await fetch(url, init);
    return fetch(url, init);
  });
  expect(answer.status).toBe(503);
});

test('a wait that would end after the limit is not begun', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json({ error: { message: 'Slow down.' } }, { status: 429, headers: { 'retry-after': '50' } }),
  );
  const answer = await answerWithin(10_000, (fetch) => fetch(url, init));
  expect(answer.status).toBe(429);
});

test('the browser gets the wait before the answer', async () => {
  vi.setTimerTickMode('nextTimerAsync');
  const answer = answerWithWaits(replayFetch('huggingface-503-loading', completions.openai('Hello')), url, init);
  const text = await answer.text();
  expect(text).toMatch(/^event: waiting\ndata: .*"Service overloaded \(HTTP 503\)","nextAttemptAt":[\d.]+\}\n\n/);
  expect(text).toContain('Hello');
});

test('a wait of hours is handed on with its moment', async () => {
  const limited = async (): Promise<Response> =>
    Response.json({ error: { message: 'Slow down.' } }, { status: 429, headers: { 'retry-after': '18000' } });
  const outcome = await callOrPostpone(limited, url, init);
  expect('possibleAt' in outcome && outcome.possibleAt - Date.now()).toBeGreaterThan(17_990_000);
});
