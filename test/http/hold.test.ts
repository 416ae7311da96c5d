import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdStream as holdUntil, type HeldFailure } from '../../src/http/hold.ts';
import type { HoldLimits } from '../../src/http/http-policy.ts';
import { protocolOf } from '../../src/protocol/event-kinds.ts';
import { settle, thrownBy } from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { cut, failingWith, type Source, sourceOf, streamed } from './exchanges.ts';
import { sse } from '../classify/cases.ts';
import { concat, eventFrame, exceptionFrame } from '../protocol/frames.ts';

const LIMITS = { maxHoldMs: 30_000, maxHoldBytes: 262_144 };
const NO_CLOCKS = { idleTimeoutMs: Infinity, outputTimeoutMs: Infinity };

/** Holds a stream until its first content; what failed, or null if the caller gets the same response. */
async function holdStream(
  response: Response,
  limits: Pick<HoldLimits, 'maxHoldMs' | 'maxHoldBytes'>,
  signal: AbortSignal | undefined,
): Promise<HeldFailure | null> {
  const framing = protocolOf(response.headers.get('content-type')) ?? 'text';
  const face = { method: 'GET', url: 'https://api.example.com', signal, secrets: [] };
  const attempt = { signal: undefined, begun: () => {}, arrived: () => {} };
  const all = { until: 'content', ...limits, ...NO_CLOCKS } as const;
  const held = await holdUntil(face, response, framing, all, attempt);
  expect([held.response === response, held.isWhole]).toEqual([true, false]);
  return held.failure;
}

const SSE = { contentType: 'text/event-stream' };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const PREAMBLE = bytesOf('event: message_start\ndata: {}\n\n');
const CONTENT = bytesOf('event: content_block_delta\ndata: {}\n\n');

/** What a hold has come to so far. */
async function stateOf(held: Promise<unknown>): Promise<unknown> {
  await settle();
  return Promise.race([held, Promise.resolve('held')]);
}

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('a body with chunks that are no bytes is handed over', async () => {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new BigInt64Array(2));
    },
  });
  const init = { headers: { 'content-type': 'text/event-stream' } };
  expect(await holdStream(new Response(body, init), LIMITS, undefined)).toBe(null);
});

test.each([
  ['named pings', 'event: ping\ndata: {"type":"ping"}\n\n', true],
  ['pings without data', 'event: ping\ndata:\n\n', true],
  ['pings without a name', 'data: {"type":"ping"}\n\n', true],
  ['comments', ': ping\n\n', false],
])('a stream of nothing but %s that ends: interrupted is %s', async (_, text, isInterrupted) => {
  const held = await holdStream(streamed(SSE, sourceOf([bytesOf(text)])), LIMITS, undefined);
  expect(held).toEqual(isInterrupted ? { interrupted: true, cause: undefined } : null);
});

