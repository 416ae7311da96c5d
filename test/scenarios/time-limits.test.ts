import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRetryFetch, outcomeOf } from '../../src/index.ts';
import { hangingBody, respond, settle, URL_OF_TEST } from '../script.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const INIT = { method: 'POST', body: '{"model":"m","messages":[]}' };

test('three calls of one request end by its moment, and each error has its history', async () => {
  const startedAt = Date.now();
  const endsAt = startedAt + 50_000;
  const aborting = new AbortController();
  setTimeout(() => aborting.abort(new DOMException('The request took too long.', 'TimeoutError')), 50_000);
  const running: number[] = [];
  let sent = 0;
  // The first call is answered after 20 s, the second fails and then hangs, the third never begins in time.
  const inner = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    sent += 1;
    if (sent === 1) {
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      return respond(200);
    }
    if (sent === 2) return respond(503);
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => {
        running.push(Date.now());
        reject(init.signal?.reason);
      });
    });
  };
  const fetch = createRetryFetch({ fetch: inner });
  const outcomes: unknown[] = [];
  const ends: ReturnType<typeof outcomeOf>[] = [];
  const calls = (async () => {
    for (let call = 0; call < 3; call += 1) {
      const within = fetch.with({ maxElapsedMs: Math.max(0, endsAt - Date.now()) });
      const outcome = await within(URL_OF_TEST, { ...INIT, signal: aborting.signal }).catch((error: unknown) => error);
      outcomes.push(outcome);
      ends.push(outcomeOf(outcome));
    }
  })();
  for (let at = 0; at < 51_000; at += 250) {
    await vi.advanceTimersByTimeAsync(250);
    await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
  }
  await calls;
  expect(outcomes[0]).toBeInstanceOf(Response);
  for (const error of outcomes.slice(1)) expect(error).toBe(aborting.signal.reason);
  expect(running.every((at) => at - endsAt <= 50)).toBe(true);
  expect(ends.map((end) => end?.type)).toEqual([undefined, 'cancelled', undefined]);
  expect(ends[1]?.history.map(({ failure }) => failure?.type)).toContain('overloaded');
  // The reason of the signal has ended two calls by now.
  expect(outcomeOf(outcomes[1])).toBeUndefined();
});

test('a JSON body that stalls is asked for again after attemptTimeoutMs, above 30 s too', async () => {
  let sent = 0;
  const inner = async (): Promise<Response> => {
    sent += 1;
    if (sent > 1) return respond(200, { 'content-type': 'application/json' }, '{"ok":true}');
    const { body } = hangingBody(new TextEncoder().encode('{"id":'));
    return respond(200, { 'content-type': 'application/json' }, body);
  };
  const call = createRetryFetch({ fetch: inner, attemptTimeoutMs: 60_000 })(
    'https://api.openai.com/v1/chat/completions',
    INIT,
  );
  await vi.advanceTimersByTimeAsync(59_999);
  expect(sent).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await (await call).text()).toBe('{"ok":true}');
  expect(sent).toBe(2);
  vi.useRealTimers();
  await settle();
});
