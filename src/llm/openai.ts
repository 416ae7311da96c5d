/** OpenAI's Chat Completions API, and every server that speaks it. A whole message has the fields of a delta. */

import type { HttpHeaders } from '../index.ts';
import { isObject, objectsOf, own, ownText } from '../runtime/values.ts';
import { addressUnder, BaseLLM } from './base-llm.ts';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  FinishReason,
  Message,
  Tool,
  Usage,
} from './completion.ts';
import { type StreamEvent, StreamTranslator } from './stream-translator.ts';
import { type ToolCallPiece, ToolCallPieces } from './tool-call-pieces.ts';

const OPENAI = 'https://api.openai.com/v1';

/** `baseURL` is the address of any compatible server up to `/v1`, as in the SDKs. */
export class OpenAILLM extends BaseLLM {
  protected get url(): string {
    return addressUnder(this.options.baseURL ?? OPENAI, '/chat/completions');
  }

  protected requestHeaders(): HttpHeaders {
    const { apiKey = '' } = this.options;
    return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  }

  protected requestBody(request: CompletionRequest, stream: boolean): Readonly<Record<string, unknown>> {
    const { model, messages, maxTokens, temperature, tools, extra } = request;
    return {
      model,
      messages: messages.map(messageOf),
      ...(maxTokens !== undefined && { [this.#maxTokensName]: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(tools !== undefined && tools.length > 0 && { tools: tools.map(toolOf) }),
      ...(stream && { stream, stream_options: { include_usage: true } }),
      ...extra,
    };
  }

  protected readCompletion(body: unknown): Completion | undefined {
    const choice = firstChoice(body);
    const message = own(choice, 'message');
    if (!isObject(message)) return undefined;
    const toolCalls = new ToolCallPieces();
    for (const [index, call] of toolCallPiecesIn(message).entries()) toolCalls.add({ ...call, index });
    return {
      text: textIn(message),
      reasoning: reasoningIn(message),
      toolCalls: toolCalls.take(),
      usage: usageIn(body),
      finishReason: finishReasonIn(choice) ?? 'stop',
    };
  }

  protected createTranslator(): StreamTranslator {
    return new OpenAITranslator();
  }

  /** OpenAI's newer models accept only the new name; most other servers know only the old one. */
  get #maxTokensName(): string {
    const isOpenAI = /^https?:\/\/[^/?]*\.(?:openai|azure)\.com(?:[:/?]|$)/i.test(this.options.baseURL ?? OPENAI);
    return isOpenAI ? 'max_completion_tokens' : 'max_tokens';
  }
}

function messageOf(message: Message): unknown {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  const { role, content } = message;
  // The API rejects an empty list.
  if (message.role !== 'assistant' || message.toolCalls === undefined || message.toolCalls.length === 0)
    return { role, content };
  const toolCalls = message.toolCalls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  return { role, content, tool_calls: toolCalls };
}

const toolOf = (tool: Tool): unknown => ({ type: 'function', function: tool });

class OpenAITranslator extends StreamTranslator {
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
    this.finishReason = finishReasonIn(choice) ?? this.finishReason;
    // In a chunk of its own after the last choice; some servers send it in every chunk.
    this.usage = usageIn(value) ?? this.usage;
  }

  /** Some servers never send `[DONE]`, others no finish reason. One of the two is enough. */
  protected isComplete(): boolean {
    return this.finishReason !== undefined || (this.isOver && this.hasContent);
  }
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = /* @__PURE__ */ new Map([
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
]);

function firstChoice(body: unknown): unknown {
  return objectsOf(own(body, 'choices')).find((choice) => (own(choice, 'index') ?? 0) === 0);
}

/** undefined: not known yet. */
function finishReasonIn(choice: unknown): FinishReason | undefined {
  const word = ownText(choice, 'finish_reason');
  return word === '' ? undefined : (FINISH_REASONS.get(word) ?? word);
}

function usageIn(body: unknown): Usage | undefined {
  // Groq has its own field besides OpenAI's.
  const usage = own(body, 'usage') ?? own(own(body, 'x_groq'), 'usage');
  const [input, output] = [own(usage, 'prompt_tokens'), own(usage, 'completion_tokens')];
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return { inputTokens: typeof input === 'number' ? input : 0, outputTokens: typeof output === 'number' ? output : 0 };
}

/** The text of a message or delta. A refusal is text too. */
function textIn(message: unknown): string {
  const content = own(message, 'content');
  return (typeof content === 'string' ? content : partsIn(content, 'text')) || ownText(message, 'refusal');
}

/** DeepSeek, vLLM and xAI use `reasoning_content`, OpenRouter, Groq and Ollama `reasoning`; some servers send both. */
function reasoningIn(message: unknown): string {
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

function toolCallPiecesIn(message: unknown): readonly ToolCallPiece[] {
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
