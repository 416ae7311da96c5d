import { expect, test } from 'vitest';
import { anthropicFinishReason, anthropicUsage } from '../../src/llm/anthropic-words.ts';

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
  ['pause_turn', 'pause_turn'],
  ['constructor', 'constructor'],
  [null, undefined],
  [undefined, undefined],
])('stop reason %s is %s', (reason, expected) => {
  expect(anthropicFinishReason(reason)).toBe(expected);
});

test.each([
  [{ input_tokens: 9, output_tokens: 4 }, undefined, { inputTokens: 9, outputTokens: 4 }],
  [
    { input_tokens: 9, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 4 },
    undefined,
    { inputTokens: 129, outputTokens: 4 },
  ],
  [{ output_tokens: 4 }, { inputTokens: 9, outputTokens: 1 }, { inputTokens: 9, outputTokens: 4 }],
  [{ output_tokens: 4 }, undefined, { inputTokens: 0, outputTokens: 4 }],
  [{ input_tokens: 9 }, undefined, { inputTokens: 9, outputTokens: 0 }],
  [{ input_tokens: 9, cache_read_input_tokens: null }, undefined, { inputTokens: 9, outputTokens: 0 }],
  [{ input_tokens: 9, cache_read_input_tokens: 'all' }, undefined, { inputTokens: 9, outputTokens: 0 }],
  [{}, { inputTokens: 9, outputTokens: 1 }, { inputTokens: 9, outputTokens: 1 }],
  [undefined, undefined, undefined],
])('usage %j after %j is %j', (usage, before, expected) => {
  expect(anthropicUsage(usage, before)).toEqual(expected);
});
