import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { protocolOf } from '../../src/protocol/event-kinds.ts';
import { type Held, holdStream } from '../../src/http/hold.ts';
import type { HoldLimits } from '../../src/http/http-policy.ts';
import { concat } from '../protocol/frames.ts';
import { settle, thrownBy } from '../script.ts';
import { oneIn } from '../thorough.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { controlled } from './controlled-body.ts';
import { answerOf, exchangeOf, exchanges, longAnswerOf, RESET, sourceOf, streamed } from './exchanges.ts';
import { foreignStreams } from './foreign-streams.ts';

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const LIMITS = { maxHoldMs: Infinity, maxHoldBytes: 16_777_216, idleTimeoutMs: 1_000, outputTimeoutMs: 3_000 };
const UNTIL = ['text', 'end'] as const;

interface Holding {
  readonly held: Promise<Held>;
  readonly outputs: () => number;
}

function hold(
  response: Response,
  until: HoldLimits['until'],
  limits: Partial<typeof LIMITS> = {},
  signal?: AbortSignal,
  isModelRequest = false,
): Holding {
  let outputs = 0;
  const url = isModelRequest ? 'https://api.openai.com/v1/chat/completions' : 'https://api.example.com/events';
  const held = holdStream(
    { method: 'POST', url, signal, secrets: [] },
    response,
    protocolOf(response.headers.get('content-type')) ?? 'text',
    { until, ...LIMITS, ...limits },
    { signal: undefined, begun: () => void (outputs += 1), arrived: () => {} },
  );
  held.catch(() => {});
  return { held, outputs: () => outputs };
}

const bytesOf = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer());
const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

async function stateOf(held: Promise<unknown>): Promise<unknown> {
  await settle();
  return Promise.race([held, Promise.resolve('held')]);
}

describe.each(oneIn(2, Object.entries(exchanges)))('a stream of %s', (_name, exchange) => {
  const { preamble, content, end, thinking } = exchange;
  const begun = concat([preamble, content('Hello')]);
  const thought = concat([preamble, thinking ?? new Uint8Array()]);

  test.each(['bytes', 'anything'] as const)('of %s held to its end is handed over whole', async (kind) => {
    const given = streamed(exchange, sourceOf([preamble, content('Hello'), end], 'eof', kind), { 'x-id': '1' });
    Object.defineProperty(given, 'url', { value: 'https://api.example.com/v1' });
    const { response, failure, isWhole } = await hold(given, 'end').held;
    expect([failure, isWhole]).toEqual([null, true]);
    expect(await bytesOf(response)).toEqual(concat([begun, end]));
    expect([response.url, response.status, response.headers.get('x-id')]).toEqual([
      'https://api.example.com/v1',
      200,
      '1',
    ]);
  });

  test('held to its text is handed over with the first of it, the same object', async () => {
    const given = streamed(exchange, sourceOf([thought, content('Hello')], 'open'));
    const { held } = hold(given, 'text');
    const { response, failure } = await held;
    expect([response, failure, response.bodyUsed]).toEqual([given, null, false]);
    await response.body?.cancel();
  });

  test('that thinks is still held until its text, and the attempt has its first output', async () => {
    if (thinking === undefined) return;
    const source = controlled();
    const { held, outputs } = hold(streamed(exchange, source), 'text');
    await source.say(thought);
    for (let at = 0; at < 30_000; at += 900) {
      await pass(900);
      await source.say(thinking);
      expect(await stateOf(held)).toBe('held');
    }
    expect(outputs()).toBeGreaterThan(0);
    await source.say(content('Hello'));
    const { response, failure } = await held;
    expect(failure).toBeNull();
    await response.body?.cancel();
  });

  test('that is reset 30 ms after its last event has lost nothing', async () => {
    const source = controlled();
    const { held } = hold(streamed(exchange, source), 'end');
    await source.say(answerOf(exchange));
    await pass(30);
    source.fail(RESET);
    const { response, failure } = await held;
    expect([failure, isSame(await bytesOf(response), answerOf(exchange))]).toEqual([null, true]);
  });

  test('that stays open after its last event is there within 1.1 s', async () => {
    const source = controlled();
    const { held } = hold(streamed(exchange, source), 'end');
    await source.say(answerOf(exchange));
    await pass(900);
    expect(await stateOf(held)).toBe('held');
    await pass(200);
    const { response, failure } = await held;
    expect([failure, isSame(await bytesOf(response), answerOf(exchange)), source.isCancelled()]).toEqual([
      null,
      true,
      true,
    ]);
  });

  test('that is longer than the limit is handed over as it comes, byte for byte', async () => {
    const whole = longAnswerOf(exchange);
    const parts = Array.from({ length: Math.ceil(whole.length / 5_000) }, (_, index) =>
      whole.subarray(index * 5_000, (index + 1) * 5_000),
    );
    const given = streamed(exchange, sourceOf(parts));
    const { response, failure, isWhole } = await hold(given, 'end', { maxHoldBytes: 100_000 }).held;
    expect([failure, isWhole]).toEqual([null, false]);
    expect(isSame(await bytesOf(response), whole)).toBe(true);
  });

  test('that is held longer than an explicit limit is handed over as it comes', async () => {
    const source = controlled();
    const { held } = hold(streamed(exchange, source), 'end', { maxHoldMs: 500 });
    await source.say(begun);
    await pass(500);
    const { response, failure } = await held;
    expect(failure).toBeNull();
    const read = bytesOf(response);
    await source.say(end);
    source.close();
    expect(await read).toEqual(concat([begun, end]));
  });
});

