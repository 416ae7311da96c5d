import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { fc, test as property } from '@fast-check/vitest';
import { completions } from '../../mocks/completions.ts';
import { responseOf } from '../../mocks/recording.ts';
import { classify } from '../../src/classify/classify.ts';
import { own } from '../../src/runtime/values.ts';

const { openai, openaiStream, anthropic, anthropicStream, responses, responsesStream } = completions;
const { gemini, geminiStream, ollama, ollamaStream } = completions;

function eventsOf(body: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => void events.push(event) }).feed(body);
  return events;
}

const dataOf = (body: string): readonly unknown[] =>
  eventsOf(body).flatMap(({ data }): unknown[] => (data === '[DONE]' ? [] : [JSON.parse(data)]));
const linesOf = (body: string): readonly unknown[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner, key) => (Array.isArray(inner) ? inner[Number(key)] : own(inner, key)), value);

/** How each protocol spells the text that is said: where in the whole answer, or in each part of the stream. */
const protocols = [
  ['anthropic', anthropic, (body: string) => [JSON.parse(body)], 'content.0.text'],
  ['anthropicStream', anthropicStream, dataOf, 'delta.text'],
  ['openai', openai, (body: string) => [JSON.parse(body)], 'choices.0.message.content'],
  ['openaiStream', openaiStream, dataOf, 'choices.0.delta.content'],
  ['responses', responses, (body: string) => [JSON.parse(body)], 'output.0.content.0.text'],
  ['responsesStream', responsesStream, dataOf, 'delta'],
  ['gemini', gemini, (body: string) => [JSON.parse(body)], 'candidates.0.content.parts.0.text'],
  ['geminiStream', geminiStream, dataOf, 'candidates.0.content.parts.0.text'],
  ['ollama', ollama, (body: string) => [JSON.parse(body)], 'message.content'],
  ['ollamaStream', ollamaStream, linesOf, 'message.content'],
] as const;

test('each protocol has a test here', () => {
  expect(protocols.map(([name]) => name).toSorted()).toEqual(Object.keys(completions).toSorted());
});

property.prop([fc.constantFrom(...protocols), fc.string({ unit: 'grapheme' })])(
  'an answer says the text, all of it and nothing else',
  async ([, answer, partsOf, path], text) => {
    const parts = partsOf(await responseOf(answer(text)).text()).map((part) => at(part, path));
    expect(parts.filter((part) => typeof part === 'string').join('')).toBe(text);
  },
);

test.each(protocols)('%s is a success', (_name, answer) => {
  expect(classify(answer('error: overloaded_error'))).toBeNull();
});

test.each(protocols.filter(([name]) => name.endsWith('Stream')))(
  '%s deals the text out word by word',
  (_name, answer, partsOf, path) => {
    const words = partsOf(answer('Hello, big world').body).map((part) => at(part, path));
    expect(words.filter(Boolean)).toEqual(['Hello, ', 'big ', 'world']);
  },
);

test('events with a name have the type of their data', () => {
  for (const { event, data } of [...eventsOf(anthropicStream('a b').body), ...eventsOf(responsesStream('a b').body)]) {
    expect(event).toBe(at(JSON.parse(data), 'type'));
  }
});

test.each([
  ['anthropicStream', anthropicStream('a b').body, /"type":"message_stop"}\n\n$/],
  ['openaiStream', openaiStream('a b').body, /"finish_reason":"stop"}\]}\n\ndata: \[DONE\]\n\n$/],
  ['responsesStream', responsesStream('a b').body, /event: response\.completed\n.*\n\n$/],
  ['geminiStream', geminiStream('a b').body, /"finishReason":"STOP".*\n\n$/],
  ['ollamaStream', ollamaStream('a b').body, /"done":true,"done_reason":"stop".*}\n$/],
])('%s ends as a complete stream does', (_name, body, ending) => {
  expect(body).toMatch(ending);
});

test('the events of Responses are numbered from 0', () => {
  const numbers = dataOf(responsesStream('a b').body).map((event) => at(event, 'sequence_number'));
  expect(numbers).toEqual([...numbers.keys()]);
});
