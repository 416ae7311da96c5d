import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createRetryFetch,
  type RetryConfig,
  type RetryEvent,
  RetryTransport,
  StalledStreamError,
  TruncatedStreamError,
  outcomeOf,
} from '../../src/index.ts';
import { fakeRuntime, script, settle, type Step, thrownBy, URL_OF_TEST } from '../script.ts';
import { oneIn } from '../thorough.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { concat } from '../protocol/frames.ts';
import { controlled } from '../http/controlled-body.ts';
import { answerOf, type Exchange, exchangeOf, exchanges, RESET, sourceOf, streamed } from '../http/exchanges.ts';

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  await settle();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const INIT = { method: 'POST', body: '{"model":"m","messages":[]}' };
const watch = { idleTimeoutMs: 1_000, outputTimeoutMs: 3_000, checkEnd: true };

async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 50) {
    await vi.advanceTimersByTimeAsync(50);
    await settle();
  }
}

/** A body that says its parts, and then a ping every half second for ever. */
function pinging(parts: readonly Uint8Array[], ping: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let timer: ReturnType<typeof setInterval> | undefined;
  let left = [...parts];
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const [part, ...rest] = left;
      left = rest;
      if (part === undefined) await new Promise<void>((resolve) => (timer = setTimeout(resolve, 500)));
      controller.enqueue((part ?? ping).slice());
    },
    cancel: () => clearTimeout(timer),
  });
}

type Break = 'reset' | 'cut' | 'stall' | 'pings' | 'error';
const BREAKS: readonly Break[] = ['reset', 'cut', 'stall', 'pings', 'error'];

function brokenBy(how: Break, exchange: Exchange, begun: readonly Uint8Array[], reset: TypeError = RESET): Step {
  switch (how) {
    case 'reset':
      return () => streamed(exchange, sourceOf(begun, 'reset', 'bytes', reset));
    case 'cut':
      return () => streamed(exchange, sourceOf(begun));
    case 'stall':
      return () => streamed(exchange, sourceOf(begun, 'open'));
    case 'pings':
      return () => streamed(exchange, { body: pinging(begun, exchange.ping ?? new Uint8Array(1)) });
    case 'error':
      return () => streamed(exchange, sourceOf([...begun, exchange.error, exchange.end]));
  }
}

const cells = oneIn(
  3,
  Object.entries(exchanges).flatMap(([name, exchange]) =>
    BREAKS.flatMap((how) =>
      how === 'pings' && exchange.ping === undefined
        ? []
        : (['text', 'end'] as const).flatMap((until) =>
            until === 'text' && exchange.thinking === undefined ? [] : [{ name, how, until }],
          ),
    ),
  ),
);

