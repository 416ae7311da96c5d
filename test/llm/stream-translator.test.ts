import { expect, test } from 'vitest';
import { type CompletionEvent, type StreamEvent, StreamTranslator } from '../../src/llm/index.ts';

/** Delivers its data as text; `complete` says whether the answer is whole. */
class EchoTranslator extends StreamTranslator {
  complete = false;

  *translate({ data }: StreamEvent): Iterable<CompletionEvent> {
    yield* this.say('text', data);
    this.toolCalls.add({ index: 0, id: 'a', name: 'look' });
    this.usage = { inputTokens: 1, outputTokens: 2 };
  }

  protected isComplete(): boolean {
    return this.complete;
  }
}

const event = (data: string): StreamEvent => ({ name: '', data, value: undefined });

test('an empty text is neither a part nor content', () => {
  const translator = new EchoTranslator();
  expect([...translator.translate(event(''))]).toEqual([]);
  expect(translator.hasContent).toBe(false);
  expect([...translator.translate(event('Hello'))]).toEqual([{ type: 'text', text: 'Hello' }]);
  expect(translator.hasContent).toBe(true);
});

test('a complete answer ends with the remaining calls, the usage and the reason, in this order', () => {
  const translator = new EchoTranslator();
  void [...translator.translate(event('Hello'))];
  expect(translator.end()).toBeNull();
  translator.complete = true;
  expect(translator.end()).toEqual([
    { type: 'tool-call', toolCall: { id: 'a', name: 'look', arguments: '{}' } },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
    { type: 'end', finishReason: 'stop' },
  ]);
});

test('unknown usage is not a part', () => {
  const translator = new EchoTranslator();
  translator.complete = true;
  expect(translator.end()).toEqual([{ type: 'end', finishReason: 'stop' }]);
});
