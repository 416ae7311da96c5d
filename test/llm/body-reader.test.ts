import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { BodyReader } from '../../src/llm/body-reader.ts';
import { settle, thrownBy } from '../script.ts';
import { piecewise } from './answers.ts';

function aborting() {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    abort: (reason: unknown) => controller.abort(reason),
    listeners: () => getEventListeners(signal, 'abort').length,
  };
}

test('returns the pieces in order, then undefined', async () => {
  const reader = new BodyReader(piecewise(['a', 'b']).response(), undefined);
  const pieces = [await reader.read(), await reader.read(), await reader.read()];
  expect(pieces.map((piece) => piece && new TextDecoder().decode(piece))).toEqual(['a', 'b', undefined]);
});

test('a response with a text and no stream is read by its text', async () => {
  // What a transport of the caller's own may give.
  const response = new Response(null);
  Reflect.defineProperty(response, 'text', { value: async () => 'Hello' });
  expect(await new BodyReader(response, undefined).text()).toBe('Hello');
  expect(await new BodyReader(new Response(null), undefined).text()).toBe('');
});

test('characters may be cut at any byte', async () => {
  const bytes = [...new TextEncoder().encode('é…😀')].map((byte) => Uint8Array.of(byte));
  expect(await new BodyReader(piecewise(bytes).response(), undefined).text()).toBe('é…😀');
});

test('the error of a broken body is thrown', async () => {
  const broken = new Error('reset');
  const reader = new BodyReader(piecewise(['a'], broken).response(), undefined);
  expect(await thrownBy(reader.text())).toBe(broken);
});

describe('an abort', () => {
  test('rejects with its reason and cancels the body, while it hangs', async () => {
    const { signal, abort, listeners } = aborting();
    const source = piecewise(['a'], 'hang');
    const reader = new BodyReader(source.response(), signal);
    await reader.read();
    const reading = thrownBy(reader.read());
    abort('enough');
    expect(await reading).toBe('enough');
    expect(source.isCancelled()).toBe(true);
    reader.release();
    expect(listeners()).toBe(0);
  });

  test('rejects with its reason, even if it breaks the body', async () => {
    const { signal, abort } = aborting();
    const body = new ReadableStream(
      { pull: (controller) => (abort('enough'), controller.error(new Error('aborted'))) },
      { highWaterMark: 0 },
    );
    expect(await thrownBy(new BodyReader(new Response(body), signal).read())).toBe('enough');
  });

  test('before the first read reads nothing', async () => {
    const source = piecewise(['a']);
    const reader = new BodyReader(source.response(), AbortSignal.abort('enough'));
    expect(await thrownBy(reader.read())).toBe('enough');
    expect(source.pulls()).toBe(0);
  });
});

describe('the end of a body', () => {
  test('leaves a body alone that another reader has locked', async () => {
    const response = piecewise(['a']).response();
    const theirs = response.body?.getReader();
    const reader = new BodyReader(response, undefined);
    reader.release();
    await reader.close();
    expect(await thrownBy(reader.read())).toBeInstanceOf(TypeError);
    expect(await theirs?.read()).toMatchObject({ done: false });
  });

  test('after release cancels it, with no listener left', async () => {
    const { signal, listeners } = aborting();
    const source = piecewise(['a', 'b']);
    const reader = new BodyReader(source.response(), signal);
    expect(listeners()).toBe(1);
    reader.release();
    await settle();
    expect([listeners(), source.isCancelled()]).toEqual([0, true]);
  });

  test('after close reads the rest, so that its connection can be used again', async () => {
    const { signal, listeners } = aborting();
    const source = piecewise(['a', 'b']);
    const reader = new BodyReader(source.response(), signal);
    await reader.read();
    await reader.close();
    expect([listeners(), source.isCancelled(), source.pulls()]).toEqual([0, false, 3]);
  });

  test.each([
    ['hangs', 'hang' as const, true],
    ['breaks', new Error('reset'), false],
  ])('after close comes even if it %s', async (_, then, isCancelled) => {
    const time = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const source = piecewise(['a'], then);
    const reader = new BodyReader(source.response(), undefined);
    await reader.read();
    const closed = reader.close();
    await settle();
    await settle();
    time.abort();
    await closed;
    expect(source.isCancelled()).toBe(isCancelled);
  });
});
