import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fc, test as property } from '@fast-check/vitest';
import { checkPace, pause, streamOf, type Pace } from '../../mocks/pieces.ts';
import { bytesOf, type Answer } from '../../mocks/recording.ts';

const answer = (type: string, body: string): Answer => ({
  status: 200,
  statusText: 'OK',
  headers: { 'content-type': type, 'content-length': '7' },
  body,
});

/** The pieces that arrive, and what the stream ends in. */
async function piecesOf(response: Response) {
  const pieces: string[] = [];
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return { pieces, error: undefined };
      pieces.push(decoder.decode(part.value));
    }
  } catch (error) {
    return { pieces, error };
  }
}

function progressOf(work: Promise<unknown> | undefined): { readonly over: boolean } {
  const progress = { over: false };
  void work?.then(() => (progress.over = true));
  return progress;
}

describe('streamOf', () => {
  test.each([
    ['text/event-stream', 'a: 1\n\nb: 2\n\n', ['a: 1\n\n', 'b: 2\n\n']],
    ['text/event-stream; charset=utf-8', 'a: 1\r\n\r\nb: 2\r\n\r\n', ['a: 1\r\n\r\n', 'b: 2\r\n\r\n']],
    ['text/event-stream', 'a: 1\n\nb: cut', ['a: 1\n\n', 'b: cut']],
    ['application/x-ndjson', '{"a":1}\n{"b":2}\n', ['{"a":1}\n', '{"b":2}\n']],
    ['application/json', '{\n\n}', ['{\n\n}']],
    ['text/plain', '', []],
  ])('sends %s %j in the pieces of its kind', async (type, body, wanted) => {
    expect(await piecesOf(streamOf(answer(type, body)))).toEqual({ pieces: wanted, error: undefined });
  });

  test('sends data that is not text in one piece', async () => {
    const binary: Answer = { ...answer('text/event-stream', 'CgoKCg=='), encoding: 'base64' };
    expect((await piecesOf(streamOf(binary))).pieces).toEqual(['\n\n\n\n']);
    expect((await piecesOf(streamOf({ ...binary, headers: {} }))).pieces).toEqual(['\n\n\n\n']);
  });

  test('sends pieces of a given size, even across events', async () => {
    expect((await piecesOf(streamOf(answer('text/event-stream', 'ab\n\ncde'), { chunkBytes: 3 }))).pieces).toEqual([
      'ab\n',
      '\ncd',
      'e',
    ]);
  });

  test('shows that it comes in pieces, and no length', () => {
    const { status, statusText, headers } = streamOf({
      ...answer('text/plain', 'x'),
      status: 418,
      statusText: 'Teapot',
    });
    expect({ status, statusText, headers: Object.fromEntries(headers) }).toEqual({
      status: 418,
      statusText: 'Teapot',
      headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
    });
  });

  test('has no body if its status must have none', () => {
    expect(streamOf({ ...answer('text/plain', ''), status: 204 }, { chunkBytes: 1 }).body).toBeNull();
  });

  test.each([
    [{ dieAfterBytes: 8 }, ['a: 1\n\n', 'b:']],
    [{ dieAfterBytes: 6 }, ['a: 1\n\n']],
    [{ dieAfterBytes: 5, chunkBytes: 2 }, ['a:', ' 1', '\n']],
    [{ dieAfterBytes: 1_000 }, ['a: 1\n\n', 'b: 2\n\n']],
  ])('breaks off as %j says', async (pace, wanted) => {
    const { pieces, error } = await piecesOf(streamOf(answer('text/event-stream', 'a: 1\n\nb: 2\n\n'), pace));
    expect(pieces).toEqual(wanted);
    expect(error).toEqual(new TypeError(`The connection broke after ${pace.dieAfterBytes} bytes, as this step says.`));
  });

  test('ends early as `endAfterBytes` says', async () => {
    const response = streamOf(answer('text/event-stream', 'a: 1\n\nb: 2\n\n'), { endAfterBytes: 8 });
    expect(await response.text()).toBe('a: 1\n\nb:');
  });

  test('goes silent as `stallAfterBytes` says, until it is cancelled', async () => {
    const reader = streamOf(answer('text/event-stream', 'a: 1\n\nb: 2\n\n'), { stallAfterBytes: 6 }).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('a: 1\n\n');
    const silent = reader?.read();
    const first = await Promise.race([silent, new Promise((resolve) => setImmediate(() => resolve('silent')))]);
    expect(first).toBe('silent');
    await reader?.cancel();
    expect(await silent).toEqual({ done: true, value: undefined });
  });

  const size = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
  property.prop([fc.string({ unit: 'grapheme' }), size, size])(
    'loses and doubles no byte, whatever the pieces',
    async (body, chunkBytes, dieAfterBytes) => {
      const sent = answer('text/event-stream', body);
      const bytes: number[] = [];
      const response = streamOf(sent, { chunkBytes, dieAfterBytes });
      try {
        for await (const piece of response.body ?? []) {
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(chunkBytes ?? Infinity);
          bytes.push(...piece);
        }
        expect(dieAfterBytes).toBeUndefined();
      } catch (error) {
        expect(error).toHaveProperty('message', expect.stringContaining(`after ${dieAfterBytes} bytes`));
      }
      expect(bytes).toEqual([...bytesOf(sent).subarray(0, dieAfterBytes)]);
    },
  );

  describe('in time', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('stalls forever after the first piece, without a timer', async () => {
      const reader = streamOf(answer('text/event-stream', '1\n\n2\n\n'), { chunkDelayMs: Infinity }).body?.getReader();
      expect(await reader?.read()).toMatchObject({ done: false });
      const second = progressOf(reader?.read());
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(second).toEqual({ over: false });
      expect(vi.getTimerCount()).toBe(0);
    });

    test('leaves no timer when the reader leaves', async () => {
      const reader = streamOf(answer('text/event-stream', '1\n\n2\n\n'), { chunkDelayMs: 500 }).body?.getReader();
      await reader?.read();
      await vi.advanceTimersByTimeAsync(0);
      expect(vi.getTimerCount()).toBe(1);
      await reader?.cancel();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

describe('pause', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([20, Infinity, 2 ** 31])(
    'of %d ms does not end early, but when the signal fires, and leaves nothing',
    async (ms) => {
      const caller = new AbortController();
      const removed = vi.spyOn(caller.signal, 'removeEventListener');
      const waiting = pause(ms, caller.signal);
      const pausing = progressOf(waiting);
      await vi.advanceTimersByTimeAsync(19);
      expect(pausing).toEqual({ over: false });
      caller.abort();
      await waiting;
      expect(removed).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test('ends at once after the signal has fired', async () => {
    await pause(20, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('checkPace', () => {
  test.each<[Pace & { delayMs?: number }]>([
    [{}],
    [{ delayMs: 0, chunkDelayMs: Infinity }],
    [{ chunkBytes: 1, dieAfterBytes: 1 }],
  ])('takes %j', (pace) => {
    expect(checkPace(pace)).toBeUndefined();
  });

  test.each<[Pace & { delayMs?: number }, string]>([
    [{ chunkBytes: 0 }, 'Expected `chunkBytes` to be an integer ≥ 1, got 0.'],
    [{ chunkBytes: Infinity }, 'Expected `chunkBytes` to be an integer ≥ 1, got Infinity.'],
    [{ stallAfterBytes: 0 }, 'Expected `stallAfterBytes` to be an integer ≥ 1, got 0.'],
    [{ endAfterBytes: -1 }, 'Expected `endAfterBytes` to be an integer ≥ 1, got -1.'],
    [{ dieAfterBytes: 1, endAfterBytes: 1 }, 'Expected at most one of dieAfterBytes, stallAfterBytes, endAfterBytes.'],
    [{ dieAfterBytes: 1.5 }, 'Expected `dieAfterBytes` to be an integer ≥ 1, got 1.5.'],
    [{ dieAfterByte: 1 } as object, 'Unknown option `dieAfterByte` of a step.'],
    [{ delayMs: -1 }, 'Expected `delayMs` to be a number ≥ 0, got -1.'],
    [{ chunkDelayMs: Number.NaN }, 'Expected `chunkDelayMs` to be a number ≥ 0, got NaN.'],
  ])('refuses %j', (pace, message) => {
    expect(() => checkPace(pace)).toThrow(new TypeError(message));
  });
});