test.each(foreignStreams)('$name is handed over at its first event', async ({ contentType, body }) => {
  for (const until of UNTIL) {
    const given = streamed({ contentType }, sourceOf([new TextEncoder().encode(body)]));
    const { response, failure } = await hold(given, until).held;
    expect([failure, await response.text()]).toEqual([null, body]);
  }
});

describe.each(UNTIL)('a stream that is held until its %s', (until) => {
  const exchange = exchangeOf('OpenAI Chat');

  test('and sends nothing at all rejects at the limit', async () => {
    const source = controlled();
    const response = streamed(exchange, source);
    const { held } = hold(response, until);
    await pass(999);
    expect(await stateOf(held)).toBe('held');
    await pass(51);
    expect(await thrownBy(held)).toMatchObject({ kind: 'bytes', afterMs: 1_000, lastEvent: null });
    if (until === 'text') await response.body?.cancel();
    expect(source.isCancelled()).toBe(true);
  });

  test('and ends without any event has failed if a model was asked', async () => {
    const given = streamed(exchange, sourceOf([new TextEncoder().encode(': keep-alive\n\n')]));
    const { failure } = await hold(given, until, {}, undefined, true).held;
    expect(failure).toEqual({ interrupted: true, cause: undefined });
  });
});

test('a stream that is held until its content and ends without any event is handed over, whatever was asked', async () => {
  const given = streamed({ contentType: 'text/event-stream' }, sourceOf([]));
  const { failure } = await hold(given, 'content', {}, undefined, true).held;
  expect(failure).toBeNull();
});

test('an answer that is complete at the limit is handed over with what follows its end', async () => {
  const exchange = exchangeOf('OpenAI Chat');
  const parts = [answerOf(exchange), new TextEncoder().encode(': cost 0.01\n\n')];
  const limits = { maxHoldBytes: answerOf(exchange).length - 1 };
  const { response, failure, isWhole } = await hold(streamed(exchange, sourceOf(parts)), 'end', limits).held;
  expect([failure, isWhole, await bytesOf(response)]).toEqual([null, false, concat(parts)]);
});

