/** The request to a model and its answer, in the same shape for all providers. */

import type { LLMError } from './llm-error.ts';

/** A call of a tool that the model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it. It may be invalid. */
  readonly arguments: string;
}

/** A message of the conversation. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] | undefined }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A tool that the model may call. */
export interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  /** The JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What is asked of the model. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  /** @default 4096 if the provider requires a number, else the provider's default */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Added to the provider's request body unchanged. A member that is undefined removes one of ours. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why the model stopped. Other values of a provider are passed on unchanged. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | (string & {});

/** The tokens that a completion took. */
export interface Usage {
  /** All input, from a cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A whole answer. */
export interface Completion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** undefined: the provider did not say. */
  readonly usage: Usage | undefined;
  readonly finishReason: FinishReason;
}

/**
 * The parts of a streamed answer in order. A tool call comes whole; `usage` comes at most once, right before the end.
 * The last part is `end` or `error`. `error` means that the output before it is not the whole answer.
 */
export type CompletionEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: LLMError };

/** A whole answer in the parts of a streamed one. */
export function* partsOf(completion: Completion): Generator<CompletionEvent, void, undefined> {
  const { text, reasoning, toolCalls, usage, finishReason } = completion;
  if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
  if (text !== '') yield { type: 'text', text };
  for (const toolCall of toolCalls) yield { type: 'tool-call', toolCall };
  if (usage !== undefined) yield { type: 'usage', usage };
  yield { type: 'end', finishReason };
}
