/** Reads the fields of a chat completion, which are the same in a whole message and in a delta. */

import type { FinishReason, Usage } from './completion.ts';
import { objectsOf, own, ownText } from '../runtime/values.ts';
import type { ToolCallPiece } from './tool-call-pieces.ts';

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = /* @__PURE__ */ new Map([
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
]);

export function firstChoice(body: unknown): unknown {
  return objectsOf(own(body, 'choices')).find((choice) => (own(choice, 'index') ?? 0) === 0);
}

/** undefined: not known yet. OpenRouter's `error` is not a finish reason. */
export function openAIFinishReason(choice: unknown): FinishReason | undefined {
  const word = ownText(choice, 'finish_reason');
  return word === '' || word === 'error' ? undefined : (FINISH_REASONS.get(word) ?? word);
}

export function openAIUsage(body: unknown): Usage | undefined {
  // Groq has its own field besides OpenAI's.
  const usage = own(body, 'usage') ?? own(own(body, 'x_groq'), 'usage');
  const [input, output] = [own(usage, 'prompt_tokens'), own(usage, 'completion_tokens')];
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return { inputTokens: typeof input === 'number' ? input : 0, outputTokens: typeof output === 'number' ? output : 0 };
}

/** The text of a message or delta. A refusal is text too. */
export function textIn(message: unknown): string {
  const content = own(message, 'content');
  return (typeof content === 'string' ? content : partsIn(content, 'text')) || ownText(message, 'refusal');
}

/** DeepSeek, vLLM and xAI use `reasoning_content`, OpenRouter, Groq and Ollama `reasoning`; some servers send both. */
export function reasoningIn(message: unknown): string {
  const said = ownText(message, 'reasoning_content') || ownText(message, 'reasoning');
  return said || partsIn(own(message, 'content'), 'thinking');
}

/** Mistral's content may be a list of parts, and its `thinking` a list of text parts. */
function partsIn(content: unknown, name: 'text' | 'thinking'): string {
  const parts = objectsOf(content)
    .filter((part) => own(part, 'type') === name)
    .map((part) => own(part, name));
  return parts.map((part) => (typeof part === 'string' ? part : partsIn(part, 'text'))).join('');
}

export function toolCallPiecesIn(message: unknown): readonly ToolCallPiece[] {
  return objectsOf(own(message, 'tool_calls')).map((call) => {
    const index = own(call, 'index');
    const made = own(call, 'function');
    const json = own(made, 'arguments');
    return {
      index: typeof index === 'number' ? index : undefined,
      id: ownText(call, 'id'),
      name: ownText(made, 'name'),
      // Some servers send parsed arguments.
      arguments: typeof json === 'object' && json !== null ? JSON.stringify(json) : ownText(made, 'arguments'),
    };
  });
}
