import { describe, expect, test } from 'vitest';
import { AnthropicLLM, type CompletionRequest, type LLMOptions, type Message } from '../../src/llm/index.ts';
import { fakeRuntime, script, thrownBy } from '../script.ts';
import {
  anthropicHello,
  anthropicHelloParts,
  anthropicMessage,
  anthropicText,
  ask,
  collect,
  jsonOf,
  readSent,
  sse,
  streamed,
  streamOf,
  wholeAnswer,
} from './answers.ts';

function anthropic(response: Response = jsonOf(anthropicMessage), options: LLMOptions = { apiKey: 'my-key' }) {
  const fetch = script(fakeRuntime(), response);
  const llm = new AnthropicLLM({ fetch, ...options });
  const sent = () => readSent(fetch.calls[0]);
  return { llm, sent };
}

async function bodyOf(request: Partial<CompletionRequest>): Promise<unknown> {
  const { llm, sent } = anthropic();
  await llm.generateCompletion({ ...ask, ...request });
  return sent().body;
}

const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });

describe('the request', () => {
  test('goes to the Messages API with the key', async () => {
    const { llm, sent } = anthropic();
    await llm.generateCompletion(ask);
    expect(sent()).toEqual({
      url: 'https://api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'my-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: { model: 'a-model', max_tokens: 4_096, messages: [{ role: 'user', content: 'Hello' }] },
    });
  });

  test.each([
    ['https://proxy.example.com', 'https://proxy.example.com/v1/messages'],
    ['https://proxy.example.com/a/', 'https://proxy.example.com/a/v1/messages'],
    ['https://proxy.example.com/v1', 'https://proxy.example.com/v1/messages'],
    ['https://proxy.example.com/v1/?team=a', 'https://proxy.example.com/v1/messages?team=a'],
    ['https://v1.example.com/v12', 'https://v1.example.com/v12/v1/messages'],
  ])('under %s goes to %s', async (baseURL, url) => {
    const { llm, sent } = anthropic(jsonOf(anthropicMessage), { baseURL });
    await llm.generateCompletion(ask);
    expect(sent()).toMatchObject({ url });
    expect(sent().headers).not.toHaveProperty('x-api-key');
  });

  test('has the requested options, with the system prompt as a member', async () => {
    const messages: readonly Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Be kind.' },
    ];
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }];
    expect(await bodyOf({ messages, tools, maxTokens: 64, temperature: 0, extra: { top_k: 5 } })).toEqual({
      model: 'a-model',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Hello' }],
      system: 'Be brief.\n\nBe kind.',
      temperature: 0,
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
      top_k: 5,
    });
    expect(await bodyOf({ tools: [] })).not.toHaveProperty('tools');
  });

  test('has calls as blocks, and the results of parallel calls in one message', async () => {
    const messages: readonly Message[] = [
      {
        role: 'assistant',
        content: 'Wait.',
        toolCalls: [
          { id: 'a', name: 'look', arguments: '{"x":1}' },
          { id: 'b', name: 'see', arguments: '' },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: 'one' },
      { role: 'tool', toolCallId: 'b', content: 'two' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'c', name: 'look', arguments: '{"x":' },
          { id: 'd', name: 'look', arguments: '[1]' },
        ],
      },
      { role: 'tool', toolCallId: 'c', content: 'three' },
      { role: 'assistant', content: 'Done.' },
    ];
    expect(await bodyOf({ messages })).toMatchObject({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Wait.' }, use('a', 'look', { x: 1 }), use('b', 'see', {})],
        },
        { role: 'user', content: [result('a', 'one'), result('b', 'two')] },
        {
          role: 'assistant',
          content: [use('c', 'look', { unparsed: '{"x":' }), use('d', 'look', { unparsed: '[1]' })],
        },
        { role: 'user', content: [result('c', 'three')] },
        { role: 'assistant', content: 'Done.' },
      ],
    });
  });
});