describe('what the first events of a stream come to', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Überlastet' } };
  const failing = sse(['message_start', { type: 'message_start' }], ['ping', { type: 'ping' }], ['error', overloaded]);
  const delta = (fields: object): object => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: fields }],
  });
  const FRAMES = { contentType: 'application/vnd.amazon.eventstream' };
  const holdParts = (
    parts: readonly Uint8Array[],
    end: 'eof' | 'open' = 'eof',
    type = SSE,
  ): ReturnType<typeof holdStream> => holdStream(streamed(type, sourceOf(parts, end)), LIMITS, undefined);

  test('an error after preamble is found, wherever the bytes are cut', async () => {
    const bytes = bytesOf(failing);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(await holdParts([bytes.subarray(0, at), bytes.subarray(at)])).toEqual({
        value: overloaded,
        text: JSON.stringify(overloaded),
        exception: null,
      });
    }
  });

  test('the error of a frame of Bedrock is decoded, so that secrets in it can be masked', async () => {
    const frame = eventFrame('chunk', { bytes: btoa(JSON.stringify({ type: 'error', error: { message: 'm' } })) });
    expect(await holdParts([frame], 'eof', FRAMES)).toMatchObject({ text: '{"type":"error","error":{"message":"m"}}' });
  });

  test('an exception in a frame is an error', async () => {
    const parts = [
      eventFrame('messageStart', { role: 'assistant' }),
      exceptionFrame('modelStreamErrorException', 'Again'),
    ];
    expect(await holdParts(parts, 'open', FRAMES)).toEqual({
      value: { message: 'Again' },
      text: '{"message":"Again"}',
      exception: 'modelStreamErrorException',
    });
    expect(await holdParts([], 'eof', FRAMES)).toBeNull();
    const part = eventFrame('messageStart', { role: 'assistant' }).subarray(0, 9);
    expect(await holdParts([part], 'eof', FRAMES)).toMatchObject({ interrupted: true });
  });

  test('bytes that are no frames, in spite of their type, release the stream', async () => {
    expect(await stateOf(holdParts([bytesOf('HTTP/1.1 502 Bad Gateway')], 'open', FRAMES))).toBeNull();
  });

  test('an error after many events of preamble is found', async () => {
    for (const parts of [
      Array.from({ length: 20 }, () => PREAMBLE),
      [concat(Array.from({ length: 20 }, () => PREAMBLE))],
    ])
      expect(await holdParts([...parts, bytesOf(sse(['error', overloaded]))])).toMatchObject({ value: overloaded });
  });

  test('an error after the first content is not looked for', async () => {
    const parts = [sse(['', delta({ role: 'assistant', content: '' })], ['', delta({ content: 'Hi' })]), failing];
    expect(await holdParts(parts.map(bytesOf))).toBeNull();
    expect(await holdParts([bytesOf(parts.join(''))])).toBeNull();
  });

  test.each([
    ['nothing at all', '', 'release'],
    ['comments', ': keep-alive\n\n', 'release'],
    ['events without data', 'data:\n\n', 'release'],
    ['a comment of OpenRouter', ': OPENROUTER PROCESSING\n\n', 'interrupted'],
    ['preamble', sse(['message_start', { type: 'message_start' }]), 'interrupted'],
    ['preamble and half a line', `${sse(['', delta({ role: 'assistant' })])}data: {"choi`, 'interrupted'],
    ['half of its first line', 'data: {"id":"c","choices":[{"index":0,"del', 'interrupted'],
    ['half of a first list', 'data: [{"candi', 'interrupted'],
    ['half of a first line without a field', '{"model":"m","mess', 'interrupted'],
    ['an unfinished word', 'data: hel', 'release'],
    ['a number', 'data: 7', 'release'],
    ['an end without content', 'data: [DONE]\n\n', 'release'],
    ['an end that is not finished', 'data: [DONE]', 'release'],
    ['a name', 'event: message_start\n', 'interrupted'],
    ['a name and a part of a field', 'event: message_start\nda', 'interrupted'],
    ['a part of a name', 'event: message_st', 'release'],
    ['a part of another name', 'event: response.creat', 'release'],
  ])('a body that ends after %s', async (_what, body, end) => {
    const failure = await holdParts(body === '' ? [] : [bytesOf(body)]);
    expect(failure).toEqual(end === 'release' ? null : { interrupted: true, cause: undefined });
  });

  test('an error without its last line end is found at the end', async () => {
    const parts = [bytesOf(failing.trimEnd())];
    expect(await stateOf(holdParts(parts, 'open'))).toBe('held');
    vi.advanceTimersByTime(LIMITS.maxHoldMs);
    expect(await holdParts(parts)).toMatchObject({ value: overloaded });
  });

  test.each([
    '{"error": {"message": "upstream sent',
    "{'error': {'message': 'Overloaded', 'type': 'overloaded_error'}}",
    '{"type":"error","error":{"type":"overloaded_error","mess',
    '[ERROR] upstream failed',
  ])('a first line that begins as an error is one, even if it cannot be parsed: %s', async (data) => {
    for (const body of [sse(['', data]), sse(['ping', {}], ['', data]), `data: ${data}`]) {
      expect(await holdParts([bytesOf(body)])).toMatchObject({ text: data });
    }
    expect(await holdParts([bytesOf(sse(['', delta({ content: 'x' })], ['', data]))])).toBeNull();
  });

  test.each(['Error handling in Go is explicit.', '{"errors": [', '{"answer": "error'])(
    'a first line of another protocol that cannot be parsed releases the stream: %s',
    async (data) => {
      expect(await stateOf(holdParts([bytesOf(sse(['', data]))], 'open'))).toBeNull();
    },
  );
});