test('an answer that ends with an error whose line has no end has failed', async () => {
  const exchange = exchangeOf('Ollama');
  const parts = [exchange.preamble, exchange.content('Hello'), exchange.error.subarray(0, -1)];
  const { response, failure, isWhole } = await hold(streamed(exchange, sourceOf(parts)), 'end').held;
  expect([failure, isWhole]).toEqual([expect.objectContaining({ value: expect.any(Object) }), false]);
  expect(await bytesOf(response)).toEqual(concat(parts));
});

test('a held answer may have empty chunks', async () => {
  const exchange = exchangeOf('OpenAI Chat');
  const parts = [exchange.preamble, new Uint8Array(), exchange.content('Hello'), new Uint8Array(), exchange.end];
  for (const maxHoldBytes of [10, LIMITS.maxHoldBytes]) {
    const given = streamed(exchange, sourceOf(parts, 'eof', 'anything'));
    const { response } = await hold(given, 'end', { maxHoldBytes }).held;
    expect(await bytesOf(response)).toEqual(concat(parts));
  }
});

test('an empty stream is handed over', async () => {
  const { response, failure } = await hold(streamed({ contentType: 'text/event-stream' }, sourceOf([])), 'end').held;
  expect([failure, await response.text()]).toEqual([null, '']);
});

test('a held answer can be read with a buffer of the reader, cloned, and cancelled', async () => {
  const exchange = exchangeOf('OpenAI Chat');
  const answer = answerOf(exchange);
  const { response } = await hold(streamed(exchange, sourceOf([answer])), 'end').held;
  expect(isSame(await bytesOf(response.clone()), answer)).toBe(true);
  const reader = response.body?.getReader({ mode: 'byob' });
  const taken: Uint8Array[] = [];
  for (;;) {
    const part = await reader?.read(new Uint8Array(7));
    if (part === undefined || part.done) break;
    taken.push(part.value);
  }
  expect(concat(taken)).toEqual(answer);
  const source = controlled();
  const live = hold(streamed(exchange, source), 'end', { maxHoldBytes: 10 });
  await source.say(answer);
  await (await live.held).response.body?.cancel();
  expect(source.isCancelled()).toBe(true);
});

test('a held answer in small chunks takes the memory of its bytes, not of its chunks', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const exchange = exchangeOf('OpenAI Chat');
  const chunks: WeakRef<Uint8Array>[] = [];
  let bytes = 0;
  let stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const give = (part: Uint8Array): void => {
    const chunk = part.slice();
    chunks.push(new WeakRef(chunk));
    bytes += chunk.length;
    stream?.enqueue(chunk);
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (stream = controller),
    pull: () => (chunks.length < 2_000 ? give(exchange.content('x')) : undefined),
  });
  const { held } = hold(streamed(exchange, { body }), 'end');
  while (chunks.length < 2_000) await settle();
  const left = (): number => chunks.filter((chunk) => chunk.deref() !== undefined).length;
  // One collection may keep what it saw in use, and what was just looked at stays for this turn.
  for (let round = 0; round < 20 && left() >= 500; round += 1) {
    await settle();
    if (typeof collect === 'function') collect();
    await settle();
  }
  expect(left()).toBeLessThan(500);
  give(exchange.end);
  stream?.close();
  expect((await bytesOf((await held).response)).byteLength).toBe(bytes);
});

test('in a runtime without streams of bytes an answer is held and handed over whole', async () => {
  const exchange = exchangeOf('Anthropic Messages');
  const answer = answerOf(exchange);
  const given = streamed(exchange, sourceOf([answer], 'eof', 'anything'));
  const withoutBytes = new Proxy(ReadableStream, {
    construct: (target, parts: [UnderlyingSource?, QueuingStrategy?]) => {
      if (parts[0]?.type !== undefined) throw new TypeError('No such type of stream.');
      return Reflect.construct(target, parts);
    },
  });
  vi.stubGlobal('ReadableStream', withoutBytes);
  try {
    const { response, failure } = await hold(given, 'end').held;
    expect([failure, isSame(await bytesOf(response), answer)]).toEqual([null, true]);
  } finally {
    vi.unstubAllGlobals();
  }
});
