import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { raceAbort } from '../../src/runtime/abort.ts';
import { settle, thrownBy } from '../script.ts';

const nothing = (): void => {};

describe('a promise raced with a signal', () => {
  test('resolves with its value and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(Promise.resolve('value'), signal, nothing)).resolves.toBe('value');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('rejects with its own error, the same object, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const error = new Error('mine');
    expect(await thrownBy(raceAbort(Promise.reject(error), signal, nothing))).toBe(error);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test.each([new Error('enough'), 'a string', 0, null, { plain: true }])(
    'rejects with the reason itself: %o',
    async (reason) => {
      const controller = new AbortController();
      const raced = raceAbort(new Promise(nothing), controller.signal, nothing);
      controller.abort(reason);
      expect(await thrownBy(raced)).toBe(reason);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    },
  );

  test('rejects at once if the signal aborted before', async () => {
    const reason = new Error('before');
    expect(await thrownBy(raceAbort(new Promise(nothing), AbortSignal.abort(reason), nothing))).toBe(reason);
  });

  test('passes a late value on, once', async () => {
    const controller = new AbortController();
    const late = vi.fn<(value: string) => void>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const raced = raceAbort(promise, controller.signal, late);
    controller.abort();
    await thrownBy(raced);
    expect(late).not.toHaveBeenCalled();
    resolve('late');
    await settle();
    expect(late.mock.calls).toEqual([['late']]);
  });

  test('ignores a late rejection', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<string>();
    const raced = raceAbort(promise, controller.signal, nothing);
    controller.abort();
    await thrownBy(raced);
    reject(new Error('late'));
    await settle();
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
