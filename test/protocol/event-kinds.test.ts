import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/protocol/split-events.ts';
import { type EventKind, findStreamError, protocolOf, readEvent } from '../../src/protocol/event-kinds.ts';
import { isInBandError } from '../../src/protocol/in-band-error.ts';
import { sse } from '../classify/cases.ts';
import { concat, eventFrame, exceptionFrame } from './frames.ts';

const event = (name: string, data: unknown): StreamEvent => ({
  name,
  data: typeof data === 'string' ? data : JSON.stringify(data),
});
const data = (value: unknown): StreamEvent => event('', value);
const chunk = (fields: object, more: object = {}): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: fields, finish_reason: null, ...more }],
});
const delta = (fields: object, more: object = {}): StreamEvent => data(chunk(fields, more));

describe('protocolOf', () => {
  test.each([
    ['text/event-stream', 'text'],
    ['text/event-stream; charset=utf-8', 'text'],
    ['Text/Event-Stream;charset=UTF-8', 'text'],
    ['application/x-ndjson', 'text'],
    ['application/ndjson', 'text'],
    ['application/jsonl', 'text'],
    ['application/jsonlines', 'text'],
    ['application/vnd.amazon.eventstream', 'frames'],
    [' text/event-stream', 'text'],
    ['application/stream+json', 'text'],
    [' application/vnd.amazon.eventstream', 'frames'],
    ['application/json; was=text/event-stream', null],
    ['application/json; was=application/vnd.amazon.eventstream', null],
    ['x-text/event-stream', null],
    ['x-application/vnd.amazon.eventstream', null],
    ['application/json', null],
    ['text/event-streams', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('%s is %s', (contentType, framing) => {
    expect(protocolOf(contentType)).toBe(framing);
  });
});

const each = (names: readonly string[], row: (name: string) => readonly [string, StreamEvent]) =>
  Object.fromEntries(names.map(row));

const EVENTS: Readonly<Partial<Record<EventKind, Readonly<Record<string, StreamEvent>>>>> = {
  preamble: {
    'Anthropic: message_start': event('message_start', { type: 'message_start' }),
    'Anthropic: an empty text block': event('content_block_start', {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    }),
    'Anthropic: an empty thinking block': event('content_block_start', {
      type: 'content_block_start',
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    'Anthropic: without event lines': data({ type: 'message_start', message: {} }),
    'Chat: a role': delta({ role: 'assistant', content: '' }),
    'Chat: a role and nulls': delta({ role: 'assistant', content: null, refusal: null, tool_calls: [] }),
    'Chat: usage only': data({ choices: [], usage: { total_tokens: 3 } }),
    'Chat: prompt filters (Azure)': data({ choices: [], prompt_filter_results: [{}] }),
    'Completions: no text yet': data({ object: 'text_completion', choices: [{ text: '' }] }),
    'OpenRouter: an echo for debugging': data({ choices: [], debug: { echo_upstream_body: {} } }),
    'Responses: created': event('response.created', '{"type":"response.created"}'),
    'Responses: queued': data({ type: 'response.queued' }),
    'Responses: in progress': event('response.in_progress', 'not even JSON'),
    'Gemini: usage alone': data({ usageMetadata: {} }),
    'Gemini: a version alone': data({ modelVersion: 'x' }),
    'Gemini: usage': data({ usageMetadata: {}, modelVersion: 'x' }),
    'Gemini: an empty candidate': data({ candidates: [{ content: { role: 'model' } }] }),
    'Gemini: a finish without a reason': data({ candidates: [{ finishReason: 'FINISH_REASON_UNSPECIFIED' }] }),
    'Ollama: nothing yet': data({ model: 'm', message: { role: 'assistant', content: '' }, done: false }),
    'Ollama: generate, nothing yet': data({ response: '', done: false }),
    'Bedrock: messageStart': event('messageStart', { role: 'assistant' }),
    'Bedrock: a block of text': event('contentBlockStart', { contentBlockIndex: 0 }),
    'an error that is null': data({ error: null, choices: [] }),
    'a choice that has nothing yet': data({ choices: [{ index: 0, messages: [], delta: '' }] }),
    'Azure: what its filter found': data({
      choices: [{ index: 0, content_filter_offsets: { start: 1 }, finish_reason: null, logprobs: null }],
    }),
    'Gemini: what it says of itself': data({
      candidates: [],
      usageMetadata: { totalTokenCount: 1 },
      modelVersion: 'm',
      modelStatus: { modelStage: 'STABLE' },
      responseId: 'r',
      createTime: '2026-01-01T00:00:00Z',
      nonce: 'n',
    }),
    'Vertex: the usage of Claude': event('vertex_event', { usage: { input_tokens: 1 } }),
    'a block without a type': data({ type: 'content_block_start', content_block: { text: '' } }),
  },
  ping: {
    'Anthropic: ping': event('ping', { type: 'ping' }),
    'Responses: keepalive': event('keepalive', { type: 'keepalive' }),
    'an event without data': data(''),
  },
  content: {
    'Anthropic: a text block with text': event('content_block_start', {
      type: 'content_block_start',
      content_block: { type: 'text', text: 'Hi' },
    }),
    'Anthropic: an empty block of an unknown kind': data({
      type: 'content_block_start',
      content_block: { type: 'text_document', text: '' },
    }),
    'Anthropic: a tool': event('content_block_start', {
      type: 'content_block_start',
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    }),
    'Anthropic: a tool of the server': event('content_block_start', {
      type: 'content_block_start',
      content_block: { type: 'server_tool_use', input: {} },
    }),
    'Anthropic: a delta': event('content_block_delta', {
      type: 'content_block_delta',
      delta: { type: 'text_delta', text: 'x' },
    }),
    'Anthropic: a count of tokens before the end': event('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: null },
      usage: { output_tokens: 1 },
    }),
    'OpenAI Chat: a part of a spoken answer': delta({ audio: { id: 'a', data: 'x' } }),
    'Chat: text': delta({ content: 'Hi' }),
    'Chat: white space': delta({ content: ' ' }),
    'Chat: a thought and a text': delta({ content: [{ type: 'thinking' }, { type: 'text' }] }),
    'Chat: another list of thoughts': delta({ notes: [{ type: 'thinking' }] }),
    'Chat: a member that ends in reasoning': delta({ with_reasoning: 'x' }),
    'Chat: a refusal': delta({ refusal: 'No' }),
    'Chat: a tool call': delta({ tool_calls: [{ index: 0, id: 'c' }] }),
    'Chat: a function call': delta({ function_call: { name: 'f' } }),
    'Chat: audio': delta({ audio: { id: 'a' } }),
    'Chat: a number': delta({ score: 5 }),
    'Chat: a whole message': data({ choices: [{ message: { content: 'x' } }] }),
    'Completions: text': data({ object: 'text_completion', choices: [{ text: 'x' }] }),
    'Responses: an item': event('response.output_item.added', {}),
    'Responses: a message with content': data({
      type: 'response.output_item.added',
      item: { type: 'message', content: [{}] },
    }),
    'Responses: a part with a text': data({
      type: 'response.content_part.added',
      part: { type: 'output_text', text: 'a' },
    }),
    'Responses: another kind of message': data({ type: 'response.output_item.added', item: { type: 'message_list' } }),
    'Responses: a message that is complete': data({ type: 'response.output_item.done', item: { type: 'message' } }),
    'Responses: a delta': data({ type: 'response.output_text.delta', delta: 'x' }),
    'Gemini: parts': data({ candidates: [{ content: { parts: [{ text: 'x' }] } }] }),
    'Gemini: parts in Cloud Code’s wrapping': data({
      response: { candidates: [{ content: { parts: [{ text: 'x' }] } }] },
    }),
    'Gemini: a thought and a text': data({
      candidates: [{ content: { parts: [{ text: 'a', thought: true }, { text: 'b' }] } }],
    }),
    'Ollama: a word': data({ message: { content: 'x' }, done: false }),
    'Ollama: a tool': data({ message: { content: '', tool_calls: [{}] }, done: false }),
    'Ollama: a picture': data({ message: { content: '', images: ['x'] }, done: false }),
    'Ollama: generate': data({ response: 'x', done: false }),
    'Bedrock: a tool': event('contentBlockStart', { start: { toolUse: { name: 'f' } } }),
    'Bedrock: a delta': event('contentBlockDelta', { delta: { text: 'x' } }),
    ...each(['completed', 'incomplete', 'failed', 'error'], (word) => [
      `Responses: a name that only begins with ${word}`,
      event(`response.${word}_item`, {}),
    ]),
    'Gemini: content that is a text': data({ candidates: [{ content: 'w' }] }),
    ...each(['my_role', 'roles'], (name) => [
      `a delta with \`${name}\`, which is no role`,
      data({ choices: [{ index: 0, delta: { [name]: 'w' } }] }),
    ]),
    ...each(['mytype', 'types'], (name) => [
      `a block with \`${name}\`, which is no type`,
      data({ type: 'content_block_start', content_block: { type: 'text', [name]: 'w' } }),
    ]),
    'Responses: a call of a tool': event('response.output_item.added', { item: { type: 'function_call', name: 'f' } }),
    'Chat: a thought beside text': delta({ content: 'x', reasoning: 'y' }),
    'Chat: a finish of one of two choices': data({
      choices: [
        { index: 0, delta: {}, finish_reason: 'stop' },
        { index: 1, delta: {} },
      ],
    }),
  },
  thinking: {
    'Anthropic: a block that hides what was thought': data({
      type: 'content_block_start',
      content_block: { type: 'redacted_thinking', data: '' },
    }),
    'Chat: reasoning': delta({ content: '', reasoning: 'Hm' }),
    'Chat: reasoning_content': delta({ reasoning_content: 'Hm' }),
    'Chat: a list of thoughts': delta({ content: [{ type: 'thinking' }, { type: 'thinking' }] }),
    'Responses: an empty message': data({ type: 'response.output_item.added', item: { type: 'message', content: [] } }),
    'Responses: an empty part': data({ type: 'response.content_part.added', part: { type: 'output_text', text: '' } }),
    'Gemini: a thought and its signature': data({
      candidates: [{ content: { parts: [{ text: 'a', thought: true }, { text: '' }] } }],
    }),
    'Ollama: a thought': data({ message: { content: '', thinking: 'x' }, done: false }),
    'Ollama: generate, a thought': data({ response: '', thinking: 'x', done: false }),
    'Gemini: a thought': data({ candidates: [{ content: { parts: [{ text: 'x', thought: true }] } }] }),
    'Responses: a thought': event('response.reasoning_summary_text.delta', { delta: 'x' }),
    'Responses: a message that has no text yet': event('response.output_item.added', {
      item: { type: 'message', content: [] },
    }),
    'Anthropic: a thought': event('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'x' } }),
    'Chat: a list of thoughts (Mistral)': delta({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] }],
    }),
  },
  end: {
    'Anthropic: the end of a message': event('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
    }),
    'Responses: the end of a realtime answer': event('response.done', { type: 'response.done', response: {} }),
    'OpenAI Chat: a finish reason in camel case': data({ choices: [{ delta: {}, finishReason: 'stop' }] }),
    'OpenAI Chat: the end of a spoken answer': delta({ audio: { id: 'a', expires_at: 1 } }),
    'Anthropic: message_stop': event('message_stop', { type: 'message_stop' }),
    'Chat: a finish': delta({}, { finish_reason: 'stop' }),
    'Chat: [DONE]': data('[DONE]'),
    'Chat: [DONE] with space': data(' [DONE] '),
    'Responses: completed': event('response.completed', {}),
    'Responses: incomplete': event('response.incomplete', {}),
    'Gemini: a finish': data({ candidates: [{ finishReason: 'SAFETY' }] }),
    'Gemini: a function call that could not be read, after a text': data({
      candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
    }),
    'Gemini: one of two candidates that ended in a function call that could not be read': data({
      candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }, { finishReason: 'STOP' }],
    }),
    'Gemini: a blocked prompt': data({ promptFeedback: { blockReason: 'SAFETY' } }),
    'Ollama: done': data({ done: true }),
    'Ollama: the reason alone': data({ model: 'm', response: '', done_reason: 'stop' }),
    'Bedrock: the end': event('messageStop', { stopReason: 'end_turn' }),
  },
  error: {
    'Anthropic: an error': event('error', { type: 'error', error: { type: 'overloaded_error' } }),
    'Chat: an error': data({ error: { message: 'x' } }),
    'OpenRouter: an error beside choices': data({
      error: { code: 502 },
      choices: [{ delta: { content: '' }, finish_reason: 'error' }],
    }),
    'OpenRouter: a choice that ends in error': data({ choices: [{ delta: { content: '' }, finish_reason: 'error' }] }),
    'Responses: failed': event('response.failed', { type: 'response.failed' }),
    'Responses: failed without an event line': data({ type: 'response.failed', response: {} }),
    'Responses: an error on top': data({ type: 'error', code: 'x', message: 'y' }),
    'Gemini: an error behind an answer in a list': data([{ candidates: [] }, { error: { code: 503 } }]),
    'Gemini: a function call that could not be read, and nothing else': data({
      candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
    }),
    'Gemini: an error': data({ error: { code: 503, status: 'UNAVAILABLE' } }),
    'Gemini: an error in a list': data([{ error: { code: 503 } }]),
    'Ollama: an error': data({ error: 'unexpected EOF' }),
    'Bedrock: an exception': { name: '', data: '{}', exception: 'throttlingException' },
    'an error event that is no JSON': event('error', 'upstream closed'),
    'an error that was cut off': data('{"error": {"mess'),
    'a typed error that was cut off': data(' {  "type" : "error", "err'),
    'a typed error of Python that was cut off': data("{'type' :  'error"),
    'an error in words': data('[ERROR] too busy'),
    'an error that is no JSON': data('{error: busy'),
    'a typed error that is no JSON': data('{type: "error"'),
    'Z.ai: an end that is an error': data({ choices: [{ finish_reason: 'network_error', delta: {} }] }),
  },
};

