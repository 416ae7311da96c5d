import { describe, expect, test } from 'vitest';
import { type EventKind, protocolOf } from '../../src/protocol/event-kinds.ts';
import { EventReader } from '../../src/protocol/event-reader.ts';
import { sse } from '../classify/cases.ts';
import { answerOf, exchanges } from '../http/exchanges.ts';
import { foreignStreams } from '../http/foreign-streams.ts';

/** Reads a whole body, in one chunk. */
function read(
  body: Uint8Array | string,
  contentType = 'text/event-stream',
): { readonly reader: EventReader; readonly kinds: EventKind[] } {
  const kinds: EventKind[] = [];
  const reader = new EventReader(protocolOf(contentType) ?? 'text', (kind) => kinds.push(kind) < 0);
  reader.feed(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  reader.end();
  return { reader, kinds };
}

describe.each(Object.entries(exchanges))('an answer of %s', (_name, exchange) => {
  test('is over with its last event, and not before', () => {
    const { reader, kinds } = read(answerOf(exchange), exchange.contentType);
    expect(reader.isOver).toBe(true);
    expect(kinds).toContain('end');
    expect(read(exchange.preamble, exchange.contentType).reader.isOver).toBe(false);
    const begun = Buffer.concat([exchange.preamble, exchange.content('Hello')]);
    expect(read(begun, exchange.contentType).reader).toMatchObject({ isOver: false });
  });

  test('that fails is over with its error', () => {
    const { reader, kinds } = read(
      Buffer.concat([exchange.preamble, exchange.content('Hello'), exchange.error]),
      exchange.contentType,
    );
    expect(reader.isOver).toBe(true);
    expect(kinds).toContain('error');
  });

  test('that talks about errors, ends and pings goes on', () => {
    const words = '{"error": {"message": "x"}, "finish_reason":"stop","finishReason":"STOP","done": true} message_stop';
    const body = Buffer.concat([exchange.preamble, exchange.content(words), exchange.content('event: ping')]);
    expect(read(body, exchange.contentType).reader.isOver).toBe(false);
  });

  test('knows its pings from its output', () => {
    const { kinds } = read(exchange.ping ?? new Uint8Array(), exchange.contentType);
    expect(kinds.filter((kind) => kind !== 'ping')).toEqual([]);
  });
});

describe('an answer of OpenAI Chat', () => {
  const chunk = (index: number, reason: string | null): object => ({
    object: 'chat.completion.chunk',
    choices: [{ index, delta: { content: 'a' }, finish_reason: reason }],
  });
  const over = (...events: readonly object[]): boolean =>
    read(sse(...events.map((event): [string, unknown] => ['', event]))).reader.isOver;

  test('with two choices is over when both are', () => {
    expect(over(chunk(0, null), chunk(1, null), chunk(0, 'stop'))).toBe(false);
    expect(over(chunk(0, null), chunk(1, null), chunk(0, 'stop'), chunk(1, 'length'))).toBe(true);
  });

  test('whose finish reasons are empty or null goes on', () => {
    expect(over(chunk(0, ''), chunk(0, null), chunk(0, 'null'))).toBe(false);
  });
});

test('an answer of Gemini with a finish reason in every part is over after each of them', () => {
  const part = (text: string, finishReason?: string): object => ({
    candidates: [{ content: { parts: [{ text }] }, finishReason }],
  });
  expect(read(sse(['', part('a', 'STOP')], ['', part('b')])).reader.isOver).toBe(false);
  expect(read(sse(['', part('a', 'STOP')], ['', part('b', 'STOP')])).reader.isOver).toBe(true);
});

test('a name after the data that the end has cut changes nothing', () => {
  const completed = { type: 'response.completed', response: { id: 'resp_1', status: 'completed' } };
  const body = `data: ${JSON.stringify(completed)}\nevent: response.completed\n\n`;
  for (let length = body.indexOf('\n'); length <= body.length; length += 1) {
    const { reader } = read(body.slice(0, length));
    reader.end();
    expect([body.slice(0, length), reader.isOver]).toEqual([body.slice(0, length), true]);
  }
});

test.each(foreignStreams)('$name is foreign, and never over', ({ contentType, body }) => {
  const { reader } = read(body, contentType);
  expect(reader).toMatchObject({ isKnown: false, isOver: false });
});

test.each<[what: string, event: object]>([
  ['a chunk of OpenAI Chat that has its name', { object: 'chat.completion.chunk', choices: [{ delta: {} }] }],
  ['a delta with a finish reason', { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] }],
  ['a delta with a text', { choices: [{ delta: { content: 'a' } }] }],
  ['a delta with a thought', { choices: [{ delta: { reasoning_content: 'a' } }] }],
  ['a delta with a tool call', { choices: [{ delta: { tool_calls: [{ index: 0 }] } }] }],
  ['a delta of Anthropic', { type: 'content_block_delta', delta: { text: 'a' } }],
  ['a tool call of Anthropic', { type: 'content_block_start', content_block: { type: 'tool_use', name: 'a' } }],
  ['a delta of OpenAI Responses', { type: 'response.output_text.delta', delta: 'a' }],
  ['a text of OpenAI Completions', { object: 'text_completion', choices: [{ text: '' }] }],
  ['counts of Gemini', { usageMetadata: { promptTokenCount: 1 } }],
  ['a prompt that Gemini has looked at', { promptFeedback: {} }],
  ['a candidate of Gemini', { candidates: [{ content: { parts: [{ text: 'a' }] } }] }],
  ['a candidate of Gemini that has only ended', { candidates: [{ finishReason: 'SAFETY' }] }],
  ['a message of Ollama', { model: 'm', message: { role: 'assistant', content: '' }, done: false }],
  ['a message of Ollama without the model', { message: { role: 'assistant', content: 'a' }, done: false }],
  ['a tool call of Converse', { type: 'contentBlockStart', start: { toolUse: { name: 'a' } } }],
  ['a response of Ollama', { model: 'm', response: '', done: false }],
])('%s shows that a language model answers', (_what, event) => {
  expect(read(sse(['', event])).reader.isKnown).toBe(true);
});

