/** Where a chat completion says what: in the same places of a whole message and of a delta. */

import type { FinishReason, Usage } from './completion.ts';
import { field, list, text } from './json.ts';
import type { ToolCallPiece } from './tool-call-pieces.ts';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

/** The choice that counts, where several were asked for. */
export function firstChoice(body: unknown): unknown {
  return list(field(body, 'choices')).find((choice) => (field(choice, 'index') ?? 0) === 0);
}

/** undefined: not said yet. OpenRouter's `error` is none. */
export function openAIFinishReason(choice: unknown): FinishReason | undefined {
  const word = text(field(choice, 'finish_reason'));
  return word === '' || word === 'error' ? undefined : (FINISH_REASONS[word] ?? word);
}

export function openAIUsage(body: unknown): Usage | undefined {
  // Groq's place, beside OpenAI's.
  const usage = field(body, 'usage') ?? field(field(body, 'x_groq'), 'usage');
  const [input, output] = [field(usage, 'prompt_tokens'), field(usage, 'completion_tokens')];
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return { inputTokens: typeof input === 'number' ? input : 0, outputTokens: typeof output === 'number' ? output : 0 };
}

/** The text of a message or delta, a refusal included: it is what the model said. */
export function textIn(message: unknown): string {
  const content = field(message, 'content');
  return (typeof content === 'string' ? content : partsIn(content, 'text')) || text(field(message, 'refusal'));
}

/** DeepSeek, vLLM and xAI say `reasoning_content`, OpenRouter, Groq and Ollama `reasoning`; some servers say both. */
export function reasoningIn(message: unknown): string {
  const said = text(field(message, 'reasoning_content')) || text(field(message, 'reasoning'));
  return said || partsIn(field(message, 'content'), 'thinking');
}

/** Mistral's content may be a list of parts, and its `thinking` a list of text parts. */
function partsIn(content: unknown, name: 'text' | 'thinking'): string {
  const parts = list(content)
    .filter((part) => field(part, 'type') === name)
    .map((part) => field(part, name));
  return parts.map((part) => text(part) || partsIn(part, 'text')).join('');
}

export function toolCallPiecesIn(message: unknown): readonly ToolCallPiece[] {
  return list(field(message, 'tool_calls')).map((call) => {
    const index = field(call, 'index');
    const made = field(call, 'function');
    const json = field(made, 'arguments');
    return {
      index: typeof index === 'number' ? index : undefined,
      id: text(field(call, 'id')),
      name: text(field(made, 'name')),
      // Some servers parse what the model wrote.
      arguments: typeof json === 'object' && json !== null ? JSON.stringify(json) : text(json),
    };
  });
}
