import { describe, expect, test } from 'vitest';
import { type CompletionRequest, type LLMOptions, type Message, OpenAILLM } from '../../src/llm/index.ts';
import { fakeRuntime, script, thrownBy } from '../script.ts';
import { ask, collect, jsonOf, openAIHello, piecewise, readSent, streamed, wholeAnswer } from './answers.ts';

const completionOf = (message: object, finishReason: string | null = 'stop') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: finishReason }],
  usage: { prompt_tokens: 9, completion_tokens: 4 },
});
const HELLO = completionOf({ role: 'assistant', content: 'Hello' });

function openAI(response: Response = jsonOf(HELLO), options: LLMOptions = { apiKey: 'my-key' }) {
  const fetch = script(fakeRuntime(), response);
  const llm = new OpenAILLM({ fetch, ...options });
  const sent = () => readSent(fetch.calls[0]);
  return { llm, sent };
}

async function bodyOf(request: Partial<CompletionRequest>, options: LLMOptions = {}): Promise<unknown> {
  const { llm, sent } = openAI(jsonOf(HELLO), options);
  await llm.generateCompletion({ ...ask, ...request });
  return sent().body;
}

describe('the request', () => {
  test('goes to the Chat Completions API with the key', async () => {
    const { llm, sent } = openAI();
    await llm.generateCompletion(ask);
    expect(sent()).toEqual({
      url: 'https://api.openai.com/v1/chat/completions',
      headers: { authorization: 'Bearer my-key', 'content-type': 'application/json' },
      body: { model: 'a-model', messages: [{ role: 'user', content: 'Hello' }] },
    });
  });

  test.each([
    ['http://localhost:11434/v1', 'http://localhost:11434/v1/chat/completions'],
    ['https://openrouter.ai/api/v1/', 'https://openrouter.ai/api/v1/chat/completions'],
    [
      'https://a.example.com/deployments/b?api-version=1',
      'https://a.example.com/deployments/b/chat/completions?api-version=1',
    ],
  ])('under %s goes to %s, without a key if there is none', async (baseURL, url) => {
    const { llm, sent } = openAI(jsonOf(HELLO), { baseURL });
    await llm.generateCompletion(ask);
    expect(sent()).toMatchObject({ url });
    expect(sent().headers).not.toHaveProperty('authorization');
  });

  test('has the requested options', async () => {
    const tools = [{ name: 'look', parameters: { type: 'object' } }];
    expect(await bodyOf({ tools, maxTokens: 64, temperature: 0, extra: { seed: 5, model: 'another' } })).toEqual({
      model: 'another',
      messages: [{ role: 'user', content: 'Hello' }],
      max_completion_tokens: 64,
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      seed: 5,
    });
    expect(await bodyOf({ tools: [] })).not.toHaveProperty('tools');
  });

  test.each([
    [undefined, 'max_completion_tokens'],
    ['https://eu.api.openai.com/v1', 'max_completion_tokens'],
    ['https://a.openai.azure.com/openai/v1/', 'max_completion_tokens'],
    ['https://api.mistral.ai/v1', 'max_tokens'],
    ['http://localhost:8000/v1', 'max_tokens'],
    ['https://proxy.example.com/api.openai.com/v1', 'max_tokens'],
  ])('to %s names the limit %s', async (baseURL, name) => {
    expect(await bodyOf({ maxTokens: 64 }, { baseURL })).toHaveProperty(name, 64);
  });

  test('has tool calls and their results', async () => {
    const messages: readonly Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', arguments: '{"x":' }] },
      { role: 'tool', toolCallId: 'a', content: 'No JSON.' },
      { role: 'assistant', content: 'Done.', toolCalls: [] },
    ];
    expect(await bodyOf({ messages })).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'No JSON.' },
        { role: 'assistant', content: 'Done.' },
      ],
    });
    expect(JSON.stringify(await bodyOf({ messages: messages.slice(3) }))).not.toContain('tool_calls');
  });

  test('may leave out members that a server refuses', async () => {
    const { llm, sent } = openAI(streamed(...openAIHello));
    await collect(llm.streamCompletion({ ...ask, extra: { stream_options: undefined } }));
    expect(sent().body).not.toHaveProperty('stream_options');
  });
});

