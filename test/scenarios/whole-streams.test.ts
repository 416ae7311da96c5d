/**
 * Whole streams in the shapes that providers, gateways and local servers document or have been seen to send, written by
 * hand. None is taken for a cut one, however it arrives; and of the cuts between two events that lose output, almost
 * all are noticed.
 */

import { describe, expect, test } from 'vitest';
import { createRetryFetch, TruncatedStreamError } from '../../src/index.ts';
import { sse } from '../classify/cases.ts';

type Json = Readonly<Record<string, unknown>>;
interface Shape {
  readonly name: string;
  readonly url: string;
  readonly type: string;
  /** One text for each event, the separator included. */
  readonly events: readonly string[];
  /** How many events at the end lose no output when they are missing. */
  readonly spare: number;
}

const SSE = 'text/event-stream; charset=utf-8';
const NDJSON = 'application/x-ndjson';
const data = (value: unknown): string => sse(['', value]);
const DONE = 'data: [DONE]\n\n';
const words = ['The ', 'keeping ', 'of ', 'mirrors', ': "error" ', 'and \n\ndata: [DONE]\n\n'];

function shape(name: string, url: string, spare: number, events: readonly string[], type = SSE): Shape {
  return { name, url: `https://api.example.com${url}`, type, events, spare };
}

// ── OpenAI Chat and its imitations ──────────────────────────────────────────────────────────────────────────────────

const choice = (delta: unknown, reason: string | null = null, index = 0): Json => ({
  index,
  delta,
  logprobs: null,
  finish_reason: reason,
});
const chunk = (choices: readonly unknown[], more: Json = {}): string =>
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more });
const says = (delta: unknown, index = 0): string => chunk([choice(delta, null, index)]);
const role = says({ role: 'assistant', content: '' });
const texts = words.map((content) => says({ content }));
const finish = (reason = 'stop', index = 0): string => chunk([choice({}, reason, index)]);
const usage = chunk([], { usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 } });
const tool = (args: string, head: Json = {}): string =>
  says({ tool_calls: [{ index: 0, ...head, function: { arguments: args } }] });
const tools = [tool('', { id: 't', type: 'function' }), tool('{"city":'), tool('"Zürich"}')];
const chat = (name: string, spare: number, ...events: readonly string[]): Shape =>
  shape(name, '/v1/chat/completions', spare, events);

const chats = [
  chat('a text', 2, role, ...texts, finish(), DONE),
  chat('with counts of tokens', 3, role, ...texts, finish(), usage, DONE),
  chat('without [DONE]', 1, role, ...texts, finish()),
  chat('without a finish reason', 1, role, ...texts, DONE),
  chat('that ends at its limit', 2, role, ...texts, finish('length'), DONE),
  chat('with a finish reason beside the last text', 1, ...texts, chunk([choice({ content: '.' }, 'stop')]), DONE),
  chat('of a tool call', 2, role, ...tools, finish('tool_calls'), DONE),
  chat('of a text and a tool call', 2, role, ...texts, ...tools, finish('tool_calls'), DONE),
  chat('of a refusal', 2, role, says({ refusal: 'I can' }), says({ refusal: 'not.' }), finish(), DONE),
  chat('that thinks first', 2, says({ reasoning_content: 'Hm' }), says({ reasoning: 'Hm' }), ...texts, finish(), DONE),
  chat(
    'of two choices',
    2,
    role,
    says({ role: 'assistant' }, 1),
    says({ content: 'a' }),
    says({ content: 'b' }, 1),
    finish('stop', 1),
    says({ content: 'c' }),
    finish(),
    DONE,
  ),
  chat(
    'of two choices, one after the other',
    2,
    says({ content: 'a' }),
    finish(),
    says({ content: 'b' }, 1),
    finish('stop', 1),
    DONE,
  ),
  chat(
    'of Azure',
    3,
    data({ choices: [], object: '', model: '', prompt_filter_results: [{ prompt_index: 0 }] }),
    role,
    ...texts,
    finish(),
    chunk([{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 }, content_filter_results: {} }]),
    DONE,
  ),
  chat('with an empty error in a chunk', 2, role, chunk([choice({ content: 'a' })], { error: null }), finish(), DONE),
  chat(
    'of Mistral, with parts',
    2,
    says({ role: 'assistant', content: '' }),
    says({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
    ...texts,
    finish(),
    DONE,
  ),
  chat(
    'of Perplexity, with the whole text in each chunk',
    1,
    ...words.map((content, at) =>
      chunk([{ ...choice({ content }), message: { content: words.slice(0, at + 1).join('') } }]),
    ),
    chunk([{ ...choice({ content: '' }, 'stop'), message: { content: words.join('') } }]),
  ),
  chat(
    'with a camelCase finish reason',
    1,
    ...words.map((content) => data({ choices: [{ index: 0, delta: { content }, finishReason: null }] })),
    data({ choices: [{ index: 0, delta: {}, finishReason: 'stop' }] }),
  ),
  chat(
    'that speaks',
    2,
    says({ role: 'assistant', audio: { id: 'a' } }),
    says({ audio: { data: 'UklG' } }),
    says({ audio: { data: 'RiQA' } }),
    says({ audio: { id: 'a', expires_at: 1_764_000_000 } }),
    DONE,
  ),
  chat(
    'with CR LF and keep-alive comments',
    4,
    ...[role, ...texts, finish(), DONE].flatMap((event) => [event.replaceAll('\n', '\r\n'), ': keep-alive\r\n\r\n']),
  ),
  chat('without blank lines', 2, ...[role, ...texts, finish(), DONE].map((event) => event.replace('\n\n', '\n'))),
  chat(
    'without a space after data',
    2,
    ...[role, ...texts, finish(), DONE].map((event) => event.replace('data: ', 'data:')),
  ),
  chat('as lines of JSON', 1, ...[role, ...texts, finish()].map((event) => event.slice(6).replace('\n\n', '\n'))),
  shape('of completions', '/v1/completions', 2, [
    ...words.map((text) => data({ object: 'text_completion', choices: [{ index: 0, text, finish_reason: null }] })),
    data({ object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: 'stop' }] }),
    DONE,
  ]),
];

