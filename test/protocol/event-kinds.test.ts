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
const delta = (fields: object, more: object = {}): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: fields, finish_reason: null, ...more }],
});

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

describe('readEvent', () => {
  test.each<[what: string, event: StreamEvent, kind: EventKind]>([
    ['Anthropic: message_start', event('message_start', { type: 'message_start' }), 'preamble'],
    ['Anthropic: ping', event('ping', { type: 'ping' }), 'ping'],
    [
      'Anthropic: an empty text block',
      event('content_block_start', {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'text', text: '' },
      }),
      'preamble',
    ],
    [
      'Anthropic: an empty thinking block',
      event('content_block_start', {
        type: 'content_block_start',
        content_block: { type: 'thinking', thinking: '', signature: '' },
      }),
      'preamble',
    ],
    [
      'Anthropic: a text block with text',
      event('content_block_start', { type: 'content_block_start', content_block: { type: 'text', text: 'Hi' } }),
      'content',
    ],
    [
      'Anthropic: a block that hides what was thought',
      event('', { type: 'content_block_start', content_block: { type: 'redacted_thinking', data: '' } }),
      'thinking',
    ],
    [
      'Anthropic: an empty block of an unknown kind',
      event('', { type: 'content_block_start', content_block: { type: 'text_document', text: '' } }),
      'content',
    ],
    [
      'Anthropic: a tool',
      event('content_block_start', {
        type: 'content_block_start',
        content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
      }),
      'content',
    ],
    [
      'Anthropic: a tool of the server',
      event('content_block_start', {
        type: 'content_block_start',
        content_block: { type: 'server_tool_use', input: {} },
      }),
      'content',
    ],
    [
      'Anthropic: a delta',
      event('content_block_delta', { type: 'content_block_delta', delta: { type: 'text_delta', text: 'x' } }),
      'content',
    ],
    [
      'Anthropic: the end of a message',
      event('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      'end',
    ],
    [
      'Anthropic: a count of tokens before the end',
      event('message_delta', { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 1 } }),
      'content',
    ],
    ['Responses: the end of a realtime answer', event('response.done', { type: 'response.done', response: {} }), 'end'],
    [
      'OpenAI Chat: a finish reason in camel case',
      event('', { choices: [{ delta: {}, finishReason: 'stop' }] }),
      'end',
    ],
    ['OpenAI Chat: the end of a spoken answer', event('', delta({ audio: { id: 'a', expires_at: 1 } })), 'end'],
    ['OpenAI Chat: a part of a spoken answer', event('', delta({ audio: { id: 'a', data: 'x' } })), 'content'],
    ['Anthropic: message_stop', event('message_stop', { type: 'message_stop' }), 'end'],
    ['Anthropic: an error', event('error', { type: 'error', error: { type: 'overloaded_error' } }), 'error'],
    ['Anthropic: without event lines', event('', { type: 'message_start', message: {} }), 'preamble'],
    ['Chat: a role', event('', delta({ role: 'assistant', content: '' })), 'preamble'],
    [
      'Chat: a role and nulls',
      event('', delta({ role: 'assistant', content: null, refusal: null, tool_calls: [] })),
      'preamble',
    ],
    ['Chat: usage only', event('', { choices: [], usage: { total_tokens: 3 } }), 'preamble'],
    ['Chat: prompt filters (Azure)', event('', { choices: [], prompt_filter_results: [{}] }), 'preamble'],
    ['Chat: text', event('', delta({ content: 'Hi' })), 'content'],
    ['Chat: white space', event('', delta({ content: ' ' })), 'content'],
    ['Chat: reasoning', event('', delta({ content: '', reasoning: 'Hm' })), 'thinking'],
    ['Chat: reasoning_content', event('', delta({ reasoning_content: 'Hm' })), 'thinking'],
    [
      'Chat: a list of thoughts',
      event('', delta({ content: [{ type: 'thinking' }, { type: 'thinking' }] })),
      'thinking',
    ],
    ['Chat: a thought and a text', event('', delta({ content: [{ type: 'thinking' }, { type: 'text' }] })), 'content'],
    ['Chat: another list of thoughts', event('', delta({ notes: [{ type: 'thinking' }] })), 'content'],
    ['Chat: a member that ends in reasoning', event('', delta({ with_reasoning: 'x' })), 'content'],
    ['Chat: a refusal', event('', delta({ refusal: 'No' })), 'content'],
    ['Chat: a tool call', event('', delta({ tool_calls: [{ index: 0, id: 'c' }] })), 'content'],
    ['Chat: a function call', event('', delta({ function_call: { name: 'f' } })), 'content'],
    ['Chat: audio', event('', delta({ audio: { id: 'a' } })), 'content'],
    ['Chat: a number', event('', delta({ score: 5 })), 'content'],
    ['Chat: a finish', event('', delta({}, { finish_reason: 'stop' })), 'end'],
    ['Chat: [DONE]', event('', '[DONE]'), 'end'],
    ['Chat: [DONE] with space', event('', ' [DONE] '), 'end'],
    ['Chat: a whole message', event('', { choices: [{ message: { content: 'x' } }] }), 'content'],
    ['Completions: text', event('', { object: 'text_completion', choices: [{ text: 'x' }] }), 'content'],
    ['Completions: no text yet', event('', { object: 'text_completion', choices: [{ text: '' }] }), 'preamble'],
    ['Chat: an error', event('', { error: { message: 'x' } }), 'error'],
    [
      'OpenRouter: an error beside choices',
      event('', { error: { code: 502 }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] }),
      'error',
    ],
    [
      'OpenRouter: a choice that ends in error',
      event('', { choices: [{ delta: { content: '' }, finish_reason: 'error' }] }),
      'error',
    ],
    ['OpenRouter: an echo for debugging', event('', { choices: [], debug: { echo_upstream_body: {} } }), 'preamble'],
    ['Responses: created', event('response.created', '{"type":"response.created"}'), 'preamble'],
    ['Responses: queued', event('', { type: 'response.queued' }), 'preamble'],
    ['Responses: in progress', event('response.in_progress', 'not even JSON'), 'preamble'],
    ['Responses: keepalive', event('keepalive', { type: 'keepalive' }), 'ping'],
    ['Responses: an item', event('response.output_item.added', {}), 'content'],
    [
      'Responses: an empty message',
      event('', { type: 'response.output_item.added', item: { type: 'message', content: [] } }),
      'thinking',
    ],
    [
      'Responses: an empty part',
      event('', { type: 'response.content_part.added', part: { type: 'output_text', text: '' } }),
      'thinking',
    ],
    [
      'Responses: a message with content',
      event('', { type: 'response.output_item.added', item: { type: 'message', content: [{}] } }),
      'content',
    ],
    [
      'Responses: a part with a text',
      event('', { type: 'response.content_part.added', part: { type: 'output_text', text: 'a' } }),
      'content',
    ],
    [
      'Responses: another kind of message',
      event('', { type: 'response.output_item.added', item: { type: 'message_list' } }),
      'content',
    ],
    [
      'Responses: a message that is complete',
      event('', { type: 'response.output_item.done', item: { type: 'message' } }),
      'content',
    ],
    ['Responses: a delta', event('', { type: 'response.output_text.delta', delta: 'x' }), 'content'],
    ['Responses: completed', event('response.completed', {}), 'end'],
    ['Responses: incomplete', event('response.incomplete', {}), 'end'],
    ['Responses: failed', event('response.failed', { type: 'response.failed' }), 'error'],
    ['Responses: failed without an event line', event('', { type: 'response.failed', response: {} }), 'error'],
    ['Responses: an error on top', event('', { type: 'error', code: 'x', message: 'y' }), 'error'],
    ['Gemini: usage alone', event('', { usageMetadata: {} }), 'preamble'],
    ['Gemini: a version alone', event('', { modelVersion: 'x' }), 'preamble'],
    ['Gemini: an error behind an answer in a list', event('', [{ candidates: [] }, { error: { code: 503 } }]), 'error'],
    ['Gemini: usage', event('', { usageMetadata: {}, modelVersion: 'x' }), 'preamble'],
    ['Gemini: an empty candidate', event('', { candidates: [{ content: { role: 'model' } }] }), 'preamble'],
    ['Gemini: parts', event('', { candidates: [{ content: { parts: [{ text: 'x' }] } }] }), 'content'],
    [
      'Gemini: parts in Cloud Code’s wrapping',
      event('', { response: { candidates: [{ content: { parts: [{ text: 'x' }] } }] } }),
      'content',
    ],
    ['Gemini: a finish', event('', { candidates: [{ finishReason: 'SAFETY' }] }), 'end'],
    [
      'Gemini: a function call that could not be read, and nothing else',
      event('', { candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }),
      'error',
    ],
    [
      'Gemini: a function call that could not be read, after a text',
      event('', { candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }),
      'end',
    ],
    [
      'Gemini: one of two candidates that ended in a function call that could not be read',
      event('', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }, { finishReason: 'STOP' }] }),
      'end',
    ],
    [
      'Gemini: a thought and a text',
      event('', { candidates: [{ content: { parts: [{ text: 'a', thought: true }, { text: 'b' }] } }] }),
      'content',
    ],
    [
      'Gemini: a thought and its signature',
      event('', { candidates: [{ content: { parts: [{ text: 'a', thought: true }, { text: '' }] } }] }),
      'thinking',
    ],
    [
      'Gemini: a finish without a reason',
      event('', { candidates: [{ finishReason: 'FINISH_REASON_UNSPECIFIED' }] }),
      'preamble',
    ],
    ['Gemini: a blocked prompt', event('', { promptFeedback: { blockReason: 'SAFETY' } }), 'end'],
    ['Gemini: an error', event('', { error: { code: 503, status: 'UNAVAILABLE' } }), 'error'],
    ['Gemini: an error in a list', event('', [{ error: { code: 503 } }]), 'error'],
    [
      'Ollama: nothing yet',
      event('', { model: 'm', message: { role: 'assistant', content: '' }, done: false }),
      'preamble',
    ],
    ['Ollama: a word', event('', { message: { content: 'x' }, done: false }), 'content'],
    ['Ollama: a thought', event('', { message: { content: '', thinking: 'x' }, done: false }), 'thinking'],
    ['Ollama: a tool', event('', { message: { content: '', tool_calls: [{}] }, done: false }), 'content'],
    ['Ollama: a picture', event('', { message: { content: '', images: ['x'] }, done: false }), 'content'],
    ['Ollama: generate, a thought', event('', { response: '', thinking: 'x', done: false }), 'thinking'],
    ['Ollama: generate', event('', { response: 'x', done: false }), 'content'],
    ['Ollama: generate, nothing yet', event('', { response: '', done: false }), 'preamble'],
    ['Ollama: done', event('', { done: true }), 'end'],
    ['Ollama: the reason alone', event('', { model: 'm', response: '', done_reason: 'stop' }), 'end'],
    ['Ollama: an error', event('', { error: 'unexpected EOF' }), 'error'],
    ['Bedrock: messageStart', event('messageStart', { role: 'assistant' }), 'preamble'],
    ['Bedrock: a tool', event('contentBlockStart', { start: { toolUse: { name: 'f' } } }), 'content'],
    ['Bedrock: a block of text', event('contentBlockStart', { contentBlockIndex: 0 }), 'preamble'],
    ['Bedrock: a block that is no JSON', event('contentBlockStart', 'no JSON'), 'unknown'],
    ['Bedrock: a delta', event('contentBlockDelta', { delta: { text: 'x' } }), 'content'],
    ['Bedrock: the end', event('messageStop', { stopReason: 'end_turn' }), 'end'],
    ['Bedrock: bytes that are none', event('chunk', { bytes: '%' }), 'unknown'],
    ['Bedrock: an exception', { name: '', data: '{}', exception: 'throttlingException' }, 'error'],
    ['an unknown name', event('thread.created', { id: 'x' }), 'unknown'],
    ['no JSON', event('', 'hello'), 'unknown'],
    ['an error event that is no JSON', event('error', 'upstream closed'), 'error'],
    [
      'an error of JSON-RPC, which is an answer',
      event('message', { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'x' } }),
      'unknown',
    ],
    ['a number', event('', '7'), 'unknown'],
    ...['my_ping', 'pings', 'a content_block_delta', 'content_block_delta!', 'the message_stop', 'message_stops'].map(
      (name): [string, StreamEvent, EventKind] => [`another name: ${name}`, event(name, {}), 'unknown'],
    ),
    ...['completed', 'incomplete', 'failed', 'error'].map((word): [string, StreamEvent, EventKind] => [
      `Responses: a name that only begins with ${word}`,
      event(`response.${word}_item`, {}),
      'content',
    ]),
    ['an error that is null', event('', { error: null, choices: [] }), 'preamble'],
    // What others have made of these shapes: a word of theirs is no preamble, although it is unknown here.
    ...['token', 'content', 'text', 'chunk', 'delta'].map((name): [string, StreamEvent, EventKind] => [
      `not Ollama: ${name}, and done`,
      event('', { [name]: 'w', done: false }),
      'unknown',
    ]),
    ['Ollama: progress', event('', { completed: 1, total: 9, done: false }), 'unknown'],
    ['MiniMax: messages', event('', { choices: [{ messages: [{ sender_type: 'BOT', text: 'w' }] }] }), 'unknown'],
    ['a choice with its content', event('', { choices: [{ index: 0, content: 'w' }] }), 'unknown'],
    ['a delta that is a text', event('', { choices: [{ index: 0, delta: 'w' }] }), 'unknown'],
    ['a choice that has nothing yet', event('', { choices: [{ index: 0, messages: [], delta: '' }] }), 'preamble'],
    [
      'Azure: what its filter found',
      event('', { choices: [{ index: 0, content_filter_offsets: { start: 1 }, finish_reason: null, logprobs: null }] }),
      'preamble',
    ],
    ['not Gemini: a text beside its usage', event('', { text: 'w', usageMetadata: {} }), 'unknown'],
    ['Gemini: content that is a text', event('', { candidates: [{ content: 'w' }] }), 'content'],
    [
      'Gemini: what it says of itself',
      event('', {
        candidates: [],
        usageMetadata: { totalTokenCount: 1 },
        modelVersion: 'm',
        modelStatus: { modelStage: 'STABLE' },
        responseId: 'r',
        createTime: '2026-01-01T00:00:00Z',
        nonce: 'n',
      }),
      'preamble',
    ],
    ['Vertex: the usage of Claude', event('vertex_event', { usage: { input_tokens: 1 } }), 'preamble'],
    ...['my_role', 'roles'].map((name): [string, StreamEvent, EventKind] => [
      `a delta with \`${name}\`, which is no role`,
      event('', { choices: [{ index: 0, delta: { [name]: 'w' } }] }),
      'content',
    ]),
    ...['my_text', 'texts', 'my_index'].map((name): [string, StreamEvent, EventKind] => [
      `a choice with \`${name}\`, which is no member of OpenAI's`,
      event('', { choices: [{ [name]: 'w' }] }),
      'unknown',
    ]),
    ...['my_nonce', 'candidates2'].map((name): [string, StreamEvent, EventKind] => [
      `a chunk with \`${name}\`, which is no member of Gemini's`,
      event('', { usageMetadata: {}, [name]: 'w' }),
      'unknown',
    ]),
    ...['mytype', 'types'].map((name): [string, StreamEvent, EventKind] => [
      `a block with \`${name}\`, which is no type`,
      event('', { type: 'content_block_start', content_block: { type: 'text', [name]: 'w' } }),
      'content',
    ]),
    ['a block without a type', event('', { type: 'content_block_start', content_block: { text: '' } }), 'preamble'],
    ['an end of something else', event('', { type: 'my-stream-end' }), 'unknown'],
    ['an ending of something else', event('', { type: 'stream-ending' }), 'unknown'],
    ['an object without a member', event('', {}), 'unknown'],
    ['an error that was cut off', event('', '{"error": {"mess'), 'error'],
    ['a typed error that was cut off', event('', ' {  "type" : "error", "err'), 'error'],
    ['a typed error of Python that was cut off', event('', "{'type' :  'error"), 'error'],
    ['an error in words', event('', '[ERROR] too busy'), 'error'],
    ['an error that is no JSON', event('', '{error: busy'), 'error'],
    ['a typed error that is no JSON', event('', '{type: "error"'), 'error'],
    ['a text that quotes an error', event('', 'It said {"error": {"mess'), 'unknown'],
    ['a word before an error', event('', 'x{"error": {"mess'), 'unknown'],
    ['another text that was cut off', event('', '{"text": "error'), 'unknown'],
    [
      'Gemini: a thought',
      event('', { candidates: [{ content: { parts: [{ text: 'x', thought: true }] } }] }),
      'thinking',
    ],
    ['Responses: a thought', event('response.reasoning_summary_text.delta', { delta: 'x' }), 'thinking'],
    [
      'Responses: a message that has no text yet',
      event('response.output_item.added', { item: { type: 'message', content: [] } }),
      'thinking',
    ],
    [
      'Responses: a call of a tool',
      event('response.output_item.added', { item: { type: 'function_call', name: 'f' } }),
      'content',
    ],
    [
      'Anthropic: a thought',
      event('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'x' } }),
      'thinking',
    ],
    [
      'Chat: a list of thoughts (Mistral)',
      event('', delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] }] })),
      'thinking',
    ],
    ['Chat: a thought beside text', event('', delta({ content: 'x', reasoning: 'y' })), 'content'],
    [
      'Chat: a finish of one of two choices',
      event('', {
        choices: [
          { index: 0, delta: {}, finish_reason: 'stop' },
          { index: 1, delta: {} },
        ],
      }),
      'content',
    ],
    ['an event without data', event('', ''), 'ping'],
    ['Z.ai: an end that is an error', event('', { choices: [{ finish_reason: 'network_error', delta: {} }] }), 'error'],
  ])('tells content from what comes before and after it: %s', (_what, input, kind) => {
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
    const body = sse(['', delta({ content: 'x' })], ['', { error: { message: 'y' } }]);
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
    const body = sse(['', delta({ content: 'x' })], ['', '[DONE]']);
    for (let at = 0; at <= body.length; at += 1) expect(findStreamError(body.slice(0, at), 'text')).toBeNull();
  });

  test.each([
    '{"error": {"message": "upstream sent',
    "{'error': {'message': 'Overloaded', 'type': 'overloaded_error'}}",
    '{"type":"error","error":{"type":"overloaded_error","mess',
    '[ERROR] upstream failed',
  ])('a first line that begins as an error is one, even if it cannot be parsed: %s', (data) => {
    for (const body of [sse(['', data]), sse(['ping', {}], ['', data])]) {
      expect(findStreamError(body, 'text')).toMatchObject({ isAfterContent: false, error: { text: data } });
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