/** These are content too, because nothing is known of them. */
const UNKNOWN: Readonly<Record<string, StreamEvent>> = {
  'Bedrock: a block that is no JSON': event('contentBlockStart', 'no JSON'),
  'Bedrock: bytes that are none': event('chunk', { bytes: '%' }),
  'an unknown name': event('thread.created', { id: 'x' }),
  'no JSON': data('hello'),
  'an error of JSON-RPC, which is an answer': event('message', {
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32601, message: 'x' },
  }),
  'a number': data('7'),
  ...each(
    ['my_ping', 'pings', 'a content_block_delta', 'content_block_delta!', 'the message_stop', 'message_stops'],
    (name) => [`another name: ${name}`, event(name, {})],
  ),
  // What others have made of these shapes: a word of theirs is no preamble, although it is unknown here.
  ...each(['token', 'content', 'text', 'chunk', 'delta'], (name) => [
    `not Ollama: ${name}, and done`,
    data({ [name]: 'w', done: false }),
  ]),
  'Ollama: progress': data({ completed: 1, total: 9, done: false }),
  'MiniMax: messages': data({ choices: [{ messages: [{ sender_type: 'BOT', text: 'w' }] }] }),
  'a choice with its content': data({ choices: [{ index: 0, content: 'w' }] }),
  'a delta that is a text': data({ choices: [{ index: 0, delta: 'w' }] }),
  'not Gemini: a text beside its usage': data({ text: 'w', usageMetadata: {} }),
  ...each(['my_text', 'texts', 'my_index'], (name) => [
    `a choice with \`${name}\`, which is no member of OpenAI's`,
    data({ choices: [{ [name]: 'w' }] }),
  ]),
  ...each(['my_nonce', 'candidates2'], (name) => [
    `a chunk with \`${name}\`, which is no member of Gemini's`,
    data({ usageMetadata: {}, [name]: 'w' }),
  ]),
  'an end of something else': data({ type: 'my-stream-end' }),
  'an ending of something else': data({ type: 'stream-ending' }),
  'an object without a member': data({}),
  'a text that quotes an error': data('It said {"error": {"mess'),
  'a word before an error': data('x{"error": {"mess'),
  'another text that was cut off': data('{"text": "error'),
};

