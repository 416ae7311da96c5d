import { describe, expect, test } from 'vitest';
import { OpenAITranslator } from '../../src/llm/openai-translator.ts';
import { openAIChunk, openAIHello, openAIUsageChunk } from './answers.ts';
import { translate } from './translations.ts';

const text = { type: 'text', text: 'Hel' };
const usage = { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } };
const end = { type: 'end', finishReason: 'stop' };

const call = (index: number | undefined, id: string | undefined, name: string | undefined, json: string) =>
  openAIChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: json } }] });

const counted = (tokens: number) => ({
  ...openAIChunk({ content: 'Hel' }),
  usage: { prompt_tokens: 9, completion_tokens: tokens },
});

test('a completion becomes its text, then the usage that comes after the finish reason, then the end', () => {
  const { parts, last } = translate(new OpenAITranslator(), openAIHello);
  expect([...parts, ...(last ?? [])]).toEqual([text, { type: 'text', text: 'lo' }, usage, end]);
});

test('usage in every chunk comes once, with its last number', () => {
  const { parts, last } = translate(new OpenAITranslator(), [
    counted(1),
    counted(4),
    openAIChunk({}, 'stop'),
    '[DONE]',
  ]);
  expect([...parts, ...(last ?? [])]).toEqual([text, text, usage, end]);
});

test('reasoning and text may come in one chunk', () => {
  const { parts } = translate(new OpenAITranslator(), [openAIChunk({ reasoning_content: 'Hm', content: 'Hel' })]);
  expect(parts).toEqual([{ type: 'reasoning', text: 'Hm' }, text]);
});

test('other choices than the first are left out', () => {
  const other = { choices: [{ index: 1, delta: { content: 'No' }, finish_reason: 'length' }] };
  const { parts, last } = translate(new OpenAITranslator(), [other, ...openAIHello]);
  expect(parts[0]).toEqual(text);
  expect(last?.at(-1)).toEqual(end);
});

describe('tool calls', () => {
  test('come in interleaved pieces, and are delivered complete at the end', () => {
    const events = [
      call(0, 'a', 'look', ''),
      call(0, undefined, undefined, '{"x"'),
      call(1, 'b', 'see', '{}'),
      call(0, undefined, undefined, ':1}'),
      openAIChunk({}, 'tool_calls'),
      openAIUsageChunk,
      '[DONE]',
    ];
    expect(translate(new OpenAITranslator(), events)).toEqual({
      parts: [],
      last: [
        { type: 'tool-call', toolCall: { id: 'a', name: 'look', arguments: '{"x":1}' } },
        { type: 'tool-call', toolCall: { id: 'b', name: 'see', arguments: '{}' } },
        usage,
        { type: 'end', finishReason: 'tool-calls' },
      ],
    });
  });

  test('are content before they are delivered, and are never delivered if they are cut', () => {
    const translator = new OpenAITranslator();
    expect(translate(translator, [call(0, 'a', 'look', '{"x"')])).toEqual({ parts: [], last: null });
    expect(translator.hasContent).toBe(true);
  });
});

describe('the end', () => {
  const [role, hel] = [openAIHello[0], openAIHello[1]];

  test.each([
    ['a finish reason, without [DONE]', [hel, openAIChunk({}, 'length')], 'length'],
    ['a finish reason in the last piece of text', [openAIChunk({ content: 'Hel' }, 'stop')], 'stop'],
    ['content and [DONE], without a reason', [hel, '[DONE]'], 'stop'],
    ['a finish reason without any content', [role, openAIChunk({}, 'content_filter')], 'content-filter'],
  ])('is marked by %s', (_, events, finishReason) => {
    expect(translate(new OpenAITranslator(), events).last?.at(-1)).toEqual({ type: 'end', finishReason });
  });

  test.each([
    ['nothing', []],
    ['a role', [role]],
    ['content alone', [role, hel]],
    ['usage alone', [openAIUsageChunk]],
    ['[DONE] alone, which follows errors', ['[DONE]']],
    ['what is no JSON', ['{"choi']],
  ])('is not marked by %s', (_, events) => {
    expect(translate(new OpenAITranslator(), events).last).toBeNull();
  });
});