describe.each(cells)('a stream of $name that meets "$how" after its first output, held to its $until', (cell) => {
  const exchange = exchangeOf(cell.name);
  const output = cell.until === 'end' ? exchange.content('Hello') : exchange.thinking;
  const begun = [exchange.preamble, output ?? new Uint8Array()];
  const answer = answerOf(exchange);
  const whole: Step = () => streamed(exchange, sourceOf([answer]));
  const config: RetryConfig = { answers: { holdUntil: cell.until, ...watch } };

  test.each(['createRetryFetch', 'RetryTransport'] as const)(
    'is asked again by %s: the bytes of the second answer',
    async (face) => {
      const runtime = fakeRuntime();
      const inner = script(runtime, brokenBy(cell.how, exchange, begun), whole);
      const call =
        face === 'createRetryFetch'
          ? createRetryFetch({ fetch: inner, runtime, ...config })(URL_OF_TEST, INIT)
          : new RetryTransport(
              { get: inner, post: (url, body) => inner(url, { ...INIT, body: String(body) }) },
              { runtime, ...config },
            ).post(URL_OF_TEST, INIT.body);
      await pass(5_000);
      const response = await call;
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), answer)).toBe(0);
      expect(inner.calls).toHaveLength(2);
      const type = { reset: 'stream_interrupted', cut: 'stream_interrupted', stall: 'timeout', pings: 'timeout' };
      if (cell.how !== 'error') expect((outcomeOf(response)?.history ?? [])[0]?.failure?.type).toBe(type[cell.how]);
    },
  );

  test('given up: it ends within its limit, and says what happened', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, brokenBy(cell.how, exchange, begun));
    const call = createRetryFetch({ fetch: inner, runtime, ...config, maxRetries: 1 })(URL_OF_TEST, INIT);
    let settled = false;
    const end = (): void => void (settled = true);
    call.then(end, end);
    const limitMs = cell.how === 'stall' ? 1_050 : cell.how === 'pings' ? 3_050 : 50;
    await pass(2 * limitMs);
    expect(settled).toBe(true);
    if (cell.how === 'stall' || cell.how === 'pings') {
      expect(await thrownBy(call)).toBeInstanceOf(StalledStreamError);
      return;
    }
    const response = await call;
    if (cell.how === 'error') expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    else if (cell.how === 'reset') expect(await thrownBy(response.arrayBuffer())).toBe(RESET);
    else expect(await thrownBy(response.arrayBuffer())).toBeInstanceOf(TruncatedStreamError);
    expect(outcomeOf(response)?.history ?? []).toHaveLength(2);
  });
});

describe('a stream that breaks after it was handed over', () => {
  const exchange = exchangeOf('Anthropic Messages');
  const begun = [exchange.preamble, exchange.content('Hello')];

  test.each([
    ['stalled', 'stall', 'timeout'],
    ['truncated', 'cut', 'stream_interrupted'],
    ['cut', 'reset', 'stream_interrupted'],
  ] as const)('is told as "%s", with a history that shows it, and is not repeated', async (because, how, type) => {
    const runtime = fakeRuntime();
    const events: RetryEvent[] = [];
    // An error that two calls share has no end that can be told.
    const inner = script(runtime, 503, brokenBy(how, exchange, begun, new TypeError('terminated')));
    const response = await createRetryFetch({
      fetch: inner,
      runtime,
      onEvent: (event) => void events.push(event),
      answers: { ...watch },
    })(URL_OF_TEST, INIT);
    const thrown = thrownBy(response.text());
    await pass(1_050);
    const error = await thrown;
    expect(events.map((event) => event.type)).toEqual(['retry', 'attempt', 'recovered', 'broken']);
    expect(events.at(-1)).toMatchObject({ because, failure: { type, phase: 'stream' } });
    expect(inner.calls).toHaveLength(2);
    if (typeof error !== 'object' || error === null) throw error;
    expect((outcomeOf(error)?.history ?? []).map(({ failure }) => failure?.type)).toEqual(['overloaded', type]);
  });

  test('is watched in a GET too, and with `maxRetries: 0`', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, brokenBy('cut', exchange, begun));
    const response = await createRetryFetch({ fetch: inner, runtime, maxRetries: 0, answers: { ...watch } })(
      URL_OF_TEST,
    );
    expect(await thrownBy(response.text())).toBeInstanceOf(TruncatedStreamError);
  });
});

describe('attemptTimeoutMs', () => {
  const exchange = exchangeOf('OpenAI Chat');
  const whole: Step = () => streamed(exchange, sourceOf([answerOf(exchange)]));

  test('above 30 s limits a stream that is silent after its preamble', async () => {
    const runtime = fakeRuntime();
    const silent: Step = () => streamed(exchange, sourceOf([exchange.preamble], 'open'));
    const inner = script(runtime, silent, whole);
    const call = createRetryFetch({ fetch: inner, runtime, attemptTimeoutMs: 60_000 })(URL_OF_TEST, INIT);
    await pass(59_900);
    expect(inner.calls).toHaveLength(1);
    await pass(200);
    expect(await (await call).text()).toBe(new TextDecoder().decode(answerOf(exchange)));
    expect(inner.calls).toHaveLength(2);
  });
});

