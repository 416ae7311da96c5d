/** Translates the chunks of a streamed chat completion. */

import type { CompletionEvent } from './completion.ts';
import { own } from '../runtime/values.ts';
import { firstChoice, openAIFinishReason, openAIUsage, reasoningIn, textIn, toolCallPiecesIn } from './openai-words.ts';
import { type StreamEvent, StreamTranslator } from './stream-translator.ts';

export class OpenAITranslator extends StreamTranslator {
  *translate({ data, value }: StreamEvent): Iterable<CompletionEvent> {
    if (data.trim() === '[DONE]') {
      this.isOver = true;
      return;
    }
    const choice = firstChoice(value);
    const delta = own(choice, 'delta');
    yield* this.say('reasoning', reasoningIn(delta));
    yield* this.say('text', textIn(delta));
    for (const piece of toolCallPiecesIn(delta)) {
      this.hasContent = true;
      this.toolCalls.add(piece);
    }
    this.finishReason = openAIFinishReason(choice) ?? this.finishReason;
    // In a chunk of its own after the last choice; some servers send it in every chunk.
    this.usage = openAIUsage(value) ?? this.usage;
  }

  /** Some servers never send `[DONE]`, others no finish reason. One of the two is enough. */
  protected isComplete(): boolean {
    return this.finishReason !== undefined || (this.isOver && this.hasContent);
  }
}