describe('a stream is released', () => {
  test.each([
    ['at its first data, if the protocol is unknown', 'event: mystery\ndata: 1\n\n'],
    ['when it is over without having said anything', ''],
    ['when it is over after comments', ': keep-alive\n\n'],
    ['when its first content is also its last', 'data: [DONE]\n\n'],
  ])('to the caller %s', async (_when, body) => {
    const response = streamed(SSE, sourceOf(body === '' ? [] : [bytesOf(body)]));
    expect(await holdStream(response, LIMITS, undefined)).toBeNull();
    expect(await response.text()).toBe(body);
  });

  test('when more than the limit is held, which counts the received bytes, not the announced ones', async () => {
    const echo = bytesOf(`event: response.created\ndata: "${'x'.repeat(300 * 1_024)}"\n\n`);
    const source = sourceOf([...cut(echo, [512]), ...cut(CONTENT, [1])], 'open');
    const response = streamed(SSE, source);
    expect(await holdStream(response, LIMITS, undefined)).toBeNull();
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(echo.subarray(0, 512));
    await reader?.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test.each([
    ['exactly the limit is still held', PREAMBLE.length, 'held'],
    ['one byte more is not', PREAMBLE.length - 1, null],
  ])('when it has more bytes than the limit: %s', async (_title, maxHoldBytes, state) => {
    const source = sourceOf([PREAMBLE], 'open');
    const response = streamed(SSE, source);
    const held = holdStream(response, { ...LIMITS, maxHoldBytes }, undefined);
    expect(await stateOf(held)).toBe(state);
    vi.advanceTimersByTime(LIMITS.maxHoldMs);
    expect(await held).toBeNull();
    await response.body?.cancel();
  });

  test.each([
    ['a head and then nothing', []],
    ['a preamble and then nothing', [PREAMBLE]],
  ])('at the limit, counted from the head: %s', async (_what, parts) => {
    const source = sourceOf(parts, 'open');
    const response = streamed(SSE, source);
    const held = holdStream(response, LIMITS, undefined);
    expect(await stateOf(held)).toBe('held');
    vi.advanceTimersByTime(29_999);
    expect(await stateOf(held)).toBe('held');
    vi.advanceTimersByTime(1);
    expect(await held).toBeNull();
    expect([response.bodyUsed, source.isCancelled()]).toEqual([false, false]);
    await response.body?.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test.each(['Hello, wor', '0:"Hello"\n', '"Hello"\n', '<!doctype html>'])(
    'at the first bytes of a text that is no event stream: %j',
    async (text) => {
      const response = streamed(SSE, sourceOf([bytesOf(text)], 'open'));
      expect(await stateOf(holdStream(response, LIMITS, undefined))).toBeNull();
      await response.body?.cancel();
    },
  );

  test('after as many empty chunks as bytes are allowed', async () => {
    let pulls = 0;
    const source = new ReadableStream({
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(new Uint8Array());
      },
    });
    const response = new Response(source, { headers: { 'content-type': SSE.contentType } });
    expect(await holdStream(response, { ...LIMITS, maxHoldBytes: 100 }, undefined)).toBeNull();
    expect(pulls).toBeLessThan(200);
    await response.body?.cancel();
  });

  test('at the limit, even if more preamble keeps coming', async () => {
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
    const writer = writable.getWriter();
    const held = holdStream(
      new Response(readable, { headers: { 'content-type': SSE.contentType } }),
      LIMITS,
      undefined,
    );
    for (let second = 0; second < 30; second += 1) {
      expect(await stateOf(held)).toBe('held');
      void writer.write(PREAMBLE.slice());
      await settle();
      vi.advanceTimersByTime(1_000);
    }
    expect(await held).toBeNull();
  });

  test('at the limit on Node 22, where its clone is cancelled only when the body is read, because an abort before that would end the process', async () => {
    vi.stubGlobal('process', Object.create(process, { versions: { value: { undici: '6.28.0' } } }));
    const cancel = vi.spyOn(ReadableStreamDefaultReader.prototype, 'cancel');
    const response = streamed(SSE, sourceOf([PREAMBLE], 'open'));
    const held = holdStream(response, LIMITS, new AbortController().signal);
    expect(await stateOf(held)).toBe('held');
    vi.advanceTimersByTime(LIMITS.maxHoldMs);
    expect(await held).toBeNull();
    vi.advanceTimersByTime(1_000);
    vi.unstubAllGlobals();
    expect(cancel).not.toHaveBeenCalled();
    const cancelled = response.body?.cancel();
    vi.advanceTimersByTime(1_000);
    await cancelled;
    expect(cancel).toHaveBeenCalledOnce();
  });

  test('if its body does not consist of bytes', async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue({}) });
    expect(
      await holdStream(new Response(body, { headers: { 'content-type': SSE.contentType } }), LIMITS, undefined),
    ).toBeNull();
  });

  test('if it cannot be read twice', async () => {
    const used = streamed(SSE, sourceOf([PREAMBLE]));
    await used.text();
    const empty = new Response(null, { headers: { 'content-type': SSE.contentType } });
    for (const response of [used, empty]) expect(await holdStream(response, LIMITS, undefined)).toBeNull();
  });
});

