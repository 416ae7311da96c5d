/** Translates the events of Anthropic's streamed messages. */

import { anthropicFinishReason, anthropicUsage } from './anthropic-words.ts';
import type { CompletionEvent } from './completion.ts';
import { own, ownText } from '../runtime/values.ts';
import { type StreamEvent, StreamTranslator } from './stream-translator.ts';

export class AnthropicTranslator extends StreamTranslator {
  /** The blocks of tools that run on the server. Their arguments come in pieces too, but no caller acts on them. */
  readonly #serverBlocks = new Set<number>();

  *translate({ name, value }: StreamEvent): Iterable<CompletionEvent> {
    const index = Number(own(value, 'index') ?? 0);
    switch (ownText(value, 'type') || name) {
      case 'message_start':
        this.usage = anthropicUsage(own(own(value, 'message'), 'usage'));
        return;
      case 'content_block_start':
        yield* this.#start(index, own(value, 'content_block'));
        return;
      case 'content_block_delta':
        yield* this.#delta(index, own(value, 'delta'));
        return;
      case 'content_block_stop':
        yield* this.takeToolCalls(index);
        return;
      case 'message_delta':
        this.finishReason = anthropicFinishReason(own(own(value, 'delta'), 'stop_reason')) ?? this.finishReason;
        this.usage = anthropicUsage(own(value, 'usage'), this.usage);
        return;
      case 'message_stop':
        this.isOver = true;
        return;
      default:
    }
  }

  /** Without `message_stop` the answer was cut off. */
  protected isComplete(): boolean {
    return this.isOver;
  }

  *#start(index: number, block: unknown): Iterable<CompletionEvent> {
    const type = ownText(block, 'type');
    if (type === 'text' || type === 'thinking') {
      yield* this.#outputIn(block);
      return;
    }
    this.hasContent = true;
    if (type !== 'tool_use') {
      this.#serverBlocks.add(index);
      return;
    }
    const defaultArguments = JSON.stringify(own(block, 'input') ?? {});
    this.toolCalls.add({ index, id: ownText(block, 'id'), name: ownText(block, 'name'), defaultArguments });
  }

  *#delta(index: number, delta: unknown): Iterable<CompletionEvent> {
    this.hasContent = true;
    yield* this.#outputIn(delta);
    const json = ownText(delta, 'partial_json');
    if (json !== '' && !this.#serverBlocks.has(index)) this.toolCalls.add({ index, arguments: json });
  }

  *#outputIn(source: unknown): Iterable<CompletionEvent> {
    yield* this.say('reasoning', ownText(source, 'thinking'));
    yield* this.say('text', ownText(source, 'text'));
  }
}
