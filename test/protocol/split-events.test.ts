import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { cpuMsOf } from '../linear-time.ts';
import { createSplitter, type Framing, type StreamEvent } from '../../src/protocol/split-events.ts';
import { expectLinearTime } from '../linear-time.ts';
import { chunkFrame, concat, eventFrame, exceptionFrame, frame } from './frames.ts';

const encoder = new TextEncoder();

function split(chunks: readonly (Uint8Array | string)[], framing: Framing = 'text'): StreamEvent[] {
  const events: StreamEvent[] = [];
  const visit = (event: StreamEvent): boolean => {
    events.push(event);
    return false;
  };
  const splitter = createSplitter(framing);
  for (const chunk of chunks) splitter.feed(chunk, visit);
  splitter.end(visit);
  return events;
}

/** How long a line takes that comes in chunks of one character. */
function splitLine(length: number): void {
  const splitter = createSplitter('text');
  splitter.feed('data: ', () => false);
  for (let sent = 0; sent < length; sent += 1) splitter.feed('x', () => false);
  splitter.end(() => false);
}

const sample = [
  ': a comment',
  'event: first',
  'data: {"text":"Zürich ☕ 🙂"}',
  ...['id: 7', 'retry: 1000', '', 'data:two', 'data: lines', 'data', '', '', 'event: without data', '', 'data: last'],
].join('\n');
const expected: readonly StreamEvent[] = [
  { name: 'first', data: '{"text":"Zürich ☕ 🙂"}' },
  { name: '', data: 'two\nlines\n' },
  { name: '', data: 'last' },
];