test.each<[what: string, body: string]>([
  ['a preamble', 'data: {"type":"message_start"}\n\n'],
  ['an error', 'event: error\ndata: {}\n\n'],
])('after eight events that show nothing, %s among them, a stream is foreign', (_what, part) => {
  expect(read(part.repeat(7)).reader.isKnown).toBeUndefined();
  expect(read(part.repeat(8)).reader.isKnown).toBe(false);
});

describe('the position in a stream', () => {
  test('has the id and the number of OpenAI Responses', () => {
    const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress' } };
    const delta = { type: 'response.output_text.delta', sequence_number: 7, delta: 'a' };
    expect(read(sse([created.type, created], [delta.type, delta])).reader.position()).toEqual({
      lastEvent: 'response.output_text.delta',
      responseId: 'resp_1',
      sequenceNumber: 7,
    });
  });

  test('has no id and no number that is of another type', () => {
    const odd = { type: 'message_start', sequence_number: '7', response: { id: 7 } };
    expect(read(sse(['', odd])).reader.position()).toEqual({ lastEvent: 'message_start' });
  });

  test.each([
    ['a name', 'event: content_block_delta\ndata: {}\n\n', 'content_block_delta'],
    ['a type', 'data: {"type":"message_start"}\n\n', 'message_start'],
    ['an object', 'data: {"object":"chat.completion.chunk"}\n\n', 'chat.completion.chunk'],
    ['the beginning of the text', `data: ${'a'.repeat(100)}\n\n`, 'a'.repeat(64)],
    ['nothing', '', null],
  ])('shows %s of the last event', (_what, body, lastEvent) => {
    expect(read(body).reader.position()).toEqual({ lastEvent });
  });

  test('masks secrets before it cuts the last event', () => {
    const secret = 'My.Very-Own=Token/4711+xyz';
    const { reader } = read(`data: {"a":${JSON.stringify('b'.repeat(40) + secret)}}\n\n`);
    expect(reader.position([secret])).toEqual({ lastEvent: `{"a":"${'b'.repeat(40)}[redacted]"}` });
  });
});
