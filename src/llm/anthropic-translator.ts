/** Translates the events of Anthropic's streamed messages. */

import { anthropicFinishReason, anthropicUsage } from './anthropic-words.ts';
import type { CompletionEvent } from './completion.ts';
import { field, text } from './json.ts';
import { type StreamEvent, StreamTranslator } from './stream-translator.ts';

export class AnthropicTranslator extends StreamTranslator {
  /** The blocks of tools that run on the server. Their arguments come in pieces too, but no caller acts on them. */
  readonly #serverBlocks = new Set<number>();

  *translate({ name, value }: StreamEvent): Iterable<CompletionEvent> {
    const index = Number(field(value, 'index') ?? 0);
    switch (text(field(value, 'type')) || name) {
      case 'message_start':
        this.usage = anthropicUsage(field(field(value, 'message'), 'usage'));
        return;
      case 'content_block_start':
        yield* this.#start(index, field(value, 'content_block'));
        return;
      case 'content_block_delta':
        yield* this.#delta(index, field(value, 'delta'));
        return;
      case 'content_block_stop':
        yield* this.takeToolCalls(index);
        return;
      case 'message_delta':
        this.finishReason = anthropicFinishReason(field(field(value, 'delta'), 'stop_reason')) ?? this.finishReason;
        this.usage = anthropicUsage(field(value, 'usage'), this.usage);
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
    const type = text(field(block, 'type'));
    if (type === 'text' || type === 'thinking') {
      yield* this.#outputIn(block);
      return;
    }
    this.hasContent = true;
    if (type !== 'tool_use') {
      this.#serverBlocks.add(index);
      return;
    }
    const defaultArguments = JSON.stringify(field(block, 'input') ?? {});
    this.toolCalls.add({ index, id: text(field(block, 'id')), name: text(field(block, 'name')), defaultArguments });
  }

  *#delta(index: number, delta: unknown): Iterable<CompletionEvent> {
    this.hasContent = true;
    yield* this.#outputIn(delta);
    const json = text(field(delta, 'partial_json'));
    if (json !== '' && !this.#serverBlocks.has(index)) this.toolCalls.add({ index, arguments: json });
  }

  *#outputIn(source: unknown): Iterable<CompletionEvent> {
    yield* this.say('reasoning', text(field(source, 'thinking')));
    yield* this.say('text', text(field(source, 'text')));
  }
}
