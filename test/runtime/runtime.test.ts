import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createId, startIoLimit, startTimer, systemRuntime } from '../../src/runtime/runtime.ts';

const HOUR_MS = 3_600_000;

/** Whether a promise has settled yet, and how. */
function watch(promise: Promise<unknown>): { readonly state: () => unknown } {
  let state: unknown = 'pending';
  promise.then(
    () => (state = 'resolved'),
    (error: unknown) => (state = error),
  );
  return { state: () => state };
}

describe('the real sleep', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([1, 250, 1_000, 59_999, 60_000, 60_001, 90_500, HOUR_MS])(
    'of %i ms ends after exactly that',
    async (ms) => {
      const { state } = watch(systemRuntime.sleep(ms));
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(state()).toBe('pending');
      await vi.advanceTimersByTimeAsync(1);
      expect(state()).toBe('resolved');
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test('of 0 ms ends as soon as a timer can', async () => {
    const { state } = watch(systemRuntime.sleep(0));
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe('resolved');
  });

  test('of a fraction is rounded up, never down', async () => {
    const { state } = watch(systemRuntime.sleep(20.4));
    await vi.advanceTimersByTimeAsync(20);
    expect(state()).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe('resolved');
  });

  test.each([2 ** 31 - 1, 2 ** 31, 2_592_000_000])('of %i ms does not overflow its timer', async (ms) => {
    const { state } = watch(systemRuntime.sleep(ms));
    await vi.advanceTimersByTimeAsync(ms - 60_000);
    expect(state()).toBe('pending');
    await vi.advanceTimersByTimeAsync(59_999);
    expect(state()).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe('resolved');
  });

  test('sets no timer longer than a minute', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const { state } = watch(systemRuntime.sleep(3 * HOUR_MS));
    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect(state()).toBe('resolved');
    expect(Math.max(...setTimer.mock.calls.map(([, ms]) => ms ?? 0))).toBe(60_000);
  });

  test('needs one timer below a minute', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const slept = systemRuntime.sleep(59_000);
    await vi.advanceTimersByTimeAsync(59_000);
    await slept;
    expect(setTimer).toHaveBeenCalledOnce();
  });

  test('ends within a minute of waking when the machine was suspended past its end', async () => {
    const { state } = watch(systemRuntime.sleep(8 * HOUR_MS));
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    // A laptop that slept: the wall clock has moved, timers and the monotonic clock have not.
    vi.setSystemTime(Date.now() + 9 * HOUR_MS);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state()).toBe('resolved');
  });

  test('is not shortened by a suspension that ended before its time', async () => {
    const { state } = watch(systemRuntime.sleep(8 * HOUR_MS));
    vi.setSystemTime(Date.now() + 5 * HOUR_MS);
    await vi.advanceTimersByTimeAsync(3 * HOUR_MS - 60_000);
    expect(state()).toBe('pending');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state()).toBe('resolved');
  });

  test('is not prolonged by a wall clock that is set back', async () => {
    const { state } = watch(systemRuntime.sleep(2 * HOUR_MS));
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    vi.setSystemTime(Date.now() - 24 * HOUR_MS);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(state()).toBe('resolved');
  });

  test.each([61_000, 300_000, 600_000])('of %i ms is not cut by a wall clock that is set forward', async (ms) => {
    const { state } = watch(systemRuntime.sleep(ms));
    await vi.advanceTimersByTimeAsync(30_000);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await vi.advanceTimersByTimeAsync(ms - 30_001);
    expect(state()).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe('resolved');
  });

  test.each([59_000, 61_000, 300_000, HOUR_MS])(
    'of %i ms ends at its time under fake timers that replace only `setTimeout`',
    async (ms) => {
      vi.useRealTimers();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { state } = watch(systemRuntime.sleep(ms));
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(state()).toBe('pending');
      await vi.advanceTimersByTimeAsync(1);
      expect(state()).toBe('resolved');
    },
  );

  test('continues if its timer fires a fraction of a millisecond early', async () => {
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const { state } = watch(systemRuntime.sleep(20));
    now += 19.3;
    await vi.advanceTimersByTimeAsync(20);
    expect(state()).toBe('pending');
    now += 1;
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe('resolved');
  });

  test.each([20, 90_000])(
    'of %i ms rejects with the reason of the signal and leaves neither timer nor listener',
    async (ms) => {
      const controller = new AbortController();
      const { state } = watch(systemRuntime.sleep(ms, controller.signal));
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(ms / 2);
      const reason = new Error('enough');
      controller.abort(reason);
      await vi.advanceTimersByTimeAsync(0);
      expect(state()).toBe(reason);
      expect(vi.getTimerCount()).toBe(0);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    },
  );

  test('rejects at once if the signal is already aborted, without a timer', async () => {
    const reason = new Error('too late');
    await expect(systemRuntime.sleep(1_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('removes its listener when it ends by itself', async () => {
    const { signal } = new AbortController();
    const slept = systemRuntime.sleep(100, signal);
    await vi.advanceTimersByTimeAsync(100);
    await slept;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('reads the timers when it is called, so that fake ones are used', () => {
    const before = vi.getTimerCount();
    void systemRuntime.sleep(1_000);
    expect(vi.getTimerCount()).toBe(before + 1);
  });
});

describe('a limit on time', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('calls its function once at its time', async () => {
    const onTime = vi.fn<() => void>();
    startTimer(100, onTime);
    await vi.advanceTimersByTimeAsync(99);
    expect(onTime).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onTime).toHaveBeenCalledOnce();
  });

  test('can be cancelled', async () => {
    const onTime = vi.fn<() => void>();
    startTimer(100, onTime)();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onTime).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 40])('of %d ms does not fire at once', async (ms) => {
    const onTime = vi.fn<() => void>();
    const clear = startTimer(ms, onTime);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(onTime).not.toHaveBeenCalled();
    clear();
  });
});

describe('a limit on I/O', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test('is over at its time if nothing arrives', async () => {
    const onOver = vi.fn<() => void>();
    startIoLimit(250, onOver);
    await vi.advanceTimersByTimeAsync(249);
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('goes on for 250 ms at most while bytes arrive', async () => {
    const onOver = vi.fn<() => void>();
    let bytes = 0;
    startIoLimit(100, onOver, () => (bytes += 1));
    await vi.advanceTimersByTimeAsync(330);
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(20);
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('whose timer was late is over 250 ms after it', async () => {
    const onOver = vi.fn<() => void>();
    startIoLimit(100, onOver);
    const now = performance.now();
    const late = vi.spyOn(performance, 'now').mockReturnValue(now + 1_000);
    vi.advanceTimersByTime(90);
    late.mockRestore();
    await vi.advanceTimersByTimeAsync(240);
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(20);
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('is over at its time under fake timers that replace only `setTimeout`, however slow the machine is', () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const onOver = vi.fn<() => void>();
    startIoLimit(20, onOver);
    for (const start = performance.now(); performance.now() - start < 60;);
    vi.advanceTimersByTime(20);
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('is over where a test has a `setTimeout` that calls back at once', () => {
    vi.stubGlobal('setTimeout', (callback: () => void) => callback());
    const onOver = vi.fn<() => void>();
    startIoLimit(100, onOver)();
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('leaves no timer when it is cancelled between two looks', () => {
    const clear = startIoLimit(
      100,
      () => {},
      () => ({}),
    );
    vi.advanceTimersByTime(120);
    clear();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('the real clock and the real random numbers are read when they are used', () => {
  vi.spyOn(Date, 'now').mockReturnValue(42);
  vi.spyOn(Math, 'random').mockReturnValue(0.42);
  expect([systemRuntime.now(), systemRuntime.random()]).toEqual([42, 0.42]);
});

describe('identifiers', () => {
  test('are different from each other', () => {
    const ids = Array.from({ length: 1_000 }, createId);
    expect(new Set(ids).size).toBe(1_000);
  });

  test('are created without randomUUID, as on pages without TLS', () => {
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true, writable: true });
    try {
      expect(createId()).toMatch(/^[0-9a-f]{32}$/);
      expect(createId()).not.toBe(createId());
    } finally {
      Reflect.deleteProperty(crypto, 'randomUUID');
    }
  });
});