describe('the answer', () => {
  test('is read completely', async () => {
    const toolCalls = [
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":1}' } },
      { id: 'b', type: 'function', function: { name: 'see', arguments: '' } },
    ];
    const message = { content: 'Hello', reasoning_content: 'Hm', tool_calls: toolCalls };
    const { llm } = openAI(jsonOf(completionOf(message, 'tool_calls')));
    expect(await llm.generateCompletion(ask)).toEqual(wholeAnswer);
  });

  test('may be cut at any byte', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(completionOf({ content: 'é…😀' })));
    const { llm } = openAI(piecewise([...bytes].map((byte) => Uint8Array.of(byte))).response());
    expect(await llm.generateCompletion(ask)).toMatchObject({ text: 'é…😀' });
  });

  test('without a finish reason has stopped', async () => {
    const { llm } = openAI(jsonOf(completionOf({ content: 'Hello' }, null)));
    expect(await llm.generateCompletion(ask)).toMatchObject({ finishReason: 'stop' });
  });

  test.each([
    ['no choices', { choices: [] }],
    ['a choice without a message', { choices: [{ index: 0, message: null }] }],
    ['another API’s words', { content: [] }],
  ])('with %s is missing', async (_, body) => {
    const { llm } = openAI(jsonOf(body));
    expect(await thrownBy(llm.generateCompletion(ask))).toMatchObject({
      name: 'LLMError',
      failure: { type: 'unknown' },
    });
  });

  test('is streamed with its usage if requested', async () => {
    const { llm, sent } = openAI(streamed(...openAIHello));
    expect((await collect(llm.streamCompletion(ask))).map(({ type }) => type)).toEqual([
      'text',
      'text',
      'usage',
      'end',
    ]);
    expect(sent().body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['content_filter', 'content-filter'],
    ['abort', 'abort'],
    ['constructor', 'constructor'],
    ['', 'stop'],
  ])('with the reason %j has the finish reason %s', async (reason, finishReason) => {
    const { llm } = openAI(jsonOf(completionOf({ content: 'Hello' }, reason)));
    expect(await llm.generateCompletion(ask)).toMatchObject({ finishReason });
  });

  test.each([
    ['content', { content: 'Hello' }, 'Hello', ''],
    ['no content', { content: null }, '', ''],
    ['a refusal', { content: null, refusal: 'I cannot.' }, 'I cannot.', ''],
    ['reasoning of DeepSeek', { content: '', reasoning_content: 'Hm' }, '', 'Hm'],
    ['reasoning of OpenRouter', { content: '', reasoning: 'Hm' }, '', 'Hm'],
    ['reasoning sent twice', { reasoning_content: 'Hm', reasoning: 'Hm' }, '', 'Hm'],
    ['reasoning beside an empty member', { reasoning_content: null, reasoning: 'Hm' }, '', 'Hm'],
    [
      'parts of Mistral',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
        ],
      },
      'Hello',
      'Hm',
    ],
  ])('has the words in %s', async (_, message, text, reasoning) => {
    expect(await openAI(jsonOf(completionOf(message))).llm.generateCompletion(ask)).toMatchObject({ text, reasoning });
  });

  test.each([
    [{ usage: { prompt_tokens: 9 } }, { inputTokens: 9, outputTokens: 0 }],
    [{ usage: { completion_tokens: 4 } }, { inputTokens: 0, outputTokens: 4 }],
    [
      { usage: null, x_groq: { usage: { prompt_tokens: 9, completion_tokens: 4 } } },
      { inputTokens: 9, outputTokens: 4 },
    ],
    [{ usage: null }, undefined],
  ])('with %j has the usage %j', async (given, usage) => {
    const { llm } = openAI(jsonOf({ ...HELLO, ...given }));
    expect((await llm.generateCompletion(ask)).usage).toEqual(usage);
  });

  test('is the first of several choices, in any chunk, with pieces of tool calls that leave out members', async () => {
    const calls = (...pieces: readonly object[]) => ({
      choices: [{ index: 1, delta: { content: 'another' } }, { delta: { tool_calls: pieces } }],
    });
    const { llm } = openAI(
      streamed(
        { choices: [{ index: 1, delta: { content: 'another' } }] },
        calls({ index: 1, id: 'a', function: { name: 'look', arguments: '{"x"' } }),
        calls({ function: { arguments: ':1}' } }, { id: 'b', function: { name: 'see', arguments: { y: 2 } } }),
        '[DONE]',
      ),
    );
    expect(await collect(llm.streamCompletion(ask))).toEqual([
      { type: 'tool-call', toolCall: { id: 'a', name: 'look', arguments: '{"x":1}' } },
      { type: 'tool-call', toolCall: { id: 'b', name: 'see', arguments: '{"y":2}' } },
      { type: 'end', finishReason: 'stop' },
    ]);
  });

  test('that is whole is told in the order of a streamed one', async () => {
    const toolCalls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }];
    const message = { content: 'Hello', reasoning: 'Hm', tool_calls: toolCalls };
    const { llm } = openAI(jsonOf(completionOf(message, 'tool_calls')));
    expect(await collect(llm.streamCompletion(ask))).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', toolCall: { id: 'a', name: 'look', arguments: '{}' } },
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } },
      { type: 'end', finishReason: 'tool-calls' },
    ]);
  });
});
