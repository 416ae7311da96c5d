import { expect, test } from 'vitest';
import {
  firstChoice,
  openAIFinishReason,
  openAIUsage,
  reasoningIn,
  textIn,
  toolCallPiecesIn,
} from '../../src/llm/openai-words.ts';

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['abort', 'abort'],
  ['constructor', 'constructor'],
  ['error', undefined],
  ['', undefined],
  [null, undefined],
])('finish reason %s is %s', (reason, expected) => {
  expect(openAIFinishReason({ finish_reason: reason })).toBe(expected);
});

test('of several choices the first counts, in any chunk', () => {
  expect(firstChoice({ choices: [{ index: 1 }, { index: 0, a: 1 }] })).toEqual({ index: 0, a: 1 });
  expect(firstChoice({ choices: [{ index: 1 }] })).toBeUndefined();
  expect(firstChoice({ choices: [{ a: 1 }] })).toEqual({ a: 1 });
  expect(firstChoice({ choices: [] })).toBeUndefined();
});

test.each([
  [{ usage: { prompt_tokens: 9, completion_tokens: 4 } }, { inputTokens: 9, outputTokens: 4 }],
  [{ usage: { prompt_tokens: 9 } }, { inputTokens: 9, outputTokens: 0 }],
  [{ usage: { completion_tokens: 4 } }, { inputTokens: 0, outputTokens: 4 }],
  [
    { usage: null, x_groq: { usage: { prompt_tokens: 9, completion_tokens: 4 } } },
    { inputTokens: 9, outputTokens: 4 },
  ],
  [{ usage: null }, undefined],
  [{}, undefined],
])('usage in %j is %j', (body, expected) => {
  expect(openAIUsage(body)).toEqual(expected);
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
  ['nothing', undefined, '', ''],
])('the words of a message are read from %s', (_, message, said, thought) => {
  expect([textIn(message), reasoningIn(message)]).toEqual([said, thought]);
});

test('pieces of tool calls, with members that some servers leave out', () => {
  const calls = [
    { index: 1, id: 'a', function: { name: 'look', arguments: '{"x"' } },
    { function: { arguments: ':1}' } },
    { id: 'b', function: { name: 'see', arguments: { y: 2 } } },
  ];
  expect(toolCallPiecesIn({ tool_calls: calls })).toEqual([
    { index: 1, id: 'a', name: 'look', arguments: '{"x"' },
    { index: undefined, id: '', name: '', arguments: ':1}' },
    { index: undefined, id: 'b', name: 'see', arguments: '{"y":2}' },
  ]);
  expect(toolCallPiecesIn({ content: 'Hello' })).toEqual([]);
});
