import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { protocolOf } from '../../src/protocol/event-kinds.ts';
import { EventReader } from '../../src/protocol/event-reader.ts';
import { WatchedEvents } from '../../src/http/watched-events.ts';
import type { Framing } from '../../src/protocol/split-events.ts';
import { sse } from '../classify/cases.ts';
import { eventFrame } from '../protocol/frames.ts';
import { oneIn } from '../thorough.ts';
import { answerOf, exchangeOf, exchanges } from './exchanges.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const withCrLf = (bytes: Uint8Array): Uint8Array => bytesOf(new TextDecoder().decode(bytes).replaceAll('\n', '\r\n'));

const choiceEvent = (index: number, delta: object, reason: string | null): string =>
  sse(['', { object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: reason }] }]);

function* cut(body: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

describe.each(oneIn(2, Object.entries(exchanges)))('a long answer of %s', (_name, exchange) => {
  // Some texts contain the words for which events are read.
  const texts = Array.from(
    { length: 200 },
    (_, index) => `Zürich ☕ ${index}${index % 50 === 7 ? ' ping" error' : ''}`,
  );
  const framing = protocolOf(exchange.contentType) ?? 'text';

  test.each([1, 77, 1_000, 2_000, 4_099, 65_536])('in chunks of %i bytes is read like every event of it', (size) => {
    // It is read again after each chunk, which takes long if there are many.
    const whole = answerOf(exchange, size === 1 ? texts.slice(0, 20) : texts);
    const bodies = [whole, whole.subarray(0, -exchange.end.length), whole.subarray(0, size === 1 ? 1_001 : 5_001)];
    if (framing === 'text') bodies.push(...bodies.map(withCrLf));
    for (const body of bodies) {
      const watched = new WatchedEvents(framing);
      const reader = new EventReader(framing, () => false);
      const differences: unknown[] = [];
      for (const chunk of cut(body, size)) {
        watched.feed(chunk);
        reader.feed(chunk);
        if (watched.isKnown !== reader.isKnown || watched.isOver !== reader.isOver) differences.push(reader.position());
      }
      expect(differences).toEqual([]);
      expect(watched.position()).toEqual(reader.position());
      reader.end();
      expect([watched.endsTooEarly(true), watched.isOver]).toEqual([!reader.isOver, reader.isOver]);
      expect(watched.position()).toEqual(reader.position());
    }
  });

  test('in chunks of any size is read right if it is asked only at its end', () => {
    const long = answerOf(exchange, [...texts, ...texts, ...texts, ...texts]);
    const failed = Buffer.concat([long.subarray(0, -exchange.end.length), exchange.error]);
    const cutAnywhere = [0, 3, 21].map((percent) =>
      long.subarray(0, Math.floor((long.length * (100 - percent)) / 100)),
    );
    for (const body of [failed, long.subarray(0, -exchange.end.length), ...cutAnywhere]) {
      const reader = new EventReader(framing, () => false);
      reader.feed(body);
      const expected = [reader.isKnown, reader.isOver, reader.position()];
      reader.end();
      for (const size of oneIn(2, [300, 4_099, 9_000, 65_536])) {
        const watched = new WatchedEvents(framing);
        for (const chunk of cut(body, size)) watched.feed(chunk.slice());
        expect([size, watched.isKnown, watched.isOver, watched.position()]).toEqual([size, ...expected]);
        expect([size, watched.endsTooEarly(false)]).toEqual([size, !reader.isOver]);
      }
    }
  });

  test.each([13, 250, 1_000, 9_000])(
    'is complete with its end, whatever output follows it, in chunks of %i bytes, as if every event was read',
    (size) => {
      const { preamble, content, end, error } = exchange;
      const outputs = Array.from({ length: 400 }, (_, index) => content(`Zürich ${index}`));
      for (const last of [end, error]) {
        const body = Buffer.concat([preamble, ...outputs.slice(0, 50), last, ...outputs]);
        const watched = new WatchedEvents(framing);
        const reader = new EventReader(framing, () => false);
        for (const chunk of cut(body, size)) watched.feed(chunk);
        reader.feed(body);
        expect(watched.isOver).toBe(reader.isOver);
        expect(watched.endsTooEarly(true)).toBe(!reader.isOver);
      }
    },
  );

  test('brings output with each event, and none with pings and comments 5 ms after it', () => {
    const watched = new WatchedEvents(framing);
    watched.feed(exchange.preamble);
    watched.feed(exchange.content('Hello'));
    expect(watched.feed(exchange.content('Hello'))).toBe(true);
    if (exchange.ping === undefined) return;
    const others =
      framing === 'frames'
        ? []
        : [': keep-alive\n\n', ': OPENROUTER PROCESSING\n\n', '\n', '\n: PROCESSING\n'].map(bytesOf);
    vi.advanceTimersByTime(5);
    for (const ping of [exchange.ping, ...others]) expect(watched.feed(ping)).toBe(false);
    expect(watched.feed(exchange.content('Hello'))).toBe(true);
  });
});

test.each([
  ['a comment', ': keep-alive\n\n'],
  ['a ping', 'event: ping\ndata: {"type": "ping"}\n\n'],
  ['an empty line', '\n'],
])('a chunk with %s and output brings output', (_what, before) => {
  const exchange = exchangeOf('Anthropic Messages');
  const watched = new WatchedEvents('text');
  watched.feed(exchange.preamble);
  vi.advanceTimersByTime(5);
  expect(watched.feed(bytesOf(before + new TextDecoder().decode(exchange.content('Hi'))))).toBe(true);
  vi.advanceTimersByTime(5);
  expect(watched.feed(exchange.content('it says "ping"'))).toBe(true);
  vi.advanceTimersByTime(4);
  expect(watched.feed(bytesOf(before))).toBe(true);
  vi.advanceTimersByTime(5);
  expect(watched.feed(bytesOf(before))).toBe(false);
});

test('a ping that is cut in its name brings no output', () => {
  const exchange = exchangeOf('Anthropic Messages');
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
  for (let at = 1; at < ping.indexOf('data'); at += 1) {
    const watched = new WatchedEvents('text');
    watched.feed(exchange.preamble);
    vi.advanceTimersByTime(5);
    const parts = [ping.slice(0, at), ping.slice(at)];
    expect([at, ...parts.map((part) => watched.feed(bytesOf(part)))]).toEqual([at, false, false]);
  }
});

test('a stream of another protocol brings no output and has no end', () => {
  const watched = new WatchedEvents('text');
  const line = bytesOf('{"level":"info","message":"started"}\n');
  expect(watched.feed(line)).toBe(true);
  for (let index = 0; index < 10; index += 1) expect(watched.feed(line)).toBe(false);
  expect([watched.isKnown, watched.isOver, watched.endsTooEarly(true)]).toEqual([false, false, false]);
});

test('an answer that ends before its first event is cut where a model was asked, or where a part of an event came', () => {
  const end = (body: string, isOfModel: boolean): boolean => {
    const watched = new WatchedEvents('text');
    watched.feed(bytesOf(body));
    return watched.endsTooEarly(isOfModel);
  };
  expect([end('\n', false), end('\n', true)]).toEqual([false, true]);
  expect([end('data: {"type":', false), end('event: message_start\n', false)]).toEqual([true, true]);
});

test('an event that is cut into many chunks is read in linear time, and counts as output when it is long', () => {
  const exchange = exchangeOf('OpenAI Chat');
  const watched = new WatchedEvents('text');
  watched.feed(exchange.preamble);
  const event = exchange.content('x'.repeat(2_000_000));
  const outputs = [...cut(event, 100)].map((chunk) => watched.feed(chunk));
  expect(outputs.filter((hasOutput) => !hasOutput).length).toBeLessThan(20);
  watched.feed(exchange.end);
  expect(watched.isOver).toBe(true);
});

test.each([0, 1])('an answer with two choices is complete when choice %i has ended long after the other', (last) => {
  const begin = choiceEvent(0, { role: 'assistant' }, null) + choiceEvent(1, { role: 'assistant' }, null);
  const texts = choiceEvent(last, { content: 'Hello' }, null).repeat(2_000);
  const watched = new WatchedEvents('text');
  for (const part of cut(bytesOf(begin + choiceEvent(1 - last, {}, 'stop') + texts), 300)) watched.feed(part);
  expect(watched.isOver).toBe(false);
  watched.feed(bytesOf(choiceEvent(last, {}, 'stop')));
  expect([watched.isOver, watched.endsTooEarly(true)]).toEqual([true, false]);
});

test('an answer whose second choice begins after the end of the first is complete with the end of both', () => {
  const texts = (index: number): string => choiceEvent(index, { content: 'Hello' }, null).repeat(200);
  const watched = new WatchedEvents('text');
  const cutOff = texts(0) + choiceEvent(0, {}, 'stop') + texts(1);
  for (const part of cut(bytesOf(cutOff), 300)) watched.feed(part);
  expect(watched.isOver).toBe(false);
  watched.feed(bytesOf(choiceEvent(1, {}, 'stop')));
  expect([watched.isOver, watched.endsTooEarly(true)]).toEqual([true, false]);
});

test.each(
  oneIn(
    2,
    [
      'data: [DONE]',
      'event: message_stop\ndata: {"type":"message_stop"}',
      'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
      'event: response.done\ndata: {"type":"response.done","response":{"status":"completed"}}',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
      'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}',
      'data: {"choices" : [{"index" : 0, "delta" : {}, "finish_reason"  :  "stop"}]}',
      '{"model": "m", "message": {"content": ""}, "done": true}',
      '{"model" : "m", "message" : {"content" : ""}, "done"  :  true}',
      'event: response.incomplete\ndata: {"type":"response.incomplete","response":{"status":"incomplete","error":null}}',
      'data: {"choices":[{"index":0,"delta":{},"finishReason":"stop"}]}',
      'data: {"choices":[{"index":0,"delta":{"audio":{"id":"a","expires_at":1764000000}}}]}',
      '{"model":"m","message":{"content":""},"done_reason":"stop"}',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    ].flatMap((last) =>
      [': keep-alive\n\n', 'event: ping\ndata: {"type":"ping"}\n\n', '\n'].map((after) => [last, after] as const),
    ),
  ),
)('an answer is complete after %j, however much of %j follows in chunks of any size', (last, after) => {
  const name = last.startsWith('{')
    ? 'Ollama'
    : /choices|DONE/.test(last)
      ? 'OpenAI Chat'
      : last.includes('incomplete')
        ? 'OpenAI Responses'
        : 'Anthropic Messages';
  const exchange = exchangeOf(name);
  const texts = Array.from({ length: 100 }, () => exchange.content('Hello'));
  const whole = Buffer.concat([exchange.preamble, ...texts, bytesOf(`${last}\n\n`), bytesOf(after.repeat(6_000))]);
  for (const size of [13, 250, 1_000, 9_000, 65_536]) {
    const watched = new WatchedEvents('text');
    for (const chunk of cut(whole, size)) watched.feed(chunk);
    expect([size, watched.isOver, watched.endsTooEarly(true)]).toEqual([size, true, false]);
    const cutOff = new WatchedEvents('text');
    for (const chunk of cut(Buffer.concat([exchange.preamble, ...texts, bytesOf(after.repeat(6_000))]), size))
      cutOff.feed(chunk);
    expect([size, cutOff.endsTooEarly(true)]).toEqual([size, true]);
  }
});

test.each(['event: stream-end\n', 'event: stream-end\ndata: {"event_ty', 'data: {"event_type":"stream-end","fini'])(
  'an answer is complete after an end of which the first chunk has only %j',
  (begun) => {
    const end = 'event: stream-end\ndata: {"event_type":"stream-end","finish_reason":"COMPLETE"}\n\n';
    const rest = end.slice(end.indexOf(begun) + begun.length);
    for (const after of [1, 200, 6_000]) {
      const watched = new WatchedEvents('text');
      watched.feed(bytesOf(`data: {"event_type":"stream-start"}\n\n${begun}`));
      for (const chunk of cut(bytesOf(rest + ': keep-alive\n\n'.repeat(after)), 1_000)) watched.feed(chunk);
      expect([after, watched.endsTooEarly(true)]).toEqual([after, false]);
    }
  },
);

test('what is kept of a long answer is short, but no event at its end is cut', () => {
  const exchange = exchangeOf('OpenAI Responses');
  const watched = new WatchedEvents('text');
  watched.feed(exchange.preamble);
  for (let index = 0; index < 1_000; index += 1) watched.feed(exchange.content(`word ${index}`.repeat(20)));
  const echo = { status: 'completed', error: null, output: 'x'.repeat(500_000) };
  const completed = bytesOf(sse(['response.completed', { type: 'response.completed', response: echo }]));
  for (const part of cut(completed, 1_000)) watched.feed(part);
  for (let index = 0; index < 100; index += 1) watched.feed(bytesOf(': keep-alive\n\n'));
  expect(watched.isOver).toBe(true);
});

test('an answer whose lines end in CR is complete after an end that is too long, whatever follows', () => {
  const line = (content: string, reason: string | null): string =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\r\r`;
  const watched = new WatchedEvents('text');
  watched.feed(bytesOf(line('Hello', null)));
  const end = line('x'.repeat(300_000), 'stop') + ': keep-alive\r\r'.repeat(50_000);
  for (const chunk of cut(bytesOf(end), 16_384)) watched.feed(chunk);
  expect(watched.endsTooEarly(true)).toBe(false);
});

test('an answer whose lines end in CR is complete as soon as its end has come', () => {
  const watched = new WatchedEvents('text');
  watched.feed(bytesOf('data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\r\r'));
  watched.feed(bytesOf('data: [DONE]\r\r'));
  expect(watched.isOver).toBe(true);
});

test('an error whose lines end in CR is seen before an event that is too long', () => {
  const watched = new WatchedEvents('text');
  const first = 'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\r\r';
  watched.feed(bytesOf(first + first));
  const long = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(300_000) } }] })}\r\r`;
  for (const chunk of cut(bytesOf(`data: {"error":{"message":"Overloaded"}}\r\r${long}`), 16_384)) watched.feed(chunk);
  expect(watched.isOver).toBe(true);
  expect(watched.error).toMatchObject({ value: { error: { message: 'Overloaded' } } });
});

describe('a stream of a hostile server', () => {
  const begin =
    'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n';
  const x = 'x'.repeat(4_096);
  const frame = Buffer.from(eventFrame('contentBlockDelta', { delta: { text: 'x'.repeat(15_000_000) } }));

  test.each<[string, Framing, string, string | Uint8Array]>([
    ['an endless line', 'text', begin, x],
    ['an endless first line', 'text', 'data: ', x],
    ['endless lines of data without a blank line', 'text', begin, `data: ${x}\n`],
    ['endless empty lines of data', 'text', begin, 'data:\n'.repeat(700)],
    ['an open JSON array', 'text', `${begin}[\n`, `{"text":"${x}"},\n`],
    ['an open JSON array from the beginning', 'text', '[\n', `{"text":"${x}"},\n`],
    ['frames of fifteen megabytes', 'frames', '', frame.subarray(0, -1)],
  ])('with %s keeps less than a megabyte', async (_what, framing, first, next) => {
    const watched = new WatchedEvents(framing);
    watched.feed(bytesOf(first));
    const chunk = typeof next === 'string' ? bytesOf(next) : next;
    const before = await memory();
    for (let bytes = 0; bytes < 3_000_000; bytes += chunk.length)
      for (const part of cut(chunk, 65_536)) watched.feed(part);
    // One collection may keep what it saw in use.
    let keptBytes = Infinity;
    for (let round = 0; round < 5 && keptBytes >= 1_048_576; round += 1) keptBytes = (await memory()) - before;
    expect(keptBytes).toBeLessThan(1_048_576);
    expect(watched.isOver).toBe(false);
  });

  async function memory(): Promise<number> {
    setFlagsFromString('--expose-gc');
    // The memory of arrays is freed in another thread, which a further collection waits for.
    for (let round = 0; round < 2; round += 1) {
      runInNewContext('gc')();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  }
});

test.each([1_000, 65_536, 2_000_000])(
  'of an event that is too long only the words of ends are looked for, in chunks of %i',
  (size) => {
    const line = (reason: string | null): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ inlineData: 'x'.repeat(1_000_000) }] }, finishReason: reason }] })}\n\n`;
    const text = 'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"usageMetadata":{}}\n\n';
    const end = 'data: {"candidates":[{"finishReason":"STOP"}]}\n\n';
    const isCut = (body: string): boolean => {
      const watched = new WatchedEvents('text');
      for (const part of cut(bytesOf(body), size)) watched.feed(part.slice());
      return watched.endsTooEarly(true);
    };
    const image = line(null).replace(',"finishReason":null', '');
    expect(isCut(text + line('STOP'))).toBe(false);
    expect(isCut(line('STOP'))).toBe(false);
    expect(isCut(text + image)).toBe(true);
    expect(isCut(image)).toBe(true);
    expect(isCut(text + image + text + end)).toBe(false);
    expect(isCut(image + end)).toBe(false);
    expect(isCut(text + line('STOP') + text)).toBe(true);
    expect(isCut(text + line('STOP') + image)).toBe(true);
    expect(isCut((text + line('STOP')).slice(0, -100))).toBe(true);
  },
);
