import { getEventListeners } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { discard, peekBody, PEEK_BYTES } from '../../src/fetch/response-body.ts';
import { hangingBody, respond, settle } from '../script.ts';
import { failingWith } from '../stream/exchanges.ts';

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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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

  test('that gives text is looked at too', async () => {
    const body = ended('{"error":"Überlast"}').setEncoding('utf8');
    const { body: seen } = await peekBody(nodeResponse(body), undefined);
    expect(textOf(seen)).toBe('{"error":"Überlast"}');
    expect((await body.toArray()).join('')).toBe('{"error":"Überlast"}');
  });

  test('keeps no listener of a look', async () => {
    const body = new PassThrough();
    const before = body.eventNames().map((name) => [name, body.listenerCount(name)]);
    const peeking = peekBody(nodeResponse(body), undefined);
    body.end('{}');
    await peeking;
    expect(body.eventNames().map((name) => [name, body.listenerCount(name)])).toEqual(before);
  });

  test.each([
    ['is closed', (body: PassThrough) => body.destroy()],
    ['ends without a word', (body: PassThrough) => body.end()],
  ])('that %s during a look is not waited for', async (_title, stop) => {
    const body = new PassThrough();
    const peeking = peekBody(nodeResponse(body), undefined);
    await settle();
    stop(body);
    expect(textOf((await peeking).body)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that was destroyed before has nothing to say', async () => {
    expect(await peekBody(nodeResponse(new PassThrough().destroy()), undefined)).toEqual({
      body: undefined,
      drained: true,
    });
  });

  test('that is empty returns nothing', async () => {
    expect(textOf((await peekBody(nodeResponse(Readable.from([])), undefined)).body)).toBe('');
    const read = ended();
    await buffer(read);
    expect((await peekBody(nodeResponse(read), undefined)).body).toBeUndefined();
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

  test('that breaks returns the part that came', async () => {
    const body = new PassThrough();
    body.write('so far');
    const peeking = peekBody(nodeResponse(body), undefined);
    await settle();
    body.destroy(new Error('reset'));
    expect(textOf((await peeking).body)).toBe('so far');
  });
});