test('a stall, a cancel and an abort of a watched stream leave no timer, and no listener on a signal', async () => {
  const exchange = exchangeOf('OpenAI Chat');
  const begun = concat([exchange.preamble, exchange.content('Hello')]);
  const bodies: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>[] = [];
  const start = (body: (typeof bodies)[number]): void => {
    bodies.push(body);
    body.enqueue(begun.slice());
  };
  const inner = async (): Promise<Response> => streamed(exchange, { body: new ReadableStream({ start }) });
  const fetch = createRetryFetch({ fetch: inner, runtime: fakeRuntime(), answers: { ...watch } });
  const controllers = [1, 2, 3].map(() => new AbortController());
  const readers = await Promise.all(
    controllers.map(async ({ signal }) => (await fetch(URL_OF_TEST, { ...INIT, signal })).body?.getReader()),
  );
  for (const reader of readers) await reader?.read();
  const [cancelled, aborted, stalled] = readers.map((reader) => Promise.resolve(reader?.read()));
  expect(vi.getTimerCount()).toBe(3);
  await readers[0]?.cancel();
  controllers[1]?.abort();
  // As that of a fetch does.
  bodies[1]?.error(controllers[1]?.signal.reason);
  expect(await cancelled).toMatchObject({ done: true });
  expect(await thrownBy(Promise.resolve(aborted))).toBe(controllers[1]?.signal.reason);
  const thrown = thrownBy(Promise.resolve(stalled));
  expect(vi.getTimerCount()).toBe(1);
  await pass(1_050);
  expect(await thrown).toBeInstanceOf(StalledStreamError);
  expect(controllers.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
});

describe.each(['text', 'end'] as const)('held until %s, a stream of a model', (until) => {
  test.each([
    ['nothing', ''],
    ['the first letters of an event', 'dat'],
    ['comments', ': ping\n\n'],
  ])('that is only %s is retried', async (_, text) => {
    const answer = answerOf(exchangeOf('OpenAI Chat'));
    const runtime = fakeRuntime();
    const steps = [new TextEncoder().encode(text), answer] as const;
    const [first, second] = steps.map((part) => () => streamed({ contentType: 'text/event-stream' }, sourceOf([part])));
    const inner = script(runtime, first ?? 500, second ?? 500);
    const fetch = createRetryFetch({ fetch: inner, runtime, answers: { holdUntil: until } });
    const response = await fetch(URL_OF_TEST, INIT);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(answer);
    expect(inner.calls).toHaveLength(2);
  });
});

test('an image that is painted for longer than the limits is not stalled under a watch', async () => {
  const source = controlled();
  const runtime = fakeRuntime();
  const inner = script(runtime, () => streamed({ contentType: 'text/event-stream' }, source));
  const fetch = createRetryFetch({ fetch: inner, runtime, answers: { holdUntil: 'headers', ...watch } });
  const response = await fetch('https://api.openai.com/v1/images/generations', {
    method: 'POST',
    body: '{"model":"m"}',
  });
  const read = response.text();
  await pass(10_000);
  const event = 'data: {"type":"image_generation.completed","b64_json":"iVBO"}\n\n';
  await source.say(new TextEncoder().encode(event));
  source.close();
  expect(await read).toBe(event);
});

test('a response of OpenAI that is attached to again, and sends nothing, is truncated', async () => {
  const inner = async (): Promise<Response> => streamed({ contentType: 'text/event-stream' }, sourceOf([]));
  const fetch = createRetryFetch({ fetch: inner, answers: { ...watch } });
  const response = await fetch('https://api.openai.com/v1/responses/resp_1?stream=true&starting_after=7');
  expect(await thrownBy(response.text())).toBeInstanceOf(TruncatedStreamError);
});