describe.each([...Object.entries(EVENTS), ['content', UNKNOWN] as const])('an event that is %s', (kind, events) => {
  test.each(Object.entries(events))('is told from what comes before and after it: %s', (_what, input) => {
    expect(readEvent(input).kind).toBe(kind);
  });
});

describe('isInBandError', () => {
  test.each<[value: unknown, expected: boolean]>([
    [{ type: 'error' }, true],
    [{ type: 'response.failed' }, true],
    [{ type: 'response.error' }, true],
    [{ object: 'error', message: 'm' }, true],
    [{ object: 'response', status: 'failed' }, true],
    [{ status: 'failed' }, true],
    [{ error: {} }, true],
    [{ error: 'x' }, true],
    [{ object: 'chat.completion', error: {} }, true],
    [{ object: 'text_completion', error: {} }, true],
    [{ object: 'list', error: {} }, true],
    // What some relays send with every success.
    [{ choices: [{ index: 0 }], error: { message: '', type: '', param: '', code: null } }, false],
    [{ choices: [{ index: 0 }], error: {} }, false],
    [{ choices: [{ index: 0 }], error: { message: 'm' } }, true],
    [{ choices: [{ index: 0 }], error: 'm' }, true],
    [{ choices: [], error: { message: '' } }, true],
    // Reports of errors.
    [{ id: 'b', custom_id: 'c', response: null, error: { code: 'batch_expired' } }, false],
    [{ level: 'error', msg: 'The job failed', error: 'boom' }, false],
    [{ name: 'operations/abc', done: true, error: { code: 3, message: 'm' } }, false],
    [{ name: 'operations/abc', error: { code: 3, message: 'm' } }, true],
    [{ done: true, error: 'm' }, true],
    [{ choices: [{}, { finish_reason: 'error' }] }, true],
    [{ choices: [{ finish_reason: 'network_error' }] }, true],
    [{ choices: [{ finish_reason: 'errors' }] }, false],
    [{ choices: [{ finish_reason: 'no error' }] }, false],
    [{ base_resp: { status_code: 1002 } }, true],
    [{ base_resp: { status_code: 0 } }, false],
    [{ base_resp: {} }, false],
    [{ error_code: 336_100, error_msg: 'busy' }, true],
    [{ error_code: 336_100 }, false],
    [{ error_code: 0, error_msg: 'ok' }, false],
    [{ error_msg: 'none' }, false],
    [{ choices: null, error_type: 'context_length_exceeded', error_message: 'too long' }, true],
    [{ choices: [], error_type: null, error_message: '' }, false],
    [{ Response: { Error: { Code: 'LimitExceeded' } } }, true],
    [{ Response: { Choices: [] } }, false],
    [{ Answer: { Error: {} } }, false],
    [{ choices: [{}, { error: {} }] }, true],
    [[{}, { error: {} }], true],
    [{ type: 'message' }, false],
    [{ type: 'errors' }, false],
    [{ type: 'an error' }, false],
    [{ status: 'completed' }, false],
    [{ error: '' }, false],
    [{ error: null }, false],
    [{ choices: [{ finish_reason: 'stop', error: null }] }, false],
    [{ object: 'batch', status: 'failed' }, false],
    [{ object: 'fine_tuning.job', error: {} }, false],
    [{ object: 'the response', error: {} }, false],
    [{ jsonrpc: '2.0', error: {} }, false],
    [[{}], false],
    ['error', false],
    [null, false],
  ])('says of %j: %s', (value, expected) => {
    expect(isInBandError(value)).toBe(expected);
  });
});

