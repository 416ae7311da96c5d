/** OpenAI's Chat Completions API, and every server that speaks it. */

import type { HttpHeaders } from '../index.ts';
import { addressUnder, BaseLLM } from './base-llm.ts';
import type { Completion, CompletionRequest, Message, Tool } from './completion.ts';
import { own } from '../runtime/values.ts';
import { OpenAITranslator } from './openai-translator.ts';
import { firstChoice, openAIFinishReason, openAIUsage, reasoningIn, textIn, toolCallPiecesIn } from './openai-words.ts';
import type { StreamTranslator } from './stream-translator.ts';
import { ToolCallPieces } from './tool-call-pieces.ts';

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
    if (typeof message !== 'object' || message === null) return undefined;
    const toolCalls = new ToolCallPieces();
    for (const [index, call] of toolCallPiecesIn(message).entries()) toolCalls.add({ ...call, index });
    return {
      text: textIn(message),
      reasoning: reasoningIn(message),
      toolCalls: toolCalls.take(),
      usage: openAIUsage(body),
      finishReason: openAIFinishReason(choice) ?? 'stop',
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
