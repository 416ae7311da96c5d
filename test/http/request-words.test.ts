import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { readWords, wordsOf } from '../../src/http/request-words.ts';
import { createRetryFetch, type Fetch } from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, thrownBy } from '../script.ts';

const TOOL_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
const TURNS = '{"messages":[{"role":"user","content":"Hi"}]}';
const SMS = '{"messages":[{"to":"1","text":"Hi"}]}';
const SHARED = 'https://gateway.example/v1/messages';
const reset = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });

const requestOf = (body: BodyInit): Request => new Request(SHARED, { method: 'POST', body });

const utf16 = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'utf16le');

function shared(text: string): BodyInit {
  const bytes = new TextEncoder().encode(text);
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  // @ts-expect-error -- some runtimes send it
  return view;
}

describe('a tool call is sent once', () => {
  test.each<[string, Parameters<Fetch>]>([
    ['a text', [SHARED, { method: 'POST', body: TOOL_CALL }]],
    ['a text with a byte order mark', [SHARED, { method: 'POST', body: `\uFEFF${TOOL_CALL}` }]],
    ['bytes', [SHARED, { method: 'POST', body: new TextEncoder().encode(`\uFEFF${TOOL_CALL}`) }]],
    ['bytes in shared memory', [SHARED, { method: 'POST', body: shared(TOOL_CALL) }]],
    ['a Blob', [SHARED, { method: 'POST', body: new Blob([' '.repeat(3_000), TOOL_CALL]) }]],
    ['a File', [SHARED, { method: 'POST', body: new File([TOOL_CALL], 'a.bin') }]],
    ['UTF-16', [SHARED, { method: 'POST', body: utf16(TOOL_CALL) }]],
    ['UTF-16 of the other byte order', [SHARED, { method: 'POST', body: utf16(TOOL_CALL).swap16() }]],
    ['UTF-16 after a byte order mark', [SHARED, { method: 'POST', body: new Blob([utf16(`\uFEFF${TOOL_CALL}`)]) }]],
    ['compressed bytes', [SHARED, { method: 'POST', body: gzipSync(TOOL_CALL) }]],
    ['a compressed Blob', [SHARED, { method: 'POST', body: new Blob([gzipSync(TOOL_CALL)]) }]],
    ['a compressed Request', [requestOf(gzipSync(TOOL_CALL))]],
    ['a Request', [requestOf(TOOL_CALL)]],
    ['a Request of a Blob', [requestOf(new Blob([TOOL_CALL]))]],
    ['a Request and an init', [requestOf(TURNS), { body: TOOL_CALL }]],
  ])('as %s', async (_title, args) => {
    const inner = script(fakeRuntime(), reset);
    const { events, ...config } = observed();
    expect(await thrownBy(createRetryFetch({ fetch: inner, ...config, runtime: fakeRuntime() })(...args))).toBe(reset);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', because: 'irreversible-operation' }]);
  });
});

test('a compressed body that is none, or too long, is sent again as any other', async () => {
  for (const body of [gzipSync('Hi'), gzipSync(TOOL_CALL).subarray(0, 30), gzipSync(Buffer.alloc(64 * 1_048_576))]) {
    const inner = script(fakeRuntime(), 503, 200);
    const sent = createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(SHARED, { method: 'POST', body });
    expect((await sent).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  }
});

test('the unpacking of a compressed body that is too long ends', async () => {
  const ended = vi.fn<(reason: unknown) => void>();
  class Endless {
    readonly writable = new WritableStream();
    readonly readable = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)),
      cancel: ended,
    });
  }
  vi.stubGlobal('DecompressionStream', Endless);
  const inner = script(fakeRuntime(), 503, 200);
  await createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(SHARED, { method: 'POST', body: gzipSync('{}') });
  expect(ended).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test('a Request whose first attempts never reached the server is sent again until one may have', async () => {
  const refused = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
  const inner = script(fakeRuntime(), refused, reset, 200);
  expect(await thrownBy(createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(requestOf(TOOL_CALL)))).toBe(reset);
  expect(inner.calls).toHaveLength(2);
});

describe('a failure inside the JSON of a 200', () => {
  const failed = respond(
    200,
    { 'content-type': 'application/json' },
    '{"error":{"type":"overloaded_error","message":"Overloaded"}}',
  );

  test.each([
    ['is retried for a Request to a model', requestOf(TURNS), 2],
    ['is not looked for in the answer to another Request at the same path', requestOf(SMS), 1],
    ['is not looked for in the answer to a Request without a body', new Request(SHARED, { method: 'POST' }), 1],
  ])('inside the answer: it %s', async (_title, request, count) => {
    const inner = script(fakeRuntime(), failed, respond(200, { 'content-type': 'application/json' }, '{}'));
    await createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(request);
    expect(inner.calls).toHaveLength(count);
  });
});