describe('SSE', () => {
  test('an error in a field of its own, as llama.cpp sends it, is an event', () => {
    const body = 'error: {"code":500,"message":"m"}\n\nerror:{"code":501}\nerror: none\n\n';
    expect(split([body])).toEqual([
      { name: 'error', data: '{"code":500,"message":"m"}' },
      { name: 'error', data: '{"code":501}' },
    ]);
  });

  test.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('lines end in %s', (_name, ending) => {
    expect(split([sample.replaceAll('\n', ending)])).toEqual(expected);
  });

  test.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('bytes cut anywhere give the same events (%s)', (_name, ending) => {
    const bytes = encoder.encode(sample.replaceAll('\n', ending));
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(split([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  property.prop([fc.array(fc.nat(200), { maxLength: 8 })])('any number of cuts gives the same events', (cuts) => {
    const bytes = encoder.encode(sample);
    const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((one, other) => one - other);
    const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
    expect(split(chunks)).toEqual(expected);
  });

  test('only one space after the colon is removed', () => {
    expect(split(['data:  x\n\n'])).toEqual([{ name: '', data: ' x' }]);
  });

  test('an unknown field is ignored', () => {
    expect(split(['foo: bar\nDATA: no\ndata: yes\n\n'])).toEqual([{ name: '', data: 'yes' }]);
  });

  test('a byte order mark does not hide the first field', () => {
    expect(split([Uint8Array.of(0xef, 0xbb, 0xbf), encoder.encode('data: x\n\n')])).toEqual([{ name: '', data: 'x' }]);
  });

  test('bytes that are not UTF-8 do not throw', () => {
    expect(split([Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xc3)])).toHaveLength(1);
  });

  test('an event that ends in CR is complete at once, and an LF that follows is no line', () => {
    expect(createSplitter('text').feed('data: 1\r\r', () => true)).toBe(true);
    const splitter = createSplitter('text');
    expect(splitter.feed('data: 1\r', () => true)).toBe(false);
    expect(splitter.feed('', () => true)).toBe(false);
    expect(splitter.feed('\n', () => true)).toBe(false);
    expect(splitter.feed('\r', () => true)).toBe(true);
  });

  test('half a line is not an event, and does not end the splitting', () => {
    expect(createSplitter('text').feed('data: 1', () => true)).toBe(false);
  });

  test('only a comment of OpenRouter announces a stream', () => {
    const announced = createSplitter('text');
    announced.feed(': OPENROUTER PROCESSING\n\n', () => false);
    const silent = createSplitter('text');
    silent.feed(': keep-alive\n\n', () => false);
    expect([announced.isAnnounced, silent.isAnnounced]).toEqual([true, false]);
  });

  test('nothing is split after the visitor stops', () => {
    const names: string[] = [];
    const splitter = createSplitter('text');
    expect(splitter.feed('event: a\ndata: 1\n\nevent: b\ndata: 2\n\n', ({ name }) => names.push(name) > 0)).toBe(true);
    expect(names).toEqual(['a']);
  });

  test('a long line in small chunks takes linear time', () => {
    expectLinearTime(splitLine, { short: 16_384, long: 262_144 });
  });
});

describe('JSON outside of any field', () => {
  test('a line of JSON may have line separators that are none of a stream', () => {
    const line = (text: string): string => `${JSON.stringify({ text })}\n`;
    expect(split([line('a\u2028b'), line('c\u2029')])).toMatchObject([{ value: { text: 'a\u2028b' } }, { value: {} }]);
    expect(split([`data: ${line('a\u2028')}data: ${line('b')}`])).toHaveLength(2);
  });

  test('lines of NDJSON are events, parsed', () => {
    expect(split(['{"a":1}\n{"b":', '2}\n\n[3]'])).toEqual([
      { name: '', data: '{"a":1}', value: { a: 1 } },
      { name: '', data: '{"b":2}', value: { b: 2 } },
      { name: '', data: '[3]', value: [3] },
    ]);
  });

  test('an object over several lines is one event, at every cut', () => {
    const pretty = JSON.stringify({ error: { code: 503, details: [{ reason: 'X' }] } }, null, 2);
    const body = encoder.encode(`data: {"a":1}\n\n${pretty}\n`);
    for (let at = 0; at <= body.length; at += 1) {
      expect(split([body.subarray(0, at), body.subarray(at)])).toEqual([
        { name: '', data: '{"a":1}' },
        { name: '', data: pretty, value: JSON.parse(pretty) },
      ]);
    }
  });

  test('it is found only at the beginning of a line', () => {
    expect(split(['log {"a":1}\nlog{"a":1}\n  {"b":1}\n'])).toEqual([{ name: '', data: '  {"b":1}', value: { b: 1 } }]);
  });

  test('a field inside it is not a field of the event', () => {
    const pretty = JSON.stringify({ error: { message: 'invalid id: 5' } }, null, 2);
    expect(split([`${pretty}\n`])).toEqual([{ name: '', data: pretty, value: JSON.parse(pretty) }]);
  });

  test('an unfinished one at the end is an event', () => {
    expect(split(['{"a":\n'])).toEqual([{ name: '', data: '{"a":' }]);
    expect(split(['event: x\n{"a":'])).toEqual([{ name: '', data: '{"a":' }]);
  });

  test('the visitor may stop at the event that it ends', () => {
    let seen = 0;
    expect(createSplitter('text').feed('data: 1\n{"a":1}\n', () => (seen += 1) > 0)).toBe(true);
    expect(seen).toBe(1);
  });

  const listOf = (lines: number): string => `[\n${Array.from({ length: lines }, () => '{"a":1}').join('\n,\n')}\n]`;

  test.each([
    [31, true],
    [32, false],
  ])('a list with %i lines that may be its end is parsed: %s', (lines, isParsed) => {
    const list = listOf(lines);
    const event = { name: '', data: list, ...(isParsed ? { value: JSON.parse(list) as unknown } : {}) };
    expect(split([`${list}\n`])).toEqual([event]);
  });

  test('each value may have as many lines as any other', () => {
    expect(split([`${listOf(20)}\n${listOf(20)}\n`])).toHaveLength(2);
  });

  test('it ends an unfinished event, and a field ends it', () => {
    expect(split(['data: 1\n{"a":1}\n'])).toEqual([
      { name: '', data: '1' },
      { name: '', data: '{"a":1}', value: { a: 1 } },
    ]);
    expect(split(['{"a":\ndata: 1\n\n'])).toEqual([
      { name: '', data: '{"a":' },
      { name: '', data: '1' },
    ]);
  });

  test('one that never closes is one event at the end, in linear time', () => {
    const body = `{\n${'}\n'.repeat(200_000)}`;
    let events: readonly unknown[] = [];
    expect(cpuMsOf(() => (events = split([body])))).toBeLessThan(2_000);
    expect(events.length).toBeLessThan(3);
  });
});

describe('frames of an AWS event stream', () => {
  const frames = [
    eventFrame('messageStart', { role: 'assistant' }),
    frame(
      {
        yes: Uint8Array.of(0),
        no: Uint8Array.of(1),
        byte: Uint8Array.of(2, 1),
        short: Uint8Array.of(3, 1, 2),
        integer: Uint8Array.of(4, 1, 2, 3, 4),
        long: Uint8Array.of(5, 1, 2, 3, 4, 5, 6, 7, 8),
        bytes: Uint8Array.of(6, 0, 2, 1, 2),
        time: Uint8Array.of(8, 1, 2, 3, 4, 5, 6, 7, 8),
        uuid: Uint8Array.of(9, ...new Uint8Array(16)),
        ':event-type': 'x',
        ':message-type': 'event',
      },
      'ü☕',
    ),
    exceptionFrame('throttlingException', 'Too many requests'),
    frame({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'It failed' }, ''),
    frame({ ':message-type': 'error' }, 'why'),
    frame({ ':message-type': 'exception' }, {}),
  ];
  const wanted: readonly StreamEvent[] = [
    { name: 'messageStart', data: '{"role":"assistant"}' },
    { name: 'x', data: 'ü☕' },
    { name: '', data: '{"message":"Too many requests"}', exception: 'throttlingException' },
    { name: '', data: '', value: { message: 'It failed' }, exception: 'InternalFailure' },
    { name: '', data: 'why', value: { message: 'why' }, exception: 'error' },
    { name: '', data: '{}', exception: 'exception' },
  ];

  test('all at once, and cut anywhere', () => {
    const bytes = concat(frames);
    expect(split([bytes], 'frames')).toEqual(wanted);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(split([bytes.subarray(0, at), bytes.subarray(at)], 'frames')).toEqual(wanted);
    }
    expect(
      split(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        'frames',
      ),
    ).toEqual(wanted);
  });

  test('a header inside the payload is not a header', () => {
    const payload = '\u000D:message-type\u0007\u0000\u0009exception';
    expect(split([frame({ ':event-type': 'x' }, payload)], 'frames')).toEqual([{ name: 'x', data: payload }]);
  });

  test('a header that is longer than its frame ends the headers', () => {
    // 18 bytes, two of them headers: a name of four, whose type would be the last byte, and whose length comes after that.
    const bytes = Uint8Array.of(0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 7);
    expect(split([bytes], 'frames')).toEqual([{ name: '', data: '' }]);
  });

  test.each([
    ['of nothing', 0, 0, true],
    ['whose headers leave no room for a checksum', 20, 8, true],
    ['of the greatest size', 0x1_02_00_00, 0, false],
    ['that is greater', 0x1_02_00_01, 0, true],
  ])('a frame %s is refused by its first twelve bytes', (_what, size, headersSize, isRefused) => {
    const prelude = new DataView(new ArrayBuffer(12));
    prelude.setUint32(0, size);
    prelude.setUint32(4, headersSize);
    expect(createSplitter('frames').feed(new Uint8Array(prelude.buffer), () => true)).toBe(isRefused);
  });

  test('its end adds nothing', () => {
    const splitter = createSplitter('frames');
    splitter.feed(eventFrame('x', {}).subarray(0, 20), () => true);
    expect(splitter.end(() => true)).toBe(false);
  });

  test('more bytes than fit are kept, and half a frame at the end is dropped', () => {
    const large = eventFrame('x', 'y'.repeat(50_000));
    expect(split([large.subarray(0, 10_000), large.subarray(10_000), large.subarray(0, 30)], 'frames')).toEqual([
      { name: 'x', data: 'y'.repeat(50_000) },
    ]);
  });

  test('bytes that are not a frame are one unknown event', () => {
    expect(split([encoder.encode('HTTP/1.1 502 Bad Gateway')], 'frames')[0]).toEqual({ name: '', data: 'not a frame' });
    expect(split([new Uint8Array(64)], 'frames')[0]).toEqual({ name: '', data: 'not a frame' });
    expect(split(['data: text that came as a string'], 'frames')[0]).toEqual({ name: '', data: 'not a frame' });
  });

  property.prop([fc.uint8Array({ maxLength: 300 })])('no bytes make it throw', (bytes) => {
    split([bytes], 'frames');
    const broken = concat(frames);
    broken.set(bytes.subarray(0, 40), 12);
    split([broken], 'frames');
  });

  test('a frame with the event of a model, in base64, is that event, with the name that Amazon Nova gives it', () => {
    const ofClaude = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Zürich' } };
    const ofNova = { contentBlockDelta: { delta: { text: 'Zürich' }, contentBlockIndex: 0 } };
    const metadata = { metadata: { usage: {} }, 'amazon-bedrock-invocationMetrics': {} };
    const events = [ofClaude, ofNova, metadata, { messages: [] }];
    expect(split(events.map(chunkFrame), 'frames')).toEqual([
      { name: '', data: JSON.stringify(ofClaude), value: ofClaude },
      { name: 'contentBlockDelta', data: JSON.stringify(ofNova), value: ofNova.contentBlockDelta },
      { name: 'metadata', data: JSON.stringify(metadata), value: metadata.metadata },
      { name: '', data: '{"messages":[]}', value: { messages: [] } },
    ]);
  });

  test.each(['{"bytes":"%"}', '{"bytes":"eA=="}', '{"p":"abc"}', 'x'])(
    'a chunk with %s is left as it is',
    (payload) => {
      expect(split([eventFrame('chunk', payload)], 'frames')).toEqual([{ name: 'chunk', data: payload }]);
    },
  );

  test('the visitor may stop between two frames', () => {
    let seen = 0;
    const splitter = createSplitter('frames');
    expect(splitter.feed(concat(frames), () => (seen += 1) === 1)).toBe(true);
    expect(seen).toBe(1);
  });
});

test('lines of JSON without a blank line between them are events of their own', () => {
  const lines = 'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n\n';
  expect(split([lines]).map(({ data }) => data)).toEqual(['{"a":1}', '{"b":2}', '[DONE]']);
  const broken = 'data: {"a":\ndata: 1}\n\ndata: two\ndata: {"b":2}\n\n';
  expect(split([broken]).map(({ data }) => data)).toEqual(['{"a":\n1}', 'two\n{"b":2}']);
});
