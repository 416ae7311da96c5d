/** Anthropic's Messages API. */

import type { HttpHeaders } from '../index.ts';
import { isObject, objectsOf, own, ownText, parseJson } from '../runtime/values.ts';
import { addressUnder, BaseLLM } from './base-llm.ts';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  FinishReason,
  Message,
  Tool,
  ToolCall,
  Usage,
} from './completion.ts';
import { type StreamEvent, StreamTranslator } from './stream-translator.ts';

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
      usage: usageOf(own(body, 'usage')),
      finishReason: finishReasonOf(own(body, 'stop_reason')) ?? 'stop',
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

class AnthropicTranslator extends StreamTranslator {
  /** The blocks of tools that run on the server. Their arguments come in pieces too, but no caller acts on them. */
  readonly #serverBlocks = new Set<number>();

  *translate({ name, value }: StreamEvent): Iterable<CompletionEvent> {
    const index = Number(own(value, 'index') ?? 0);
    switch (ownText(value, 'type') || name) {
      case 'message_start':
        this.usage = usageOf(own(own(value, 'message'), 'usage'));
        return;
      case 'content_block_start':
        yield* this.#start(index, own(value, 'content_block'));
        return;
      case 'content_block_delta':
        yield* this.#delta(index, own(value, 'delta'));
        return;
      case 'content_block_stop':
        yield* this.takeToolCalls(index);
        return;
      case 'message_delta':
        this.finishReason = finishReasonOf(own(own(value, 'delta'), 'stop_reason')) ?? this.finishReason;
        this.usage = usageOf(own(value, 'usage'), this.usage);
        return;
      case 'message_stop':
        this.isOver = true;
        return;
      default:
    }
  }

  /** Without `message_stop` the answer was cut off. */
  protected isComplete(): boolean {
    return this.isOver;
  }

  *#start(index: number, block: unknown): Iterable<CompletionEvent> {
    const type = ownText(block, 'type');
    if (type === 'text' || type === 'thinking') {
      yield* this.#outputIn(block);
      return;
    }
    this.hasContent = true;
    if (type !== 'tool_use') {
      this.#serverBlocks.add(index);
      return;
    }
    const defaultArguments = JSON.stringify(own(block, 'input') ?? {});
    this.toolCalls.add({ index, id: ownText(block, 'id'), name: ownText(block, 'name'), defaultArguments });
  }

  *#delta(index: number, delta: unknown): Iterable<CompletionEvent> {
    this.hasContent = true;
    yield* this.#outputIn(delta);
    const json = ownText(delta, 'partial_json');
    if (json !== '' && !this.#serverBlocks.has(index)) this.toolCalls.add({ index, arguments: json });
  }

  *#outputIn(source: unknown): Iterable<CompletionEvent> {
    yield* this.say('reasoning', ownText(source, 'thinking'));
    yield* this.say('text', ownText(source, 'text'));
  }
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = /* @__PURE__ */ new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
]);

/** undefined: not known yet. */
function finishReasonOf(reason: unknown): FinishReason | undefined {
  const word = typeof reason === 'string' ? reason : '';
  return word === '' ? undefined : (FINISH_REASONS.get(word) ?? word);
}

/** `before`: the usage in an earlier event. The numbers are totals, so the last one counts. */
function usageOf(usage: unknown, before?: Usage): Usage | undefined {
  const [input, output] = [own(usage, 'input_tokens'), own(usage, 'output_tokens')];
  if (typeof input !== 'number' && typeof output !== 'number') return before;
  const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'].map((name) => own(usage, name));
  return {
    inputTokens:
      typeof input === 'number'
        ? cached.reduce<number>((sum, tokens) => (typeof tokens === 'number' ? sum + tokens : sum), input)
        : (before?.inputTokens ?? 0),
    outputTokens: typeof output === 'number' ? output : (before?.outputTokens ?? 0),
  };
}