describe('a Request whose body decides', () => {
  test('reaches the inner fetch itself, unread', async () => {
    for (const body of [TURNS, SMS]) {
      const request = requestOf(body);
      const inner = vi.fn<Fetch>(async () => respond(200));
      await createRetryFetch({ fetch: inner, retryOnly: 'model-requests' })(request);
      expect(inner.mock.calls).toEqual([[request]]);
      expect(inner.mock.calls[0]?.[0]).toBe(request);
      expect(request.bodyUsed).toBe(false);
      expect(await request.text()).toBe(body);
    }
  });

  test('goes with the headers that it had at the call', async () => {
    for (const body of [TURNS, SMS]) {
      const inner = vi.fn<Fetch>(async () => respond(200));
      const headers = { 'x-a': '1' };
      const sent = createRetryFetch({ fetch: inner, retryOnly: 'model-requests' })(SHARED, {
        method: 'POST',
        body: new Blob([body]),
        headers,
      });
      headers['x-a'] = '2';
      await sent;
      expect(inner.mock.calls[0]?.[1]?.headers).toEqual({ 'x-a': '1' });
    }
  });

  test('is left alone while the program still writes it, and goes out soon', async () => {
    const body = new ReadableStream(
      { pull: (controller) => controller.enqueue(new TextEncoder().encode('{"messages')) },
      { highWaterMark: 0 },
    );
    const silent = new ReadableStream();
    for (const stream of [body, silent]) {
      const inner = vi.fn<Fetch>(async () => respond(503));
      const request = new Request(SHARED, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
      const response = await createRetryFetch({ fetch: inner, retryOnly: 'model-requests' })(request);
      expect(response.status).toBe(503);
      expect(inner.mock.calls).toEqual([[request]]);
    }
  });

  test('rejects with the reason of an abort while it is read', async () => {
    const abort = new AbortController();
    const request = new Request(SHARED, {
      method: 'POST',
      body: new ReadableStream(),
      duplex: 'half',
      signal: abort.signal,
    } as RequestInit);
    const sent = thrownBy(createRetryFetch({ fetch, retryOnly: 'model-requests' })(request));
    const reason = new Error('enough');
    abort.abort(reason);
    expect(await sent).toBe(reason);
  });
});

test('a path that decides alone needs no body', async () => {
  const clone = vi.spyOn(Request.prototype, 'clone');
  const inner = vi.fn<Fetch>(async () => respond(200, { 'content-type': 'application/json' }, '{}'));
  const retrying = createRetryFetch({ fetch: inner, retryOnly: 'model-requests', maxRetries: 0 });
  await retrying(new Request('https://api.openai.com/v1/chat/completions', { method: 'POST', body: TURNS }));
  await retrying(new Request('https://api.stripe.com/v1/charges', { method: 'POST', body: 'amount=1' }));
  expect(clone).not.toHaveBeenCalled();
});

test('only the beginning of a Blob that is no JSON is read', async () => {
  let parts = 0;
  const pull = (controller: ReadableStreamDefaultController): void => {
    parts += 1;
    controller.enqueue(new Uint8Array(65_536).fill(7));
  };
  const blob = Object.assign(new Blob(), { stream: () => new ReadableStream({ pull }, { highWaterMark: 0 }) });
  expect(await readWords(blob, undefined)).toEqual({ operation: undefined, modelShape: 'none' });
  expect(parts).toBe(1);
});

test.each<[string, unknown]>([
  [
    'a Blob that cannot be read',
    Object.assign(new Blob(['{}']), {
      stream: () => {
        throw new Error('gone');
      },
    }),
  ],
  [
    'a used Request',
    (() => {
      const request = requestOf(TURNS);
      void request.text();
      return request;
    })(),
  ],
  [
    'a Request with a stream of Node',
    {
      url: SHARED,
      clone: () => {
        throw new Error('waits');
      },
      body: { read() {} },
    },
  ],
])('%s has no words', async (_title, source) => {
  expect(await readWords(source, undefined)).toEqual({ operation: undefined, modelShape: 'none' });
});

test('a Request that does not show its body is read from a clone', async () => {
  const source = { url: SHARED, clone: () => new Response(TOOL_CALL) };
  expect(wordsOf(source)).toBeUndefined();
  expect(await readWords(source, undefined)).toEqual({ operation: 'tool_call', modelShape: 'none' });
});
