/** `retry-transport/llm`: providers that take `retry` in their constructor. */

import { AnthropicLLM } from './anthropic.ts';
import type { BaseLLM, LLMOptions } from './base-llm.ts';
import { OpenAILLM } from './openai.ts';

export { AnthropicLLM } from './anthropic.ts';
export { BaseLLM, type LLMOptions } from './base-llm.ts';
export type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  FinishReason,
  Message,
  Tool,
  ToolCall,
  Usage,
} from './completion.ts';
export { LLMError, type LLMErrorDetails } from './llm-error.ts';
export { OpenAILLM } from './openai.ts';
export { type StreamEvent, StreamTranslator } from './stream-translator.ts';
export { type ToolCallPiece, ToolCallPieces } from './tool-call-pieces.ts';

/** The API that a provider speaks. */
export type LLMProvider = 'anthropic' | 'openai';

/**
 * Creates a provider by name. `openai` with a `baseURL` works for every server that speaks OpenAI's chat completions.
 *
 * @throws TypeError if the name or an option is invalid
 */
export function createLLM(provider: LLMProvider, options?: LLMOptions): BaseLLM {
  switch (provider) {
    case 'anthropic':
      return new AnthropicLLM(options);
    case 'openai':
      return new OpenAILLM(options);
    default:
      throw new TypeError(
        `Expected \`provider\` to be 'anthropic' or 'openai', got ${String(provider)}; ` +
          "a server that speaks OpenAI's API is 'openai' with a `baseURL`.",
      );
  }
}
