import { getEventListeners } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  BodyReading,
  cancelClone,
  discard,
  isReadableTwice,
  peekBody,
  PEEK_BYTES,
  readerOfClone,
} from '../../src/body/response-body.ts';
import { hangingBody, respond, settle } from '../script.ts';
import { failingWith } from '../http/exchanges.ts';

/** A body in pieces, which notes how much was pulled of it. */
function pieces(
  size: number,
  count: number,
): { readonly body: ReadableStream<Uint8Array>; readonly pulled: () => number; readonly isCancelled: () => boolean } {
  let pulled = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (pulled === count) {
          controller.close();
          return;
        }
        pulled += 1;
        controller.enqueue(new Uint8Array(size).fill(65));
      },
      cancel: () => {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, pulled: () => pulled, isCancelled: () => cancelled };
}

const textOf = (body: string | Uint8Array | undefined): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('reading a response for its classification', () => {
  test('returns the body and leaves the original unread', async () => {
    const response = respond(429, {}, '{"error":"slow down"}');
    const { body, drained } = await peekBody(response, undefined);
    expect([textOf(body), drained]).toEqual(['{"error":"slow down"}', true]);
    expect(response.bodyUsed).toBe(false);
    await expect(response.json()).resolves.toEqual({ error: 'slow down' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('returns an empty body as an empty one', async () => {
    const { body, drained } = await peekBody(respond(429, {}, ''), undefined);
    expect([textOf(body), drained]).toEqual(['', true]);
  });

  test('joins the pieces in order', async () => {
    const parts = ['{"a"', ':', '"ü', '"}'].map((part) => new TextEncoder().encode(part));
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    expect(textOf((await peekBody(respond(429, {}, stream), undefined)).body)).toBe('{"a":"ü"}');
  });

  test.each([
    ['exactly the limit', 1_024, 64, true],
    ['one piece more', 1_024, 65, false],
    ['one piece that is exactly the limit', PEEK_BYTES, 1, true],
    ['one byte more in one piece', PEEK_BYTES + 1, 1, false],
    ['far more', 1_024, 100_000, false],
  ])('reads %s (%i × %i): to the end %s', async (_title, size, count, drained) => {
    const { body, pulled } = pieces(size, count);
    const peek = await peekBody(respond(429, {}, body), undefined);
    expect(peek.drained).toBe(drained);
    expect(peek.body).toHaveLength(Math.min(size * count, PEEK_BYTES));
    expect(pulled() * size).toBeLessThanOrEqual(PEEK_BYTES + 2 * size);
  });

  test('keeps the whole of a large body for the original', async () => {
    const { body, isCancelled } = pieces(1_024, 200);
    const response = respond(429, {}, body);
    await peekBody(response, undefined);
    expect(isCancelled()).toBe(false);
    expect((await response.arrayBuffer()).byteLength).toBe(200 * 1_024);
  });

  test('releases the connection when the original is released too', async () => {
    const { body, isCancelled } = pieces(1_024, 100_000);
    const response = respond(429, {}, body);
    await peekBody(response, undefined);
    discard(response);
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('waits at most 250 ms for a body that hangs, and keeps the part that came', async () => {
    const { body, isCancelled } = hangingBody(new TextEncoder().encode('{"err'));
    const response = respond(503, {}, body);
    const peeked = peekBody(response, undefined);
    let done = false;
    void peeked.then(() => (done = true));
    await vi.advanceTimersByTimeAsync(249);
    await settle();
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const peek = await peeked;
    expect([textOf(peek.body), peek.drained]).toEqual(['{"err', false]);
    expect(isCancelled()).toBe(false);
    discard(response);
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('ends at once when the signal aborts, and leaves no listener', async () => {
    const controller = new AbortController();
    const peeked = peekBody(respond(503, {}, hangingBody().body), controller.signal);
    controller.abort();
    expect((await peeked).drained).toBe(false);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no rejection behind if fetch cancels the body after an abort, as in Node 22', async () => {
    const controller = new AbortController();
    const { response, cancelled } = failingWith(controller.signal);
    const peeked = peekBody(response, controller.signal);
    await settle();
    controller.abort();
    await peeked;
    await expect(cancelled()).resolves.toBeUndefined();
  });

  test('ends at once if the signal aborted before', async () => {
    expect((await peekBody(respond(503, {}, hangingBody().body), AbortSignal.abort())).drained).toBe(false);
  });

  test('leaves no listener when the body ends by itself', async () => {
    const { signal } = new AbortController();
    await peekBody(respond(503, {}, 'x'), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('keeps the part of a broken body that came', async () => {
    const broken = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.error(new TypeError('terminated'));
        },
        start: (controller) => controller.enqueue(new TextEncoder().encode('beginning')),
      },
      { highWaterMark: 0 },
    );
    const peek = await peekBody(respond(502, {}, broken), undefined);
    expect([textOf(peek.body), peek.drained]).toEqual(['beginning', true]);
    expect(peek.broken).toEqual({ cause: new TypeError('terminated') });
    expect((await peekBody(respond(502, {}, 'whole'), undefined)).broken).toBeUndefined();
  });

  test('an object that has only some methods of a stream of Node is read by its text()', async () => {
    const response = { ok: false, status: 502, body: { read: () => null, on: () => {} }, text: async () => 'busy' };
    // @ts-expect-error -- a transport in JavaScript
    expect((await peekBody(response, undefined)).body).toBe('busy');
  });

  test.each<[string, () => Promise<Response>]>([
    ['without a body', async () => respond(503)],
    [
      'whose body was read',
      async () => {
        const response = respond(503, {}, 'x');
        await response.text();
        return response;
      },
    ],
    [
      'whose body is being read',
      async () => {
        const response = respond(503, {}, 'x');
        response.body?.getReader();
        return response;
      },
    ],
    [
      'that cannot be cloned',
      async () =>
        Object.assign(respond(503, {}, 'x'), {
          clone: () => {
            throw new TypeError('no');
          },
        }),
    ],
    ['whose clone has no body', async () => Object.assign(respond(503, {}, 'x'), { clone: () => respond(503) })],
  ])('returns nothing of one %s', async (_title, make) => {
    await expect(peekBody(await make(), undefined)).resolves.toEqual({ body: undefined, drained: true });
  });
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

// A text that is read once, hangs or is missing is tested through RetryTransport.
describe('reading a result that is not a Response', () => {
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

  test('accepts a text() that returns no string', async () => {
    // @ts-expect-error -- callers in JavaScript
    const numeric = answer(async () => 42);
    await expect(peekBody(numeric, undefined)).resolves.toMatchObject({ body: undefined });
  });

  test('cuts a long text', async () => {
    const { body } = await peekBody(
      answer(async () => 'x'.repeat(200_000)),
      undefined,
    );
    expect(body).toHaveLength(PEEK_BYTES);
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

describe('releasing a response', () => {
  test('cancels the body', async () => {
    const { body, isCancelled } = hangingBody();
    discard(respond(503, {}, body));
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['an answer without a body', { status: 503 }],
    ['an answer with body: null', { body: null }],
    ['a body without cancel', { body: {} }],
    [
      'a body whose cancel throws',
      {
        body: {
          cancel: () => {
            throw new Error('no');
          },
        },
      },
    ],
    ['a body whose cancel rejects', { body: { cancel: async () => Promise.reject(new Error('no')) } }],
    ['a body whose cancel never ends', { body: { cancel: () => new Promise(() => {}) } }],
  ])('of %s changes nothing', async (_title, response) => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    expect(() => discard(response)).not.toThrow();
    await settle();
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('of a body that is being read leaves it to its reader', async () => {
    const response = respond(503, {}, 'text');
    const reader = response.body?.getReader();
    expect(() => discard(response)).not.toThrow();
    await settle();
    await expect(reader?.read()).resolves.toMatchObject({ done: false });
  });
});

/** As node-fetch gives it: its body is a stream of Node, and its `text` reads all of it. */
function nodeResponse(body: Readable): Response {
  const response = {
    ok: false,
    status: 503,
    headers: new Headers(),
    body,
    clone: () => null,
    text: () => buffer(body),
  };
  // @ts-expect-error -- node-fetch's Response has the members that are needed
  return response;
}

function ended(...words: readonly string[]): Readable {
  const stream = new PassThrough();
  for (const word of words) stream.write(word);
  return stream.end();
}

describe('a body that is a stream of Node', () => {
  test.each<[string, () => Readable]>([
    ['has ended', () => ended('{"error":', '"busy"}')],
    ['gives text', () => ended('{"error":', '"busy"}').setEncoding('utf8')],
    [
      'comes through',
      () => Readable.from([Buffer.from('{"error":"busy"}')], { objectMode: false }).pipe(new PassThrough()),
    ],
  ])('that %s is read, and stays unread for the caller', async (_title, make) => {
    const body = make();
    const { body: seen, drained } = await peekBody(nodeResponse(body), undefined);
    expect([textOf(seen), drained]).toEqual(['{"error":"busy"}', false]);
    expect(body.listenerCount('readable')).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(await buffer(body)).toEqual(Buffer.from('{"error":"busy"}'));
  });

  test.each([
    ['is closed', (body: PassThrough) => body.destroy()],
    ['breaks', (body: PassThrough) => body.destroy(new Error('reset'))],
    ['ends without a word', (body: PassThrough) => body.end()],
  ])('that %s during a look is not waited for', async (_title, stop) => {
    const body = new PassThrough();
    const peeking = peekBody(nodeResponse(body), undefined);
    await settle();
    stop(body);
    expect(textOf((await peeking).body)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is empty returns nothing', async () => {
    expect(textOf((await peekBody(nodeResponse(Readable.from([])), undefined)).body)).toBe('');
    const read = ended();
    await buffer(read);
    for (const over of [read, new PassThrough().destroy()])
      expect((await peekBody(nodeResponse(over), undefined)).body).toBeUndefined();
    const objects = new Readable({
      objectMode: true,
      read() {
        this.push({});
      },
    });
    expect(textOf((await peekBody(nodeResponse(objects), undefined)).body)).toBe('');
  });

  test('that never ends is read a little, and destroyed when the response is discarded', async () => {
    let pulled = 0;
    const body = new Readable({
      read() {
        pulled += 1;
        this.push(Buffer.alloc(4_096, 65));
      },
    });
    const response = nodeResponse(body);
    const { body: seen } = await peekBody(response, undefined);
    expect(seen?.length).toBeGreaterThan(4_095);
    expect(seen?.length).toBeLessThanOrEqual(PEEK_BYTES);
    await settle();
    const before = pulled;
    discard(response);
    await settle();
    expect([body.destroyed, pulled]).toEqual([true, before]);
    expect(pulled).toBeLessThan(64);
  });

  test('that hangs is read for 250 ms, and no longer than until an abort', async () => {
    const hanging = new PassThrough();
    hanging.write('so far');
    const peeking = peekBody(nodeResponse(hanging), undefined);
    await settle();
    await vi.advanceTimersByTimeAsync(250);
    expect(textOf((await peeking).body)).toBe('so far');
    const abort = new AbortController();
    const aborted = peekBody(nodeResponse(new PassThrough()), abort.signal);
    abort.abort();
    expect(textOf((await aborted).body)).toBe('');
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });
});

describe('whether a response can be read twice', () => {
  const used = respond(200, {}, 'x');
  void used.text();
  const locked = respond(200, {}, 'x');
  locked.body?.getReader();
  test.each<[string, boolean, object]>([
    ['with an unread body', true, respond(200, {}, 'x')],
    ['without a body', false, respond(204)],
    ['whose body was read', false, used],
    ['whose body has a reader', false, locked],
    ['that cannot be cloned', false, { body: new ReadableStream(), bodyUsed: false }],
    ['whose body is no stream', false, { clone: () => {}, body: 'x', bodyUsed: false }],
  ])('a response %s can be read twice: %j', (_what, expected, response) => {
    expect(isReadableTwice(response)).toBe(expected);
  });
});

describe('a reading of a body', () => {
  const readerOf = (...chunks: readonly unknown[]) =>
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }).getReader();

  test.each<[string, unknown, number, string, number]>([
    ['a text in place of bytes', 'x', 99, 'stopped', 0],
    ['another view than of bytes', new Uint16Array(1), 99, 'stopped', 0],
    ['bytes up to the limit', new Uint8Array(9), 9, 'end', 1],
    ['more bytes than the limit', new Uint8Array(10), 9, 'stopped', 1],
  ])('with %s ends as it should', async (_what, chunk, maxBytes, end, taken) => {
    let count = 0;
    const take = (): boolean => {
      count += 1;
      return false;
    };
    expect(await new BodyReading(readerOf(chunk)).run(undefined, maxBytes, Infinity, take)).toBe(end);
    expect(count).toBe(taken);
  });

  test('ends when the chunk that was wanted has come, and can be stopped before the next', async () => {
    const reader = readerOf(Uint8Array.of(1), Uint8Array.of(2));
    expect(await new BodyReading(reader).run(undefined, 99, Infinity, ([byte]) => byte === 2)).toBe('stopped');
    const reading = new BodyReading(readerOf(Uint8Array.of(1), Uint8Array.of(2)));
    let count = 0;
    const end = await reading.run(undefined, 99, Infinity, () => {
      count += 1;
      reading.stop();
      return false;
    });
    expect([end, count]).toEqual(['stopped', 1]);
  });

  test('tells why the body broke', async () => {
    const cause = new TypeError('terminated');
    const reader = new ReadableStream({ start: (controller) => controller.error(cause) }).getReader();
    expect(await new BodyReading(reader).run(undefined, 99, Infinity, () => false)).toEqual({ cause });
  });
});

describe('the clone of a response that is looked into no longer', () => {
  const inNode22 = (): void => {
    vi.stubGlobal('process', Object.create(process, { versions: { value: { undici: '6.28.0' } } }));
  };
  /** A response, and whether its clone was cancelled. */
  function cloned() {
    const response = respond(503, {}, hangingBody().body);
    const reader = readerOfClone(response);
    if (reader === null) throw new Error('Expected a clone.');
    const cancel = vi.spyOn(reader, 'cancel');
    return { response, reader, isCancelled: () => cancel.mock.calls.length > 0 };
  }

  test('is cancelled at once, in Node 22 only without a signal', () => {
    const { signal } = new AbortController();
    const [newer, without, withSignal] = [cloned(), cloned(), cloned()];
    cancelClone(newer.reader, newer.response, signal);
    inNode22();
    cancelClone(without.reader, without.response, undefined);
    cancelClone(withSignal.reader, withSignal.response, signal);
    expect([newer.isCancelled(), without.isCancelled(), withSignal.isCancelled()]).toEqual([true, true, false]);
  });

  test.each<[string, (response: Response) => unknown]>([
    ['is read', (response) => response.text().catch(() => {})],
    ['has a reader', (response) => response.body?.getReader()],
  ])('is cancelled in Node 22 when the body of the response %s', async (_what, read) => {
    inNode22();
    const { response, reader, isCancelled } = cloned();
    cancelClone(reader, response, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isCancelled()).toBe(false);
    void read(response);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isCancelled()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is let go of in Node 22 after an abort', async () => {
    inNode22();
    const controller = new AbortController();
    const { response, reader, isCancelled } = cloned();
    cancelClone(reader, response, controller.signal);
    controller.abort();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([isCancelled(), vi.getTimerCount(), response.bodyUsed]).toEqual([false, 0, false]);
  });
});
