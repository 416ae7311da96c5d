/** Anthropic's Messages API. */

import type { HttpHeaders } from '../index.ts';
import { AnthropicTranslator } from './anthropic-translator.ts';
import { anthropicFinishReason, anthropicUsage } from './anthropic-words.ts';
import { addressUnder, BaseLLM } from './base-llm.ts';
import type { Completion, CompletionRequest, Message, Tool, ToolCall } from './completion.ts';
import { isObject, objectsOf, own, ownText, parseJson } from '../runtime/values.ts';
import type { StreamTranslator } from './stream-translator.ts';

/** `baseURL` may end in `/v1` or not: both are common. */
export class AnthropicLLM extends BaseLLM {
  protected get url(): string {
    const { baseURL = 'https://api.anthropic.com' } = this.options;
    return addressUnder(baseURL.replace(/\/v1\/*(?=$|\?)/, ''), '/v1/messages');
  }

  protected requestHeaders(): HttpHeaders {
    const { apiKey = '' } = this.options;
    return { ...(apiKey !== '' && { 'x-api-key': apiKey }), 'anthropic-version': '2023-06-01' };
  }

  protected requestBody(request: CompletionRequest, stream: boolean): Readonly<Record<string, unknown>> {
    const { model, messages, maxTokens = 4_096, temperature, tools, extra } = request;
    const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
    return {
      model,
      max_tokens: maxTokens,
      messages: messagesOf(messages),
      ...(system.length > 0 && { system: system.join('\n\n') }),
      ...(temperature !== undefined && { temperature }),
      ...(tools !== undefined && tools.length > 0 && { tools: tools.map(toolOf) }),
      ...(stream && { stream }),
      ...extra,
    };
  }

  protected readCompletion(body: unknown): Completion | undefined {
    if (!Array.isArray(own(body, 'content'))) return undefined;
    const blocks = objectsOf(own(body, 'content'));
    const of = (type: string): readonly unknown[] => blocks.filter((block) => own(block, 'type') === type);
    const textOf = (type: 'text' | 'thinking'): string =>
      of(type)
        .map((block) => ownText(block, type))
        .join('');
    return {
      text: textOf('text'),
      reasoning: textOf('thinking'),
      toolCalls: of('tool_use').map((block) => ({
        id: ownText(block, 'id'),
        name: ownText(block, 'name'),
        arguments: JSON.stringify(own(block, 'input') ?? {}),
      })),
      usage: anthropicUsage(own(body, 'usage')),
      finishReason: anthropicFinishReason(own(body, 'stop_reason')) ?? 'stop',
    };
  }

  protected createTranslator(): StreamTranslator {
    return new AnthropicTranslator();
  }
}

/** The results of parallel tool calls belong into one message. */
function messagesOf(messages: readonly Message[]): readonly unknown[] {
  const sent: { role: string; content: unknown }[] = [];
  let results: unknown[] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role !== 'tool') {
      results = undefined;
      sent.push({ role: message.role, content: contentOf(message) });
      continue;
    }
    if (results === undefined) sent.push({ role: 'user', content: (results = []) });
    results.push({ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content });
  }
  return sent;
}

function contentOf(message: Exclude<Message, { role: 'tool' }>): unknown {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message.content;
  const said = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  return [...said, ...message.toolCalls.map(toolUseOf)];
}

function toolUseOf({ id, name, arguments: json }: ToolCall): unknown {
  const input = json === '' ? {} : parseJson(json);
  // The API accepts only an object, and the model should see its mistake.
  return { type: 'tool_use', id, name, input: isObject(input) ? input : { unparsed: json } };
}

const toolOf = ({ name, description, parameters }: Tool): unknown => ({ name, description, input_schema: parameters });
