import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { peekBody, PEEK_BYTES } from '../../src/body/response-body.ts';
import type { TransportResponse } from '../../src/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** As much of a response as a transport of the caller's own gives. */
function answer(
  text: () => Promise<string>,
  more: object = {},
): { ok: boolean; status: number; text(): Promise<string>; json<T>(): Promise<T> } {
  return {
    ok: false,
    status: 429,
    text,
    json: async () => {
      throw new Error('json() was called');
    },
    ...more,
  };
}

describe('reading a result that is not a Response', () => {
  test.each<[string, object]>([
    ['without a body', {}],
    ['with body: null', { body: null }],
    ['with body: undefined', { body: undefined }],
    ['with a body of its own kind', { body: { pipe: () => {} } }],
    ['with `bodyUsed`, but no body', { bodyUsed: false }],
  ])('calls text() once and replays it: %s', async (_title, more) => {
    const text = vi.fn<() => Promise<string>>(async () => '{"a":1}');
    const response = answer(text, more);
    await expect(peekBody(response, undefined)).resolves.toEqual({ body: '{"a":1}', drained: true });
    await expect(response.text()).resolves.toBe('{"a":1}');
    await expect(response.text()).resolves.toBe('{"a":1}');
    await expect(response.json()).resolves.toEqual({ a: 1 });
    expect(text).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('gives up on a text() that hangs after 250 ms', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const response = answer(() => promise);
    const peeked = peekBody(response, undefined);
    await vi.advanceTimersByTimeAsync(250);
    await expect(peeked).resolves.toMatchObject({ body: undefined });
    // A caller that asks for it later still gets it.
    const later = response.text();
    resolve('at last');
    await expect(later).resolves.toBe('at last');
  });

  test('ends at once when the signal aborts, and leaves no listener', async () => {
    const controller = new AbortController();
    const peeked = peekBody(
      answer(() => new Promise(() => {})),
      controller.signal,
    );
    controller.abort();
    await expect(peeked).resolves.toMatchObject({ body: undefined });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends at once if the signal aborted before', async () => {
    const peeked = peekBody(
      answer(() => new Promise(() => {})),
      AbortSignal.abort(),
    );
    await expect(peeked).resolves.toMatchObject({ body: undefined });
  });

  test.each<[string, () => Promise<string>]>([
    ['rejects', async () => Promise.reject(new Error('gone'))],
    [
      'throws',
      () => {
        throw new Error('gone');
      },
    ],
  ])('accepts a text() that %s, and replays the failure', async (_title, text) => {
    const response = answer(text);
    await expect(peekBody(response, undefined)).resolves.toMatchObject({ body: undefined });
    await expect(response.text()).rejects.toThrow('gone');
    await expect(response.json()).rejects.toThrow('gone');
  });

  test('cuts a long text', async () => {
    const { body } = await peekBody(
      answer(async () => 'x'.repeat(200_000)),
      undefined,
    );
    expect(body).toHaveLength(PEEK_BYTES);
  });

  test('accepts a text() that returns no string', async () => {
    // @ts-expect-error -- callers in JavaScript
    const numeric = answer(async () => 42);
    await expect(peekBody(numeric, undefined)).resolves.toMatchObject({ body: undefined });
  });

  test('returns nothing of one without text()', async () => {
    // @ts-expect-error -- callers in JavaScript
    const response: TransportResponse = { ok: false, status: 503 };
    await expect(peekBody(response, undefined)).resolves.toEqual({ body: undefined, drained: true });
    expect(Object.getOwnPropertyNames(response)).toEqual(['ok', 'status']);
  });

  test('leaves a Response without a body as it is', async () => {
    const response = new Response(null, { status: 503 });
    await expect(peekBody(response, undefined)).resolves.toEqual({ body: undefined, drained: true });
    expect(Object.getOwnPropertyNames(response)).toEqual([]);
  });

  test('reads an object again that a transport gives a second text', async () => {
    const response = answer(async () => 'one');
    await peekBody(response, undefined);
    response.text = async () => 'two';
    await expect(peekBody(response, undefined)).resolves.toMatchObject({ body: 'two' });
    await expect(response.text()).resolves.toBe('two');
    expect({ ...response }).toHaveProperty('text');
  });

  test('leaves the body of a frozen one to the caller, because it cannot be made readable again', async () => {
    const text = vi.fn<() => Promise<string>>(async () => 'text');
    const response = Object.freeze(answer(text));
    await expect(peekBody(response, undefined)).resolves.toMatchObject({ body: undefined });
    expect(text).not.toHaveBeenCalled();
  });
});
