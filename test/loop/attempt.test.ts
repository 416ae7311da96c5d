import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sendAttempt, startLimit } from '../../src/loop/attempt.ts';
import { readError } from '../../src/classify/index.ts';
import type { Exchange } from '../../src/loop/exchange.ts';
import { hangingBody, respond, settle, thrownBy } from '../script.ts';

afterEach(() => {
  vi.useRealTimers();
});

function exchange(send: Exchange<Response>['send'], signal?: AbortSignal): Exchange<Response> {
  return {
    method: 'GET',
    url: '',
    headers: undefined,
    signal,
    replayable: true,
    send,
    defer: () => {},
    release: () => {},
  };
}

describe('the limit on an attempt', () => {
  test('aborts at its time with a TimeoutError that names it', async () => {
    vi.useFakeTimers();
    const { signal } = startLimit(500, undefined);
    await vi.advanceTimersByTimeAsync(499);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal.reason).toBeInstanceOf(DOMException);
    expect(signal.reason).toMatchObject({
      name: 'TimeoutError',
      message: 'No answer within 500 ms (attemptTimeoutMs).',
    });
  });

  test('is told from the time limit of somebody else: only ours is retried', async () => {
    vi.useFakeTimers();
    const { signal } = startLimit(500, undefined);
    await vi.advanceTimersByTimeAsync(500);
    expect(readError(signal.reason)).toMatchObject({ type: 'timeout', retryable: true });
    expect(readError(new DOMException('No answer', 'TimeoutError'))).toMatchObject({
      type: 'aborted',
      retryable: false,
    });
  });

  test('is over once it is cleared', () => {
    vi.useFakeTimers();
    startLimit(500, undefined).clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('aborts with the signal of the caller too, and leaves no listener on it', () => {
    const controller = new AbortController();
    const limit = startLimit(500, controller.signal);
    limit.clear();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    controller.abort(new Error('enough'));
    expect(limit.signal.reason).toBe(controller.signal.reason);
  });
});

describe('an attempt', () => {
  test('gives what was sent back', async () => {
    const response = respond(200);
    await expect(
      sendAttempt(
        exchange(async () => response),
        1,
        false,
        undefined,
      ),
    ).resolves.toBe(response);
  });

  test('rejects where sending throws', async () => {
    const error = new Error('thrown');
    const failing = exchange(() => {
      throw error;
    });
    expect(await thrownBy(sendAttempt(failing, 1, false, undefined))).toBe(error);
  });

  test('rejects with the reason while the other side hangs, and cancels its late answer', async () => {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { body, isCancelled } = hangingBody();
    const attempt = thrownBy(
      sendAttempt(
        exchange(() => promise, controller.signal),
        1,
        false,
        undefined,
      ),
    );
    controller.abort('enough');
    expect(await attempt).toBe('enough');
    resolve(respond(200, {}, body));
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test("hears the signal that it was given in place of the caller's", async () => {
    const mine = new AbortController();
    const limit = new AbortController();
    const attempt = thrownBy(
      sendAttempt(
        exchange(() => new Promise(() => {}), mine.signal),
        1,
        false,
        { signal: limit.signal, headers: {}, target: undefined },
      ),
    );
    limit.abort('limit');
    expect(await attempt).toBe('limit');
  });
});