describe('findStreamError', () => {
  test('finds an error after content, and reports that', () => {
    const body = sse(['', chunk({ content: 'x' })], ['', { error: { message: 'y' } }]);
    expect(findStreamError(body, 'text')).toMatchObject({
      isAfterContent: true,
      error: { value: { error: { message: 'y' } } },
    });
  });

  test('finds the first error, and reports whether anything but preamble came before', () => {
    const [first, second] = [{ error: { message: 'first' } }, { error: { message: 'second' } }];
    for (const body of [sse(['', first], ['', second]), sse(['ping', {}], ['', first], ['', second])]) {
      expect(findStreamError(body, 'text')).toMatchObject({ isAfterContent: false, error: { value: first } });
    }
  });

  test('finds an error whose last line was cut', () => {
    expect(findStreamError('event: error\ndata: {"error":{}}', 'text')).toMatchObject({
      error: { value: { error: {} } },
    });
  });

  test('finds none in a stream without an error, cut or whole', () => {
    const body = sse(['', chunk({ content: 'x' })], ['', '[DONE]']);
    for (let at = 0; at <= body.length; at += 1) expect(findStreamError(body.slice(0, at), 'text')).toBeNull();
  });

  test.each([
    '{"error": {"message": "upstream sent',
    "{'error': {'message': 'Overloaded', 'type': 'overloaded_error'}}",
    '{"type":"error","error":{"type":"overloaded_error","mess',
    '[ERROR] upstream failed',
  ])('a first line that begins as an error is one, even if it cannot be parsed: %s', (line) => {
    for (const body of [sse(['', line]), sse(['ping', {}], ['', line])]) {
      expect(findStreamError(body, 'text')).toMatchObject({ isAfterContent: false, error: { text: line } });
    }
  });

  test.each([
    [{ event_type: 'stream-end', finish_reason: 'ERROR', response: {} }, 'error'],
    [{ event_type: 'stream-start', generation_id: 'g' }, 'preamble'],
    [{ event_type: 'stream-end', finish_reason: 'COMPLETE' }, 'end'],
    [{ type: 'message-end', delta: { finish_reason: 'MAX_TOKENS' } }, 'end'],
    [{ type: 'tool-plan-delta', delta: { message: { tool_plan: 'I' } } }, 'content'],
  ])('Cohere: %j is %s', (value, kind) => {
    expect(readEvent(event('', value)).kind).toBe(kind);
  });

  test('finds an exception after content in frames', () => {
    const bytes = concat([
      eventFrame('contentBlockDelta', { delta: { text: 'x' } }),
      exceptionFrame('throttlingException', 'Slow'),
    ]);
    expect(findStreamError(bytes, 'frames')).toMatchObject({
      isAfterContent: true,
      error: { exception: 'throttlingException' },
    });
  });
});
