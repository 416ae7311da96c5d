import { describe, expect, test, vi } from 'vitest';
import { notify } from '../../src/events/events.ts';
import { settle } from '../script.ts';

function fail(): never {
  throw new Error('listener');
}

describe('a listener', () => {
  test('gets its arguments', () => {
    const listener = vi.fn<(a: number, b: string) => void>();
    notify(listener, 1, 'two');
    expect(listener.mock.calls).toEqual([[1, 'two']]);
  });

  test('may be missing', () => {
    expect(() => notify(undefined)).not.toThrow();
  });

  test('that throws is ignored', () => {
    expect(() => notify(fail)).not.toThrow();
  });

  test.each([
    ['an async function', async () => Promise.reject(new Error('listener'))],
    // oxlint-disable-next-line unicorn/no-thenable
    ['a thenable', () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('listener')) })],
  ])('that rejects as %s leaves no unhandled rejection', async (_title, listener) => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    notify(listener);
    await settle();
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test.each([[null], [0], ['text']])('may return %j', (answer) => {
    expect(() => notify(() => answer)).not.toThrow();
  });
});
