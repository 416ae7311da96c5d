import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { RetryController } from '../../src/events/controller.ts';
import { sleep, sleepControlled } from '../../src/loop/wait.ts';
import { fakeRuntime, heldRuntime, settle, thrownBy } from '../script.ts';

describe('a wait', () => {
  test('is one sleep of the runtime', async () => {
    const runtime = fakeRuntime();
    const { signal } = new AbortController();
    await sleep(runtime, 1_234, signal);
    expect(runtime.slept).toEqual([1_234]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('aborts also where the sleep does not listen', async () => {
    const runtime = heldRuntime();
    const controller = new AbortController();
    const reason = new Error('enough');
    const slept = thrownBy(sleep(runtime, 1_000, controller.signal));
    controller.abort(reason);
    expect(await slept).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    // The sleep that nobody waits for may end as it likes.
    runtime.waits[0]?.end();
    await settle();
  });

  test('needs no signal', async () => {
    const runtime = fakeRuntime();
    await sleep(runtime, 5, undefined);
    expect(runtime.slept).toEqual([5]);
  });
});

describe('a wait that is steered', () => {
  test('ends by itself', async () => {
    const runtime = fakeRuntime();
    const controller = new RetryController();
    await expect(sleepControlled(runtime, { ms: 100, until: 7 }, undefined, controller)).resolves.toBe('elapsed');
    expect(controller.nextAttemptAt).toBeNull();
  });

  test.each([
    ['retryNow', 'retry-now'],
    ['giveUp', 'given-up'],
  ] as const)('ends by %s, also where the sleep does not listen', async (method, how) => {
    const runtime = heldRuntime();
    const controller = new RetryController();
    const waited = sleepControlled(runtime, { ms: 100, until: 7 }, undefined, controller);
    expect(controller.nextAttemptAt).toBe(7);
    controller[method]();
    await expect(waited).resolves.toBe(how);
    expect(controller.nextAttemptAt).toBeNull();
  });

  test('rejects with the reason of the signal and is withdrawn', async () => {
    const abort = new AbortController();
    const controller = new RetryController();
    const reason = new Error('enough');
    const waited = thrownBy(sleepControlled(heldRuntime(), { ms: 100, until: 7 }, abort.signal, controller));
    abort.abort(reason);
    expect(await waited).toBe(reason);
    expect(controller.nextAttemptAt).toBeNull();
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('is aborted when both end it at once', async () => {
    const abort = new AbortController();
    const controller = new RetryController();
    const waited = thrownBy(sleepControlled(heldRuntime(), { ms: 100, until: 7 }, abort.signal, controller));
    abort.abort(new Error('enough'));
    controller.retryNow();
    expect(await waited).toBe(abort.signal.reason);
  });

  test.each([
    ['retryNow', 'retry-now'],
    ['giveUp', 'given-up'],
  ] as const)('is the controller’s before it is announced, so that %s ends it from there', async (method, how) => {
    const controller = new RetryController();
    const seen: (number | null)[] = [];
    const announce = (): void => {
      seen.push(controller.nextAttemptAt);
      controller[method]();
    };
    const waited = sleepControlled(heldRuntime(), { ms: 100, until: 7, announce }, undefined, controller);
    await expect(waited).resolves.toBe(how);
    expect(seen).toEqual([7]);
  });

  test('rejects when the sleep breaks', async () => {
    const broken = { ...fakeRuntime(), sleep: async () => Promise.reject(new Error('no clock')) };
    const waited = sleepControlled(broken, { ms: 100, until: 7 }, undefined, new RetryController());
    await expect(waited).rejects.toThrow('no clock');
  });
});