// ── Anthropic ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Typed = Json & { readonly type: string };
const named = (...events: readonly Typed[]): readonly string[] => events.map((event) => sse([event.type, event]));
const started: Typed = {
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: null },
};
const block = (index: number, content_block: Json, ...deltas: readonly Json[]): readonly Typed[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const prose = (index: number): readonly Typed[] =>
  block(index, { type: 'text', text: '' }, ...words.map((text) => ({ type: 'text_delta', text })));
const stopped = (reason: string | null): readonly Typed[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const thought = block(
  0,
  { type: 'thinking', thinking: '' },
  { type: 'thinking_delta', thinking: 'Hm' },
  { type: 'signature_delta', signature: 'x' },
);
const used = (index: number): readonly Typed[] =>
  block(
    index,
    { type: 'tool_use', id: 't', name: 'f', input: {} },
    { type: 'input_json_delta', partial_json: '{"a":' },
    { type: 'input_json_delta', partial_json: '1}' },
  );
const messages = (name: string, spare: number, ...events: readonly Typed[]): Shape =>
  shape(name, '/v1/messages', spare, named(...events));

const anthropics = [
  messages('a text', 3, started, { type: 'ping' }, ...prose(0), ...stopped('end_turn')),
  messages('that ends at its limit', 3, started, ...prose(0), ...stopped('max_tokens')),
  messages('that thinks', 3, started, ...thought, ...prose(1), ...stopped('end_turn')),
  messages('of a tool', 3, started, ...prose(0), ...used(1), ...stopped('tool_use')),
  messages('of two tools', 3, started, ...used(0), ...used(1), ...stopped('tool_use')),
  messages(
    'of a tool of the server',
    3,
    started,
    ...block(
      0,
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '{}' },
    ),
    ...block(1, { type: 'web_search_tool_result', content: [{ type: 'web_search_result' }] }),
    ...prose(2),
    ...stopped('end_turn'),
  ),
  messages(
    'with citations',
    3,
    started,
    ...block(
      0,
      { type: 'text', text: '', citations: [] },
      { type: 'citations_delta', citation: { cited_text: 'x' } },
      { type: 'text_delta', text: 'Hi' },
    ),
    ...stopped('end_turn'),
  ),
  messages('with pings', 5, started, ...prose(0).flatMap((event) => [event, { type: 'ping' }]), ...stopped('end_turn')),
  messages('of an imitation without message_stop', 2, started, ...prose(0), ...stopped('end_turn').slice(0, 1)),
  messages('of an imitation without a stop reason', 3, started, ...prose(0), ...stopped(null)),
  shape(
    'of Vertex',
    '/v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict',
    3,
    named({ type: 'vertex_event' }, started, ...prose(0), ...stopped('end_turn')),
  ),
];

// ── OpenAI Responses ────────────────────────────────────────────────────────────────────────────────────────────────

let sequence = 0;
const part = (type: string, more: Json = {}): Typed => ({
  type: `response.${type}`,
  sequence_number: (sequence += 1),
  ...more,
});
const about = (status: string): Json => ({ response: { id: 'resp_1', object: 'response', status, error: null } });
const opened = [part('created', about('in_progress')), part('in_progress', about('in_progress'))];
const item = (kind: Json): Json => ({ output_index: 0, item: { id: 'i', ...kind } });
const written = [
  part('output_item.added', item({ type: 'message', role: 'assistant', content: [] })),
  part('content_part.added', { part: { type: 'output_text', text: '' } }),
  ...words.map((delta) => part('output_text.delta', { item_id: 'i', delta })),
  part('output_text.done', { text: words.join('') }),
  part('output_item.done', item({ type: 'message', status: 'completed' })),
];
const called = [
  part('output_item.added', item({ type: 'function_call', name: 'f', arguments: '' })),
  part('function_call_arguments.delta', { delta: '{"a":' }),
  part('function_call_arguments.delta', { delta: '1}' }),
  part('function_call_arguments.done', { arguments: '{"a":1}' }),
];
const reasoned = [
  part('output_item.added', item({ type: 'reasoning', summary: [] })),
  part('reasoning_summary_text.delta', { delta: 'Hm' }),
];
const completed = part('completed', about('completed'));
const responses = (name: string, spare: number, ...events: readonly Typed[]): Shape =>
  shape(name, '/openai/v1/responses', spare, named(...events));

const responsesApi = [
  responses('a text', 3, ...opened, ...written, completed),
  responses('that thinks', 3, ...opened, ...reasoned, ...written, completed),
  responses('of a tool', 2, ...opened, ...called, completed),
  responses('that ends at its limit', 3, ...opened, ...written, part('incomplete', about('incomplete'))),
  responses('that was cancelled', 3, ...opened, ...written, part('cancelled', about('cancelled'))),
  responses('of an imitation that ends with response.done', 3, ...opened, ...written, part('done', about('completed'))),
  responses('with keepalive', 5, ...opened, ...written.flatMap((event) => [event, { type: 'keepalive' }]), completed),
  shape('without names of events', '/openai/v1/responses', 3, [...opened, ...written, completed].map(data)),
  shape('with [DONE]', '/openai/v1/responses', 4, [...named(...opened, ...written, completed), DONE]),
];

// ── Gemini ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const meta = { usageMetadata: { promptTokenCount: 1, totalTokenCount: 9 }, modelVersion: 'm' };
const candidate = (parts: readonly unknown[], reason?: string): string =>
  data({
    candidates: [
      { content: { parts, role: 'model' }, index: 0, ...(reason !== undefined && { finishReason: reason }) },
    ],
    ...meta,
  });
const spoken = words.map((text) => candidate([{ text }]));
const gemini = (name: string, spare: number, ...events: readonly string[]): Shape =>
  shape(name, '/v1beta/models/m:streamGenerateContent?alt=sse', spare, events);

const geminis = [
  gemini('a text', 1, ...spoken, candidate([{ text: '' }], 'STOP')),
  gemini('with the reason beside the last text', 0, ...spoken, candidate([{ text: '.' }], 'STOP')),
  gemini('that ends at its limit', 1, ...spoken, candidate([], 'MAX_TOKENS')),
  gemini('that a filter ends', 1, ...spoken, candidate([], 'SAFETY')),
  gemini('that thinks', 1, candidate([{ text: 'Hm', thought: true }]), ...spoken, candidate([], 'STOP')),
  gemini('of a function', 1, candidate([{ functionCall: { name: 'f', args: {} } }]), candidate([{ text: '' }], 'STOP')),
  gemini('with counts of tokens at the end', 2, ...spoken, candidate([], 'STOP'), data(meta)),
  gemini('of a prompt that is blocked', 0, data({ promptFeedback: { blockReason: 'SAFETY' }, ...meta })),
  gemini('with CR LF', 1, ...[...spoken, candidate([], 'STOP')].map((event) => event.replaceAll('\n', '\r\n'))),
  gemini('with a reason in every part', words.length, ...words.map((text) => candidate([{ text }], 'STOP'))),
  shape(
    'of Cloud Code',
    '/v1internal:streamGenerateContent?alt=sse',
    1,
    words
      .map((text) => data({ response: { candidates: [{ content: { parts: [{ text }] } }], ...meta } }))
      .concat(data({ response: { candidates: [{ finishReason: 'STOP' }], ...meta } })),
  ),
];

// ── others ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const ollama = (name: string, lines: readonly unknown[], url = ':11434/api/chat'): Shape => ({
  ...shape(name, '', 1, lines.map(line), NDJSON),
  url: `http://localhost${url}`,
});
const heard = words.map((content) => ({ model: 'm', message: { role: 'assistant', content }, done: false }));
const ended = { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };
const cohere = (name: string, events: readonly Typed[]): Shape => ({
  ...shape(name, '', 2, named(...events)),
  url: 'https://api.cohere.com/v2/chat',
});
const others = [
  ollama('a chat', [...heard, ended]),
  ollama('that thinks', [
    { model: 'm', message: { role: 'assistant', content: '', thinking: 'Hm' }, done: false },
    ...heard,
    ended,
  ]),
  ollama('of a tool', [
    { model: 'm', message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f' } }] }, done: false },
    ended,
  ]),
  ollama(
    'that generates',
    [...words.map((response) => ({ model: 'm', response, done: false })), { model: 'm', response: '', done: true }],
    ':11434/api/generate',
  ),
  ollama('of an imitation with a reason only', [
    ...heard,
    { model: 'm', message: { role: 'assistant', content: '' }, done_reason: 'stop' },
  ]),
  cohere('a chat', [
    { type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    ...words.map((text) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
  ]),
];

const protocols: readonly (readonly [name: string, shapes: readonly Shape[], leastNoticed: number])[] = [
  ['OpenAI Chat', chats, 0.98],
  ['Anthropic', anthropics, 0.98],
  ['OpenAI Responses', responsesApi, 0.98],
  ['Gemini', geminis, 0.94],
  ['Ollama and Cohere', others, 0.98],
];

/** What the reader of a body gets, which arrives in pieces of a size. */
async function read({ url, type }: Shape, body: string, size: number): Promise<unknown> {
  const bytes = new TextEncoder().encode(body);
  let at = 0;
  const pull = (controller: ReadableByteStreamController): void => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.slice(at, at + size));
    at += size;
  };
  const stream = new ReadableStream({ type: 'bytes', pull }, { highWaterMark: 0 });
  const fetch = createRetryFetch({
    maxRetries: 0,
    fetch: async () => new Response(stream, { headers: { 'content-type': type } }),
  });
  const response = await fetch(url, { method: 'POST', body: '{"model":"m","messages":[],"prompt":""}' });
  // A request that is not known to go to a model would pass unchecked.
  expect(Object.hasOwn(response, 'body')).toBe(true);
  return response.text().catch((error: unknown) => error);
}

describe.each(protocols)('an answer of %s is whole or an error:', (_name, shapes, leastNoticed) => {
  test.each(shapes.map((each) => [each.name, each] as const))(
    'a whole stream %s has its text',
    async (_shape, each) => {
      const body = each.events.join('');
      for (const size of [3, 64, 1_000, 100_000]) expect(await read(each, body, size)).toBe(body);
    },
  );

  test(`of the cuts between two events that lose output, ${leastNoticed * 100} % are noticed`, async () => {
    let noticed = 0;
    const missed: string[] = [];
    for (const each of shapes)
      for (let end = 1; end < each.events.length - each.spare; end += 1) {
        const got = await read(each, each.events.slice(0, end).join(''), 1_000);
        if (got instanceof TruncatedStreamError) noticed += 1;
        else missed.push(`${each.name}, after ${end} events`);
      }
    expect(noticed).toBeGreaterThan(25);
    expect([noticed / (noticed + missed.length) >= leastNoticed, missed]).toEqual([true, missed]);
  });
});
