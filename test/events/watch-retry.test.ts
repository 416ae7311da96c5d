import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFallback, createRetryFetch, RetryController, type RetryCountdown, watchRetry } from '../../src/index.ts';
import { respond, script, URL_OF_TEST } from '../script.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call that fails once and asks for a wait. */
function waiting(
  controller: RetryController,
  headers: Record<string, string> = { 'retry-after': '3' },
): Promise<Response> {
  const inner = script({ now: Date.now, random: Math.random, sleep: async () => {} }, respond(503, headers), 200);
  return createRetryFetch({ fetch: inner, controller, jitter: 'none' })(URL_OF_TEST);
}

describe('a wait that is watched', () => {
  test('is shown at once, then each second, and null when the next attempt is sent', async () => {
    const controller = new RetryController();
    const shown: (string | undefined)[] = [];
    watchRetry(controller, (wait) => void shown.push(wait?.text));
    const answer = waiting(controller);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(shown).toEqual(
      ['3s', '2s', '1s'].map((left) => `overloaded (HTTP 503): retry 1 of 3 in ${left}, as the server asked`),
    );
    await vi.advanceTimersByTimeAsync(500);
    expect((await answer).status).toBe(200);
    expect(shown.at(-1)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not shown for a move to another target, which waits for nothing', async () => {
    const controller = new RetryController();
    const shown: (string | undefined)[] = [];
    watchRetry(controller, (wait) => void shown.push(wait?.text));
    const inner = script({ now: Date.now, random: Math.random, sleep: async () => {} }, 503, 200);
    const fallback = createFallback({ targets: [{ name: 'other', model: 'small' }], maxRetriesBeforeFallback: 0 });
    const call = createRetryFetch({ fetch: inner, controller, fallback })(URL_OF_TEST);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await call).status).toBe(200);
    expect(shown).toEqual([]);
  });

  test('has the reason and the time as data, and never shows less than a second', async () => {
    const controller = new RetryController();
    const shown: (RetryCountdown | null)[] = [];
    watchRetry(controller, (wait) => void shown.push(wait));
    const startedAt = Date.now();
    const answer = waiting(controller, { 'retry-after-ms': '6' });
    await vi.advanceTimersByTimeAsync(6);
    await answer;
    expect(shown).toMatchObject([
      { secondsLeft: 1, retry: 1, maxRetries: 3, because: 'hint', delayMs: 6, nextAttemptAt: startedAt + 6 },
      null,
    ]);
    expect(Object.isFrozen(shown[0])).toBe(true);
  });

  test('ends with "retry now"', async () => {
    const controller = new RetryController();
    const show = vi.fn<(wait: RetryCountdown | null) => void>();
    watchRetry(controller, show);
    const answer = waiting(controller);
    await vi.advanceTimersByTimeAsync(0);
    controller.retryNow();
    await answer;
    expect(show).toHaveBeenLastCalledWith(null);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is shown no longer after the returned function was called, and its timer is gone', async () => {
    const controller = new RetryController();
    const show = vi.fn<(wait: RetryCountdown | null) => void>();
    const stop = watchRetry(controller, show);
    const answer = waiting(controller);
    await vi.advanceTimersByTimeAsync(0);
    stop();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    await answer;
    expect(show).toHaveBeenCalledTimes(1);
  });

  test('is shown from the middle to a view that watches later', async () => {
    const controller = new RetryController();
    const answer = waiting(controller);
    await vi.advanceTimersByTimeAsync(1_200);
    const show = vi.fn<(wait: RetryCountdown | null) => void>();
    watchRetry(controller, show);
    expect(show.mock.lastCall?.[0]?.secondsLeft).toBe(2);
    await vi.advanceTimersByTimeAsync(1_800);
    await answer;
  });
});

test('a view that throws or rejects ends neither the program nor the watch', async () => {
  const controller = new RetryController();
  const answer = waiting(controller);
  await vi.advanceTimersByTimeAsync(500);
  const throwing = vi.fn<() => unknown>(() => {
    throw new Error('The display broke.');
  });
  const rejecting = vi.fn<() => unknown>(() => Promise.reject(new Error('The display broke.')));
  for (const show of [throwing, rejecting]) watchRetry(controller, show);
  await vi.advanceTimersByTimeAsync(2_500);
  expect((await answer).status).toBe(200);
  // Three seconds and the end.
  for (const show of [throwing, rejecting]) expect(show).toHaveBeenCalledTimes(4);
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing is shown where nothing waits, and no timer runs', () => {
  const show = vi.fn<(wait: RetryCountdown | null) => void>();
  watchRetry(new RetryController(), show);
  expect(show).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('what is no function is refused by its name', () => {
  // @ts-expect-error -- a caller in JavaScript
  expect(() => watchRetry(new RetryController())).toThrow(/`show`/);
});