describe('the answer', () => {
  test('is read completely', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'abc' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'see' },
    ];
    const { llm } = anthropic(jsonOf({ ...anthropicMessage, content, stop_reason: 'tool_use' }));
    expect(await llm.generateCompletion(ask)).toEqual(wholeAnswer);
  });

  test('without a stop reason has stopped', async () => {
    const { llm } = anthropic(jsonOf({ content: [] }));
    expect(await llm.generateCompletion(ask)).toEqual({
      text: '',
      reasoning: '',
      toolCalls: [],
      usage: undefined,
      finishReason: 'stop',
    });
  });

  test('without content is missing', async () => {
    const { llm } = anthropic(jsonOf({ choices: [] }));
    expect(await thrownBy(llm.generateCompletion(ask))).toMatchObject({
      name: 'LLMError',
      failure: { type: 'unknown' },
    });
  });

  test('is streamed if requested', async () => {
    const { llm, sent } = anthropic(streamed(...anthropicHello));
    expect(await collect(llm.streamCompletion(ask))).toEqual(anthropicHelloParts);
    expect(sent().body).toMatchObject({ stream: true });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool-calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content-filter'],
    ['pause_turn', 'pause_turn'],
    ['constructor', 'constructor'],
    [null, 'stop'],
  ])('with the stop reason %s has the finish reason %s', async (reason, finishReason) => {
    const { llm } = anthropic(jsonOf({ ...anthropicMessage, stop_reason: reason }));
    expect(await llm.generateCompletion(ask)).toMatchObject({ finishReason });
  });

  test.each([
    [
      { input_tokens: 9, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 4 },
      { inputTokens: 129, outputTokens: 4 },
    ],
    [{ output_tokens: 4 }, { inputTokens: 0, outputTokens: 4 }],
    [
      { input_tokens: 9, cache_read_input_tokens: 'all' },
      { inputTokens: 9, outputTokens: 0 },
    ],
    [{}, undefined],
  ])('with %j has the usage %j', async (given, usage) => {
    const { llm } = anthropic(jsonOf({ ...anthropicMessage, usage: given }));
    expect((await llm.generateCompletion(ask)).usage).toEqual(usage);
  });
});

describe('a stream', () => {
  type Event = Readonly<Record<string, unknown>>;
  const start = (index: number, block: Event): Event => ({ type: 'content_block_start', index, content_block: block });
  const delta = (index: number, change: Event): Event => ({ type: 'content_block_delta', index, delta: change });
  const stop = (index: number): Event => ({ type: 'content_block_stop', index });
  const json = (index: number, text: string): Event => delta(index, { type: 'input_json_delta', partial_json: text });
  const over = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }] as const;
  const end = { type: 'end', finishReason: 'tool-calls' };
  const call = (id: string, name: string, args: string) => ({
    type: 'tool-call',
    toolCall: { id, name, arguments: args },
  });
  const partsOf = (...events: readonly Event[]) => collect(anthropic(streamed(...events)).llm.streamCompletion(ask));

  test.each<readonly [string, readonly Event[], readonly object[]]>([
    [
      'thinking, whose signature is dropped',
      [
        start(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
        delta(0, { type: 'signature_delta', signature: 'abc' }),
        stop(0),
        start(1, { type: 'text', text: '' }),
        anthropicText('Hello'),
      ],
      [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Hello' },
      ],
    ],
    [
      'content in the start of a block',
      [start(0, { type: 'thinking', thinking: 'Hm' }), start(1, { type: 'text', text: 'Hel' }), anthropicText('lo')],
      [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ],
    ],
    [
      'tool calls, each when its block is complete',
      [
        start(1, { type: 'tool_use', id: 'a', name: 'look', input: {} }),
        json(1, ''),
        json(1, '{"x": "a'),
        json(1, 'b"}'),
        stop(1),
        start(2, { type: 'tool_use', id: 'b', name: 'see', input: {} }),
        stop(2),
      ],
      [call('a', 'look', '{"x": "ab"}'), call('b', 'see', '{}')],
    ],
    [
      'arguments in the start of a call',
      [start(0, { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } }), stop(0)],
      [call('a', 'look', '{"x":1}')],
    ],
    [
      'a tool that runs on the server, which no caller acts on',
      [
        start(0, { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }),
        json(0, '{"query":"x"}'),
        stop(0),
      ],
      [],
    ],
  ])('has %s', async (_what, events, parts) => {
    expect(await partsOf(...events, ...over)).toEqual([...parts, end]);
  });

  test.each<readonly [string, readonly Event[]]>([
    ['a tool call that was cut', [start(0, { type: 'tool_use', id: 'a', name: 'look' }), json(0, '{"x"')]],
    ['a tool of the server that was cut', [start(0, { type: 'server_tool_use', id: 'a', name: 'web_search' })]],
  ])('has an error after %s', async (_what, events) => {
    expect(await partsOf(...events)).toMatchObject([{ type: 'error', error: { isPartial: true } }]);
  });

  test.each<readonly [string, readonly Event[]]>([
    ['a message that begins', [anthropicHello[0]]],
    ['an empty block and pings', anthropicHello.slice(0, 3)],
    ['an unknown event', [{ type: 'news', index: 0 }]],
  ])('has no content in %s', async (_what, events) => {
    expect(await thrownBy(partsOf(...events))).toMatchObject({ isPartial: false });
  });

  test('may name an event besides its data', async () => {
    const named = 'event: content_block_delta\ndata: {"index":0,"delta":{"text":"Hello"}}\n\n';
    const { llm } = anthropic(streamOf(`${named}${sse(...over)}`));
    expect(await collect(llm.streamCompletion(ask))).toEqual([{ type: 'text', text: 'Hello' }, end]);
  });
});
