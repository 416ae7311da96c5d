import { describe, expect, test } from 'vitest';
import { type CompletionRequest, type LLMOptions, type Message, OpenAILLM } from '../../src/llm/index.ts';
import { fakeRuntime, script, thrownBy } from '../script.ts';
import { ask, collect, jsonOf, openAIHello, readSent, streamed } from './answers.ts';

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
    expect(await llm.generateCompletion(ask)).toEqual({
      text: 'Hello',
      reasoning: 'Hm',
      toolCalls: [
        { id: 'a', name: 'look', arguments: '{"x":1}' },
        { id: 'b', name: 'see', arguments: '{}' },
      ],
      usage: { inputTokens: 9, outputTokens: 4 },
      finishReason: 'tool-calls',
    });
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
});
