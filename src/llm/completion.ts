/** What is asked of a model and what it answers, in the words that all providers share. */

import type { LLMError } from './llm-error.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it: it may be wrong. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] | undefined }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  /** A JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  /** @default 4096 where the provider demands one, else the provider's */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Added to the provider's request body as it is. What is undefined takes a member of ours away. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why the model stopped. Other words of a provider's pass through. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | (string & {});

export interface Usage {
  /** Everything that was read, from a cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Completion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** undefined: the provider did not say. */
  readonly usage: Usage | undefined;
  readonly finishReason: FinishReason;
}

/**
 * The parts of a streamed answer in order. A tool call comes whole; `usage` at most once, right before the end. `end` or
 * `error` is the last one: `error` only when output has begun, which is then not the whole answer.
 */
export type CompletionEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: LLMError };

/** A whole answer in the parts in which it would have been streamed. */
export function* partsOf(completion: Completion): Generator<CompletionEvent, void, undefined> {
  const { text, reasoning, toolCalls, usage, finishReason } = completion;
  if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
  if (text !== '') yield { type: 'text', text };
  for (const toolCall of toolCalls) yield { type: 'tool-call', toolCall };
  if (usage !== undefined) yield { type: 'usage', usage };
  yield { type: 'end', finishReason };
}