test('content that came with the head costs no timer', async () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  expect(await holdStream(streamed(SSE, sourceOf([CONTENT])), LIMITS, undefined)).toBeNull();
  expect(setTimeout).not.toHaveBeenCalled();
});

describe('an abort', () => {
  const reason = new Error('the user left');

  test.each([
    ['before the first byte', []],
    ['in the preamble', [PREAMBLE]],
  ])('%s rejects with its reason, and leaves nothing behind', async (_when, parts) => {
    const controller = new AbortController();
    const source = sourceOf(parts, 'open');
    const response = streamed(SSE, source);
    const held = holdStream(response, LIMITS, controller.signal);
    expect(await stateOf(held)).toBe('held');
    const thrown = thrownBy(held);
    controller.abort(reason);
    expect(await thrown).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await response.body?.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test('that came before the hold rejects before anything is read', async () => {
    const source = sourceOf([CONTENT]);
    expect(await thrownBy(holdStream(streamed(SSE, source), LIMITS, AbortSignal.abort(reason)))).toBe(reason);
    expect(source.pulled()).toBe(0);
  });

  test('that broke the body too is reported as the abort, not as a reset', async () => {
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => controller.signal.addEventListener('abort', () => stream.error(new TypeError('terminated'))),
    });
    const held = holdStream(streamed(SSE, { body: body as Source['body'] }), LIMITS, controller.signal);
    const thrown = thrownBy(held);
    await settle();
    controller.abort(reason);
    expect(await thrown).toBe(reason);
  });

  test('after which fetch cancels the body, as in Node 22, leaves no rejection behind', async () => {
    const controller = new AbortController();
    const { response, cancelled } = failingWith(controller.signal);
    const held = thrownBy(holdStream(response, LIMITS, controller.signal));
    await settle();
    controller.abort(reason);
    expect(await held).toBe(reason);
    await expect(cancelled()).resolves.toBeUndefined();
  });

  test('leaves no listener after a stream that was released or has failed', async () => {
    const { signal } = new AbortController();
    await holdStream(streamed(SSE, sourceOf([CONTENT])), LIMITS, signal);
    await holdStream(streamed(SSE, sourceOf([PREAMBLE])), LIMITS, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
