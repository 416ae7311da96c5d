import { expect, test } from 'vitest';
import { type Completion, partsOf } from '../../src/llm/completion.ts';

const toolCall = { id: 'c1', name: 'look', arguments: '{}' };

test('a whole answer has the order of a streamed one', () => {
  const completion: Completion = {
    text: 'Hello',
    reasoning: 'Hm',
    toolCalls: [toolCall],
    usage: { inputTokens: 1, outputTokens: 2 },
    finishReason: 'tool-calls',
  };
  expect([...partsOf(completion)]).toEqual([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hello' },
    { type: 'tool-call', toolCall },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
    { type: 'end', finishReason: 'tool-calls' },
  ]);
});

test('missing members become no part', () => {
  const completion: Completion = { text: '', reasoning: '', toolCalls: [], usage: undefined, finishReason: 'stop' };
  expect([...partsOf(completion)]).toEqual([{ type: 'end', finishReason: 'stop' }]);
});
