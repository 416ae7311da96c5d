import { describe, expect, test } from 'vitest';
import { AnthropicTranslator } from '../../src/llm/anthropic-translator.ts';
import { anthropicHello, anthropicHelloParts, anthropicText } from './answers.ts';
import { translate } from './translations.ts';

const start = (index: number, block: Readonly<Record<string, unknown>>) => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, change: Readonly<Record<string, unknown>>) => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
const stop = (index: number) => ({ type: 'content_block_stop', index });
const json = (index: number, text: string) => delta(index, { type: 'input_json_delta', partial_json: text });
const over = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }] as const;

test('a message becomes its text, its usage and its end', () => {
  const { parts, last } = translate(new AnthropicTranslator(), anthropicHello);
  expect([...parts, ...(last ?? [])]).toEqual(anthropicHelloParts);
});

test('thinking becomes reasoning, and its signature is dropped', () => {
  const events = [
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'signature_delta', signature: 'abc' }),
    stop(0),
    start(1, { type: 'text', text: '' }),
    anthropicText('Hello'),
  ];
  expect(translate(new AnthropicTranslator(), events).parts).toEqual([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hello' },
  ]);
});

test('content in the start of a block is not lost', () => {
  const events = [
    start(0, { type: 'thinking', thinking: 'Hm' }),
    start(1, { type: 'text', text: 'Hel' }),
    anthropicText('lo'),
  ];
  expect(translate(new AnthropicTranslator(), events).parts).toEqual([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
  ]);
});

describe('a tool call', () => {
  test('is delivered when its block is complete, even next to another', () => {
    const events = [
      start(1, { type: 'tool_use', id: 'a', name: 'look', input: {} }),
      json(1, ''),
      json(1, '{"x": "a'),
      json(1, 'b"}'),
      stop(1),
      start(2, { type: 'tool_use', id: 'b', name: 'see', input: {} }),
      stop(2),
    ];
    const { parts, last } = translate(new AnthropicTranslator(), [...events, ...over]);
    expect(parts).toEqual([
      { type: 'tool-call', toolCall: { id: 'a', name: 'look', arguments: '{"x": "ab"}' } },
      { type: 'tool-call', toolCall: { id: 'b', name: 'see', arguments: '{}' } },
    ]);
    expect(last).toEqual([{ type: 'end', finishReason: 'tool-calls' }]);
  });

  test('has the arguments in its start, if no others follow', () => {
    const begun = start(0, { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } });
    expect(translate(new AnthropicTranslator(), [begun, stop(0)]).parts[0]).toMatchObject({
      toolCall: { arguments: '{"x":1}' },
    });
  });

  test('is not delivered if it is cut', () => {
    const events = [start(0, { type: 'tool_use', id: 'a', name: 'look' }), json(0, '{"x"')];
    const translator = new AnthropicTranslator();
    expect(translate(translator, events)).toEqual({ parts: [], last: null });
    expect(translator.hasContent).toBe(true);
  });

  test('that runs on the server is not delivered', () => {
    const search = start(0, { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} });
    const events = [search, json(0, '{"query":"x"}'), stop(0), ...over];
    const translator = new AnthropicTranslator();
    expect(translate(translator, events).parts).toEqual([]);
    expect(translator.hasContent).toBe(true);
  });
});

test.each([
  ['nothing', []],
  ['a message that begins', [anthropicHello[0]]],
  ['an empty block and pings', anthropicHello.slice(0, 3)],
  ['an unknown event', [{ type: 'news', index: 0 }]],
  ['what is no JSON', ['[DONE]']],
])('%s is not content', (_, events) => {
  const translator = new AnthropicTranslator();
  expect(translate(translator, events)).toEqual({ parts: [], last: null });
  expect(translator.hasContent).toBe(false);
});

test('a message without its last event was cut off', () => {
  expect(translate(new AnthropicTranslator(), anthropicHello.slice(0, -1)).last).toBeNull();
});

test('a message without a stop reason has stopped', () => {
  const events = [
    ...anthropicHello.slice(0, 4),
    { type: 'message_delta', delta: { stop_reason: null } },
    { type: 'message_stop' },
  ];
  expect(translate(new AnthropicTranslator(), events).last?.at(-1)).toEqual({ type: 'end', finishReason: 'stop' });
});

test('an event may have a name besides its data', () => {
  const translator = new AnthropicTranslator();
  const value = { index: 0, delta: { text: 'Hello' } };
  const parts = translator.translate({ name: 'content_block_delta', data: JSON.stringify(value), value });
  expect([...parts]).toEqual([{ type: 'text', text: 'Hello' }]);
});
