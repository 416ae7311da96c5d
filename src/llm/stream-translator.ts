/**
 * Translates the events of a provider's stream into the parts of one answer. The rules for all providers are here:
 * usage comes once, right before the end, and an answer is complete only if the provider said so.
 */

import type { CompletionEvent, FinishReason, Usage } from './completion.ts';
import { ToolCallPieces } from './tool-call-pieces.ts';

/** One event of the provider's stream. */
export interface StreamEvent {
  /** The `event:` field; '' if it is missing. */
  readonly name: string;
  /** Unchanged. */
  readonly data: string;
  /** The data as JSON; undefined if it is not JSON (`[DONE]`). */
  readonly value: unknown;
}

/** One instance per answer. */
export abstract class StreamTranslator {
  /** Whether the model's output has begun, delivered or not: a tool call is delivered when it is complete. */
  hasContent = false;
  /** Whether the provider has ended the answer; nothing is read after that. */
  isOver = false;

  protected readonly toolCalls: ToolCallPieces = new ToolCallPieces();
  protected usage: Usage | undefined;
  protected finishReason: FinishReason | undefined;

  /**
   * The parts that an event adds, in order. If the data of an event is not a JSON object, and the event adds no part
   * and does not end the answer, the event is damaged, and the answer ends in an error.
   */
  abstract translate(event: StreamEvent): Iterable<CompletionEvent>;

  /** Whether the answer is complete. Called when the stream has ended. */
  protected abstract isComplete(): boolean;

  /** The last parts of the answer; null if the stream ended before the answer was complete. */
  end(): readonly CompletionEvent[] | null {
    if (!this.isComplete()) return null;
    const { usage, finishReason = 'stop' } = this;
    return [
      ...this.takeToolCalls(),
      ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
      { type: 'end', finishReason },
    ];
  }

  protected *say(type: 'text' | 'reasoning', text: string): Iterable<CompletionEvent> {
    if (text === '') return;
    this.hasContent = true;
    yield { type, text };
  }

  protected takeToolCalls(index?: number): readonly CompletionEvent[] {
    return this.toolCalls.take(index).map((toolCall) => ({ type: 'tool-call', toolCall }));
  }
}
