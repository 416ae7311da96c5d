import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RetryConfig } from '../../src/index.ts';
import { StalledStreamError, TruncatedStreamError } from '../../src/http/stream-errors.ts';
import { settle, thrownBy } from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { concat } from '../protocol/frames.ts';
import { controlled } from './controlled-body.ts';
import { answerOf, exchanges, exchangeOf, RESET, sourceOf, streamed } from './exchanges.ts';
import { foreignStreams } from './foreign-streams.ts';
import { times } from '../thorough.ts';
import { watchBody } from './watched-call.ts';

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const LIMITS = { idleTimeoutMs: 1_000, outputTimeoutMs: 3_000, checkEnd: true };
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

interface Watched {
  readonly response: Response;
  readonly breaks: [because: string, error: unknown][];
}

function watched(response: Response, limits: RetryConfig['answers'] = LIMITS, asksForText = true): Watched {
  const breaks: Watched['breaks'] = [];
  watchBody(response, limits, { asksForText, onBreak: (...told) => void breaks.push(told) });
  return { response, breaks };
}

const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (response.body === null) throw new Error('Expected a body.');
  return response.body.getReader();
};

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

describe.each(Object.entries(exchanges))('a watched stream of %s', (_name, exchange) => {
  const { preamble, content, end, error, ping, thinking } = exchange;

  test('that thinks for ten limits is whole', async () => {
    if (thinking === undefined) return;
    const source = controlled();
    const { response, breaks } = watched(streamed(exchange, source));
    const whole = response.arrayBuffer();
    await source.say(preamble);
    for (let at = 0; at < 30_000; at += 900) {
      await pass(900);
      await source.say(thinking);
    }
    await source.say(concat([content('Hello'), end]));
    await pass(10_000);
    expect(breaks).toEqual([]);
    source.close();
    expect(new Uint8Array(await whole).subarray(-end.length)).toEqual(end);
  });

  test('has no clock after its end, and a reset then ends the body', async () => {
    const source = controlled();
    const { response, breaks } = watched(streamed(exchange, source));
    const reader = readerOf(response);
    await source.say(answerOf(exchange));
    await reader.read();
    const last = reader.read();
    await pass(30_000);
    source.fail(RESET);
    expect([await last, breaks]).toEqual([{ done: true, value: undefined }, []]);
  });

  test('whose reader sleeps for ten limits is whole', async () => {
    const parts = [preamble, content('Hello'), content('world'), end];
    const { response } = watched(streamed(exchange, sourceOf(parts)));
    const reader = readerOf(response);
    const taken: Uint8Array[] = [];
    for (;;) {
      const part = await reader.read();
      if (part.done) break;
      taken.push(part.value);
      await pass(30_000);
    }
    expect(concat(taken)).toEqual(concat(parts));
  });

  test('has no timer while its reader sleeps', async () => {
    const source = controlled();
    const { response } = watched(streamed(exchange, source));
    const reader = readerOf(response);
    const reading = reader.read();
    await source.say(concat([preamble, content('Hello')]));
    await reading;
    await pass(LIMITS.outputTimeoutMs);
    expect(vi.getTimerCount()).toBe(0);
    await reader.cancel();
  });

  test('whose end is followed by kilobytes of pings is complete', async () => {
    if (ping === undefined) return;
    const pings = Array.from({ length: Math.ceil(30_000 / ping.length) }, () => ping);
    for (const last of [end, error]) {
      const parts = [preamble, ...Array.from({ length: 100 }, () => content('Hello')), last, ...pings];
      const { response, breaks } = watched(streamed(exchange, sourceOf(parts)));
      await response.arrayBuffer();
      expect(breaks.map(([because]) => because)).toEqual(last === error ? ['error-event'] : []);
    }
  });

  const whole = concat([preamble, content('Zürich'), content('☕ 🙂'), end]);
  const wholeFrom = endsOf(exchange, whole);

  test.each([
    ['in one piece', [whole.length]],
    ['byte by byte', [1]],
    ['in pieces of two and three', [2, 3]],
    ['in pieces of seven', [7]],
    ['in pieces of 64', [64]],
  ])('that is cut after any byte is truncated if its last event is missing, %s', async (_how, sizes) => {
    const wrong: number[] = [];
    // Each way of cutting looks at other lengths, because all of them together take too long.
    const step = sizes[0] === whole.length ? 1 : times({ thorough: 12, otherwise: 48 });
    for (let length = 1 + (sizes.length % step); length < whole.length; length += step) {
      const source = sourceOf(piecesOf(whole.subarray(0, length), sizes));
      const { response, breaks } = watched(streamed(exchange, source), {
        checkEnd: true,
        idleTimeoutMs: Infinity,
        outputTimeoutMs: Infinity,
      });
      const isWhole = await response.text().then(
        () => true,
        () => false,
      );
      if (isWhole !== wholeFrom.has(length) || breaks.length !== (isWhole ? 0 : 1)) wrong.push(length);
    }
    expect(wrong).toEqual([]);
  });
});

function piecesOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + (sizes[pieces.length % sizes.length] ?? 1);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** The lengths at which the answer is complete, found in its text and not with the code under test. */
function endsOf({ contentType }: { readonly contentType: string }, whole: Uint8Array): ReadonlySet<number> {
  const ends = new Set<number>();
  const text = new TextDecoder('latin1').decode(whole);
  const isComplete = (prefix: string): boolean => {
    if (contentType.startsWith('application/vnd')) return prefix.length >= frameEnd(whole);
    const datas = prefix.split('\n').map((line) => line.replace(/^data: ?/, ''));
    const names = prefix.split('\n').slice(0, -1);
    return datas.some((data, index) => {
      const isNamed = /^event: (?:message_stop|message-end|(?:response|interaction)\.completed)$/.test(
        names[index - 1] ?? '',
      );
      if (isNamed) return isJson(data);
      return (isJson(data) && /"(?:finish_?[rR]|stop_r)eason":"\w|"done":true/.test(data)) || data === '[DONE]';
    });
  };
  for (let length = 1; length < whole.length; length += 1) if (isComplete(text.slice(0, length))) ends.add(length);
  return ends;
}

/** The name of the last event of Bedrock, as it is and in the base64 of an event of Nova. */
const MESSAGE_STOP = new RegExp(`messageStop|${btoa('{"messageStop":')}`);

function frameEnd(whole: Uint8Array): number {
  for (let at = 0; at < whole.length;) {
    const next = at + new DataView(whole.buffer, whole.byteOffset + at).getUint32(0);
    if (MESSAGE_STOP.test(new TextDecoder('latin1').decode(whole.subarray(at, next)))) return next;
    at = next;
  }
  throw new RangeError('The answer has no last event.');
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

test.each(foreignStreams)('a watched stream has no clock, and ends without an error: $name', async (foreign) => {
  for (const asksForText of [true, false]) {
    const source = controlled();
    const { response, breaks } = watched(streamed(foreign, source), LIMITS, asksForText);
    const text = response.text();
    // A model has to begin in time.
    if (!asksForText) await pass(30_000);
    await source.say(bytesOf(foreign.body));
    await pass(30_000);
    source.close();
    expect([await text, breaks]).toEqual([foreign.body, []]);
  }
});

test('a reader that sleeps between pings is not blamed for the time it slept', async () => {
  const exchange = exchangeOf('Anthropic Messages');
  const source = controlled();
  const { response, breaks } = watched(streamed(exchange, source));
  const reader = readerOf(response);
  await source.say(concat([exchange.preamble, exchange.content('Hello')]));
  await reader.read();
  const first = reader.read();
  await source.say(exchange.ping ?? new Uint8Array());
  await first;
  // The reader sleeps for nearly the limit, and then reads for a third of it.
  await pass(2_900);
  const second = reader.read();
  await pass(900);
  await source.say(exchange.ping ?? new Uint8Array());
  await second;
  expect(breaks).toEqual([]);
  // Read for 3 s in all without output, it is stalled.
  for (let at = 0; at < 2_500 && breaks.length === 0; at += 500) {
    const ping = reader.read().catch(() => {});
    await pass(500);
    if (breaks.length === 0) await source.say(exchange.ping ?? new Uint8Array());
    await ping;
  }
  expect(breaks).toHaveLength(1);
});

test('a silent stream is stalled also where fake timers replace only setTimeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const exchange = exchangeOf('Anthropic Messages');
  const { response } = watched(streamed(exchange, sourceOf([exchange.preamble, exchange.content('Hello')], 'open')));
  const reading = thrownBy(response.text());
  await pass(2 * LIMITS.idleTimeoutMs + 50);
  expect(await reading).toBeInstanceOf(StalledStreamError);
});

describe('a watched response', () => {
  const exchange = exchangeOf('OpenAI Chat');
  const answer = answerOf(exchange);
  const text = new TextDecoder().decode(answer);
  const whole = (): Watched => watched(streamed(exchange, sourceOf([answer])));

  test('is the same object, unread', () => {
    const given = streamed(exchange, sourceOf([answer]), { 'x-request-id': 'r1' });
    const { response } = watched(given);
    expect(response).toBe(given);
    expect([response.bodyUsed, response.body?.locked, response.body]).toEqual([false, false, response.body]);
    expect(response.headers.get('x-request-id')).toBe('r1');
  });

  test.each(['text', 'arrayBuffer', 'blob', 'bytes'] as const)('can be read by %s() once', async (name) => {
    const { response } = whole();
    const read = await response[name]();
    expect(await new Response(read).text()).toBe(text);
    expect(response.bodyUsed).toBe(true);
    expect(await thrownBy(response[name]())).toBeInstanceOf(TypeError);
  });

  test('whose body was looked at before can be read by text() once', async () => {
    const { response } = whole();
    expect(response.body?.locked).toBe(false);
    expect(await response.text()).toBe(text);
    expect(await thrownBy(response.text())).toBeInstanceOf(TypeError);
  });

  test('whose body is a stream of a polyfill can be read by text()', async () => {
    const given = streamed(exchange, sourceOf([answer]));
    // Its streams take none of the runtime's.
    const pipeTo = (): Promise<void> => Promise.reject(new TypeError('Expected a WritableStream of the polyfill.'));
    Object.defineProperty(given.body, 'pipeTo', { value: pipeTo });
    vi.stubGlobal('ReadableStream', class extends ReadableStream<Uint8Array> {});
    expect(await watched(given).response.text()).toBe(text);
  });

  test('that is being read by text() is used, locked, and cannot be cloned', async () => {
    const { response } = whole();
    const reading = response.text();
    expect([response.bodyUsed, response.body?.locked]).toEqual([true, true]);
    expect(() => response.clone()).toThrow(TypeError);
    expect(await reading).toBe(text);
    expect(response.bodyUsed).toBe(true);
  });

  test('that is read by text() is stalled at its limit even if the connection does not close', async () => {
    const body = new ReadableStream({ type: 'bytes', cancel: () => new Promise(() => {}) });
    const { response } = watched(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const thrown = thrownBy(response.text());
    await pass(1_050);
    expect(await thrown).toBeInstanceOf(StalledStreamError);
  });

  test('with chunks that are no bytes rejects in text() as it does without a watch', async () => {
    const body = (): ReadableStream => new ReadableStream({ start: (controller) => controller.enqueue('text') });
    const init = { headers: { 'content-type': 'text/event-stream' } };
    expect(await thrownBy(watched(new Response(body(), init)).response.text())).toBeInstanceOf(TypeError);
  });

  test('whose last event has a key of the request fails without the key', async () => {
    const key = 'My.Very-Own=Token/4711+xyz';
    const chat = exchangeOf('OpenAI Chat');
    const last = bytesOf(`event: ${key}\ndata: {"key":"${key}"}\n\n`);
    const response = streamed(chat, sourceOf([chat.preamble, chat.content('Hello'), last]));
    watchBody(response, LIMITS, { secrets: [key] });
    const thrown = await thrownBy(response.text());
    expect(thrown).toMatchObject({
      message: expect.stringContaining('ended before the answer was complete. Last event: [redacted].'),
      lastEvent: '[redacted]',
      failure: { message: expect.not.stringContaining(key) },
    });
  });

  test('that is cut fails in its clone too, and tells it once', async () => {
    const { response, breaks } = watched(streamed(exchange, sourceOf([answer.subarray(0, 200)])));
    const clone = response.clone();
    const thrown = await Promise.all([thrownBy(response.text()), thrownBy(clone.text())]);
    expect(thrown.map((error) => error instanceof TruncatedStreamError)).toEqual([true, true]);
    expect(breaks).toHaveLength(1);
    expect([clone.status, clone.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  test('can be read with a buffer of the reader', async () => {
    const { response } = whole();
    const reader = response.body?.getReader({ mode: 'byob' });
    const taken: Uint8Array[] = [];
    for (;;) {
      const part = await reader?.read(new Uint8Array(7));
      if (part === undefined || part.done) break;
      taken.push(part.value);
    }
    expect(concat(taken)).toEqual(answer);
  });

  test('is read no further than its reader', async () => {
    const source = sourceOf(Array.from({ length: 50 }, () => exchange.content('Hello')));
    const { response } = watched(streamed(exchange, source));
    const reader = readerOf(response);
    await reader.read();
    await settle();
    expect(source.pulled()).toBeLessThanOrEqual(2);
    await reader.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test('that breaks between two reads tells it without another read', async () => {
    const source = controlled();
    const { response, breaks } = watched(streamed(exchange, source));
    const reader = readerOf(response);
    const first = reader.read();
    await source.say(exchange.content('Hello'));
    await first;
    source.fail(RESET);
    expect(await thrownBy(reader.closed)).toBe(RESET);
    expect(breaks).toEqual([['cut', RESET]]);
  });

  test('that the caller aborts while reading fails with the reason, and tells nothing', async () => {
    const source = controlled();
    const response = streamed(exchange, source);
    const breaks: unknown[] = [];
    const aborting = new AbortController();
    watchBody(response, LIMITS, { signal: aborting.signal, onBreak: (...told) => void breaks.push(told) });
    const reader = readerOf(response);
    const first = reader.read();
    await source.say(exchange.content('Hello'));
    await first;
    const second = thrownBy(reader.read());
    const reason = new Error('the user left');
    aborting.abort();
    source.fail(reason);
    expect([await second, breaks]).toEqual([reason, []]);
  });

  test('that is cancelled before it is read closes its connection', async () => {
    const source = sourceOf([answer], 'open');
    await watched(streamed(exchange, source)).response.body?.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test.each([
    ['a response of another type', () => new Response('{}', { headers: { 'content-type': 'application/json' } })],
    ['a response without a type', () => new Response(bytesOf('{}'))],
    ['a response without a body', () => new Response(null, { headers: { 'content-type': 'text/event-stream' } })],
    ['the response of a custom transport', () => ({ ok: true, status: 200, text: async () => text }) as Response],
    [
      'the response of a custom transport with another type of body',
      () => ({ headers: new Headers({ 'content-type': 'text/event-stream' }), body: text }) as unknown as Response,
    ],
  ])('is left as it is: %s', (_what, make) => {
    const response = make();
    const { body } = response;
    const names = Object.getOwnPropertyNames(response);
    watched(response);
    expect([response.body, Object.getOwnPropertyNames(response)]).toEqual([body, names]);
  });

  test('that was read before is left as it is', async () => {
    const response = streamed(exchange, sourceOf([answer]));
    expect(await response.text()).toBe(text);
    expect(watched(response).response.bodyUsed).toBe(true);
    expect(Object.getOwnPropertyNames(response)).toEqual([]);
  });

  test('that is frozen is left as it is', async () => {
    const response = Object.freeze(streamed(exchange, sourceOf([answer])));
    expect(await watched(response).response.text()).toBe(text);
  });

  test('of an aborted call rejects as the runtime does, each time', async () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    class AbortedResponse extends Response {
      override text(): Promise<string> {
        return Promise.reject(aborted);
      }
    }
    const response = new AbortedResponse(text, { headers: { 'content-type': 'text/event-stream' } });
    watchBody(response, LIMITS, { signal: AbortSignal.abort() });
    expect(await Promise.all([thrownBy(response.text()), thrownBy(response.text())])).toEqual([aborted, aborted]);
  });

  test('fails with its own error where the runtime replaces that of a body, as Chromium does', async () => {
    class ChromiumResponse extends Response {
      override text(): Promise<string> {
        return super.text().catch(() => {
          throw new TypeError('Failed to fetch');
        });
      }
    }
    const given = streamed(exchange, sourceOf([answer.subarray(0, 200)]));
    vi.stubGlobal('Response', ChromiumResponse);
    const { response } = watched(given);
    expect(response.body?.locked).toBe(false);
    expect(await thrownBy(response.text())).toBeInstanceOf(TruncatedStreamError);
  });

  test('has the type of its blob where the runtime forgets that of a stream, as Bun does', async () => {
    class BunResponse extends Response {
      readonly #isStream: boolean;
      constructor(body?: BodyInit | null, init?: ResponseInit) {
        super(body, init);
        this.#isStream = body instanceof ReadableStream;
      }
      override async blob(): Promise<Blob> {
        const blob = await super.blob();
        return this.#isStream ? new Blob([blob]) : blob;
      }
    }
    const given = streamed(exchange, sourceOf([answer]));
    vi.stubGlobal('Response', BunResponse);
    const { response } = watched(given);
    expect(response.body?.locked).toBe(false);
    const blob = await response.blob();
    expect([blob.type, await blob.text()]).toEqual(['text/event-stream', text]);
  });

  test('keeps the methods that a subclass or the inner fetch has put in the place of its own', async () => {
    class TextResponse extends Response {
      override async text(): Promise<string> {
        return `of the class: ${await super.text()}`;
      }
    }
    const init = { headers: { 'content-type': 'text/event-stream' } };
    const ofClass = watched(new TextResponse(text, init)).response;
    const own = new Response(text, init);
    own.text = async () => 'its own';
    expect([await ofClass.text(), await watched(own).response.text()]).toEqual([`of the class: ${text}`, 'its own']);
    expect(await watched(new TextResponse(text, init)).response.arrayBuffer()).toEqual(bytesOf(text).buffer);
  });

  test('passes chunks on that are no bytes', async () => {
    const chunks = [new BigInt64Array(2), 'text', { an: 'object' }];
    const body = new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
      },
    });
    const { response } = watched(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const reader = readerOf(response);
    const read: unknown[] = [];
    for (let count = 0; count < chunks.length; count += 1) read.push((await reader.read()).value);
    expect(read).toEqual(chunks);
    await reader.cancel();
  });

  test('whose pings follow its output at once is stalled at the limit for output', async () => {
    const source = controlled();
    const { response } = watched(streamed(exchange, source));
    const thrown = thrownBy(response.text());
    await source.say(concat([exchange.preamble, exchange.content('Hello')]));
    for (let at = 0; at < 3_000; at += 2) {
      await source.say(bytesOf(': ping\n\n'));
      await vi.advanceTimersByTimeAsync(2);
    }
    await pass(50);
    expect(await thrown).toMatchObject({ kind: 'output', afterMs: 3_000 });
  });

  test('takes nothing from the prototype of objects', async () => {
    const names = ['start', 'type', 'autoAllocateChunkSize', 'size', 'highWaterMark'];
    const prototype: object = Object.prototype;
    const { response } = whole();
    const get = (): never => {
      throw new Error('read');
    };
    const { response: other } = whole();
    let reading: Promise<string> | undefined;
    try {
      for (const name of names) {
        // Fake timers have such members of their own.
        const set = function own(this: object, value: unknown): void {
          Object.defineProperty(this, name, { value, writable: true, configurable: true });
        };
        Object.defineProperty(prototype, name, { get, set, configurable: true });
      }
      expect(response.body?.locked).toBe(false);
      reading = other.text();
    } finally {
      for (const name of names) Reflect.deleteProperty(prototype, name);
    }
    expect([await response.text(), await reading]).toEqual([text, text]);
  });

  test('that native code reads is not locked', async () => {
    const { response } = whole();
    expect(await Response.prototype.text.call(response)).toBe(text);
  });

  test('with `checkEnd: false` may end anywhere', async () => {
    const cut = answer.subarray(0, 200);
    const { response } = watched(streamed(exchange, sourceOf([cut])), { ...LIMITS, checkEnd: false });
    expect((await response.arrayBuffer()).byteLength).toBe(200);
  });

  test('without a single event is truncated if it was asked of a model', async () => {
    expect(await thrownBy(watched(streamed(exchange, sourceOf([]))).response.text())).toBeInstanceOf(
      TruncatedStreamError,
    );
    expect(await watched(streamed(exchange, sourceOf([])), LIMITS, false).response.text()).toBe('');
  });

  test('that ends after an event that comes before the answer is truncated if it was asked of a model', async () => {
    const first = bytesOf('data: {"choices":[],"object":"","prompt_filter_results":[]}\n\n');
    const truncated = watched(streamed(exchange, sourceOf([first]))).response;
    expect(await thrownBy(truncated.text())).toBeInstanceOf(TruncatedStreamError);
    const other = watched(streamed(exchange, sourceOf([first])), LIMITS, false).response;
    expect((await other.arrayBuffer()).byteLength).toBe(first.length);
  });

  test('a chunk that a blocked event loop has kept back is read before the stream is called stalled', async () => {
    const source = controlled();
    const { response, breaks } = watched(streamed(exchange, source));
    const read = response.text();
    await source.say(concat([exchange.preamble, exchange.content('Hello')]));
    // The timer fires first, and the socket is read in the turn after it.
    await vi.advanceTimersByTimeAsync(1_000);
    await source.say(exchange.content('world'));
    await pass(20);
    expect(breaks).toEqual([]);
    await source.say(exchange.end);
    await pass(5_000);
    source.close();
    expect(await read).toContain('world');
    expect(breaks).toEqual([]);
  });

  test('hundreds of stalls, cancels, cuts and ends leave no timer', async () => {
    const readings: Promise<unknown>[] = [];
    for (let index = 0; index < 200; index += 1) {
      const begun = concat([exchange.preamble, exchange.content('Hello')]);
      readings.push(
        thrownBy(watched(streamed(exchange, sourceOf([begun], 'open'))).response.text()),
        thrownBy(watched(streamed(exchange, sourceOf([begun], 'reset'))).response.text()),
        thrownBy(watched(streamed(exchange, sourceOf([begun], 'eof'))).response.text()),
        whole().response.text(),
      );
      const reader = readerOf(watched(streamed(exchange, sourceOf([begun], 'open'))).response);
      await reader.read();
      void reader.read();
      await reader.cancel();
    }
    await settle();
    await pass(1_050);
    await Promise.all(readings);
    expect(vi.getTimerCount()).toBe(0);
  }, 60_000);
});

test('the error of OpenAI Responses says where to attach again', async () => {
  const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress' } };
  const events = [
    created,
    ...Array.from({ length: 59 }, (_, index) => ({
      type: 'response.output_text.delta',
      sequence_number: index + 1,
      delta: `word ${index}`,
    })),
  ].map((event) => bytesOf(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
  for (let cut = 1; cut <= 60; cut += 1) {
    const { response } = watched(streamed({ contentType: 'text/event-stream' }, sourceOf(events.slice(0, cut))));
    expect(await thrownBy(response.text())).toMatchObject({ responseId: 'resp_1', sequenceNumber: cut - 1 });
    const reset = new TypeError('terminated');
    const body = sourceOf(events.slice(0, cut), 'reset', 'bytes', reset);
    const broken = watched(streamed({ contentType: 'text/event-stream' }, body));
    expect(await thrownBy(broken.response.text())).toBe(reset);
    expect(reset).toMatchObject({ responseId: 'resp_1', sequenceNumber: cut - 1 });
  }
});

test.each<[what: string, error: unknown, events: readonly object[]]>([
  [
    'frozen',
    Object.freeze(new TypeError('terminated')),
    [{ type: 'response.created', sequence_number: 0, response: { id: 'r' } }],
  ],
  ['no Error', 'terminated', [{ type: 'response.created', sequence_number: 0, response: { id: 'r' } }]],
  ['of a stream without ids', new TypeError('terminated'), [{ type: 'message_start', message: { role: 'assistant' } }]],
  [
    'of a stream with numbers and no id',
    new TypeError('terminated'),
    [{ type: 'response.output_text.delta', sequence_number: 4, delta: 'Hello' }],
  ],
  ['of a stream without numbers', new TypeError('terminated'), [{ type: 'response.created', response: { id: 'r' } }]],
])('an error of the connection that is %s reaches the reader unchanged', async (_what, error, events) => {
  const begun = events.map((event) => bytesOf(`data: ${JSON.stringify(event)}\n\n`));
  const { response } = watched(
    streamed({ contentType: 'text/event-stream' }, sourceOf(begun, 'reset', 'bytes', error)),
  );
  expect(await thrownBy(response.text())).toBe(error);
  if (error instanceof Error) expect(Object.keys(error)).toEqual([]);
});
