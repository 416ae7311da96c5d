/** What a stream is made of, per protocol: its preamble, the error that may follow, its output, its end. */

import { sse } from '../classify/cases.ts';
import { chunkFrame, concat, eventFrame, exceptionFrame } from '../protocol/frames.ts';

export interface Exchange {
  readonly contentType: string;
  /** Events that say nothing yet. */
  readonly preamble: Uint8Array;
  /** A transient error, as an event of the stream. */
  readonly error: Uint8Array;
  /** One event of output. */
  readonly content: (text: string) => Uint8Array;
  readonly end: Uint8Array;
  /** One event of thinking; undefined where the protocol has none. */
  readonly thinking?: Uint8Array | undefined;
  /** What keeps the connection open; undefined where the protocol has nothing for it. */
  readonly ping?: Uint8Array | undefined;
}

const encoder = new TextEncoder();

function textual(
  contentType: string,
  preamble: string,
  error: string,
  content: (text: string) => string,
  end: string,
  thinking?: string,
  ping = ': keep-alive\n\n',
): Exchange {
  return {
    thinking: thinking === undefined ? undefined : encoder.encode(thinking),
    ping: encoder.encode(ping),
    contentType,
    preamble: encoder.encode(preamble),
    error: encoder.encode(error),
    content: (text) => encoder.encode(content(text)),
    end: encoder.encode(end),
  };
}

const named = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): string =>
  sse(...events.map((event): [string, unknown] => [event.type, event]));
const data = (...values: readonly unknown[]): string => sse(...values.map((value): [string, unknown] => ['', value]));
const chunk = (delta: object, finishReason: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});
const interaction = (
  ...events: readonly { readonly event_type: string; readonly [field: string]: unknown }[]
): string => sse(...events.map((event): [string, unknown] => [event.event_type, event]));
const CHAT_END = data(chunk({}, 'stop'), '[DONE]');

export const exchanges: Readonly<Record<string, Exchange>> = {
  'Anthropic Messages': textual(
    'text/event-stream; charset=utf-8',
    named(
      { type: 'message_start', message: { content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
    ),
    named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }),
    named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } }),
    named({ type: 'ping' }),
  ),
  'OpenAI Chat': textual(
    'text/event-stream',
    data(chunk({ role: 'assistant', content: '' })),
    data({ error: { message: 'The server had an error', type: 'server_error', code: null } }, '[DONE]'),
    (content) => data(chunk({ content })),
    CHAT_END,
    data(chunk({ reasoning_content: 'Hm' })),
  ),
  'OpenAI Responses': textual(
    'text/event-stream; charset=utf-8',
    named(
      { type: 'response.created', response: { status: 'in_progress', error: null } },
      { type: 'response.in_progress', response: { status: 'in_progress', error: null } },
    ),
    named({ type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Try again' } }),
    (delta) => named({ type: 'response.output_text.delta', delta }),
    named({ type: 'response.completed', response: { status: 'completed', error: null } }),
    named({ type: 'response.reasoning_summary_text.delta', delta: 'Hm' }),
    named({ type: 'keepalive', sequence_number: 3 }),
  ),
  OpenRouter: textual(
    'text/event-stream',
    ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
    data({ ...chunk({ content: '' }, 'error'), error: { code: 502, message: 'Provider returned error' } }),
    (content) => data(chunk({ content })),
    CHAT_END,
    data(chunk({ reasoning: 'Hm' })),
    ': OPENROUTER PROCESSING\n\n',
  ),
  Gemini: textual(
    'text/event-stream',
    data({ usageMetadata: { promptTokenCount: 1 }, modelVersion: 'm' }),
    `${JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded' } }, null, 2)}\n`,
    (text) => data({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }] }),
    data({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] }),
    data({ candidates: [{ content: { parts: [{ text: 'Hm', thought: true }], role: 'model' }, index: 0 }] }),
  ),
  'Gemini Interactions': textual(
    'text/event-stream',
    interaction(
      { event_type: 'interaction.created', interaction: { id: 'i', status: 'in_progress', object: 'interaction' } },
      { event_type: 'interaction.status_update', interaction_id: 'i', status: 'in_progress' },
      { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
    ),
    interaction({ event_type: 'error', error: { code: 503, message: 'The model is overloaded' } }),
    (text) => interaction({ event_type: 'step.delta', index: 0, delta: { type: 'text', text } }),
    interaction(
      { event_type: 'step.stop', index: 0 },
      { event_type: 'interaction.completed', interaction: { id: 'i', status: 'completed', object: 'interaction' } },
    ),
    interaction({ event_type: 'step.delta', index: 0, delta: { type: 'thought_signature', signature: 'Hm' } }),
  ),
  Ollama: textual(
    'application/x-ndjson',
    '{"model":"m","message":{"role":"assistant","content":""},"done":false}\n',
    '{"error":"model runner has unexpectedly stopped"}\n',
    (content) => `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done: false })}\n`,
    '{"model":"m","message":{"role":"assistant","content":""},"done":true}\n',
    '{"model":"m","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}\n',
    '\n',
  ),
  vLLM: textual(
    'text/event-stream; charset=utf-8',
    data(chunk({ role: 'assistant', content: '' })),
    data({ error: { object: 'error', message: 'EngineCore died', type: 'InternalServerError', code: 500 } }, '[DONE]'),
    (content) => data(chunk({ content })),
    CHAT_END,
    data(chunk({ reasoning_content: 'Hm' })),
  ),
  Cohere: textual(
    'text/event-stream',
    named(
      { type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    ),
    named({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'Internal error' } }),
    (text) => named({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } }),
    named({ type: 'content-end', index: 0 }, { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }),
    named({ type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm' } } } }),
  ),
  'Bedrock frames': {
    contentType: 'application/vnd.amazon.eventstream',
    preamble: eventFrame('messageStart', { role: 'assistant' }),
    error: exceptionFrame('serviceUnavailableException', 'Try again'),
    content: (text) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
    thinking: eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } }),
    end: concat([eventFrame('messageStop', { stopReason: 'end_turn' }), eventFrame('metadata', { usage: {} })]),
  },
  // docs.aws.amazon.com/nova/latest/nova2-userguide/streaming-responses.html
  'Bedrock frames of Amazon Nova': {
    contentType: 'application/vnd.amazon.eventstream',
    preamble: chunkFrame({ messageStart: { role: 'assistant' } }),
    error: exceptionFrame('modelStreamErrorException', 'Try again'),
    content: (text) => chunkFrame({ contentBlockDelta: { delta: { text }, contentBlockIndex: 0 } }),
    thinking: chunkFrame({ contentBlockDelta: { delta: { reasoningContent: { text: 'Hm' } }, contentBlockIndex: 0 } }),
    end: concat([
      chunkFrame({ contentBlockStop: { contentBlockIndex: 0 } }),
      chunkFrame({ messageStop: { stopReason: 'end_turn' } }),
      chunkFrame({
        metadata: { usage: { inputTokens: 5, outputTokens: 10 }, metrics: {}, trace: {} },
        'amazon-bedrock-invocationMetrics': { inputTokenCount: 5, outputTokenCount: 10 },
      }),
    ]),
  },
};

/** One of them by its name. */
export function exchangeOf(name: string): Exchange {
  const exchange = exchanges[name];
  if (exchange === undefined) throw new RangeError(`No exchange is called '${name}'.`);
  return exchange;
}

/** A whole answer: the preamble, one event for each text, the end. */
export function answerOf(
  { preamble, content, end }: Exchange,
  texts: readonly string[] = ['Zürich ☕ 🙂'],
): Uint8Array {
  return concat([preamble, ...texts.map(content), end]);
}

/** Ten thousand events with characters of two to four bytes, and every line end there is. */
export function longAnswerOf(exchange: Exchange): Uint8Array {
  const bytes = answerOf(
    exchange,
    Array.from({ length: 10_000 }, (_, index) => `Zürich ☕ 🙂 ${index}`),
  );
  return exchange.contentType.startsWith('text/') ? withCrLf(bytes) : bytes;
}

const withCrLf = (bytes: Uint8Array): Uint8Array =>
  encoder.encode(new TextDecoder().decode(bytes).replaceAll('\n', '\r\n'));

/** Cuts of these sizes, again and again, until nothing is left. Small ones only where the guard still reads. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = sizes[parts.length % sizes.length] ?? 1;
    const end = at + (at < 2_000 ? size : size * 97);
    parts.push(bytes.subarray(at, end));
    at = end;
  }
  return parts;
}

/** How a body ends after its last part. */
export type BodyEnd = 'eof' | 'reset' | 'open';

export const RESET: TypeError = new TypeError('terminated');

export interface Source {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The number of parts that were read. */
  readonly pulled: () => number;
  readonly isCancelled: () => boolean;
}

/** A body that delivers its parts one by one as they are read: of bytes by default, like those of the network. */
export function sourceOf(
  parts: readonly Uint8Array[],
  end: BodyEnd = 'eof',
  kind: 'bytes' | 'anything' = 'bytes',
  reset: unknown = RESET,
): Source {
  let pulled = 0;
  let cancelled = false;
  const source = {
    pull(controller: ReadableByteStreamController | ReadableStreamDefaultController): void | Promise<void> {
      const part = parts[pulled];
      if (part !== undefined) {
        pulled += 1;
        controller.enqueue(part.slice());
      } else if (end === 'eof') {
        controller.close();
        // Answers a reader that waits with its own buffer.
        if ('byobRequest' in controller) controller.byobRequest?.respond(0);
      } else if (end === 'reset') controller.error(reset);
      else return new Promise(() => {});
    },
    cancel() {
      cancelled = true;
    },
  };
  const body =
    kind === 'bytes'
      ? new ReadableStream({ ...source, type: kind }, { highWaterMark: 0 })
      : new ReadableStream<Uint8Array<ArrayBuffer>>(source, { highWaterMark: 0 });
  return { body, pulled: () => pulled, isCancelled: () => cancelled };
}

/** A 200 with this body. */
export function streamed(
  { contentType }: Pick<Exchange, 'contentType'>,
  { body }: Pick<Source, 'body'>,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { headers: { 'content-type': contentType, ...headers } });
}

/** A stream whose fetch, at an abort, makes the body fail and cancels it, in this order, as that of Node 22 does. */
export function failingWith(signal: AbortSignal): {
  readonly response: Response;
  /** What fetch learns of its cancelling; its rejection would end a process of Node 22. */
  readonly cancelled: () => Promise<void> | undefined;
} {
  let cancelled: Promise<void> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (stream) =>
      signal.addEventListener('abort', () => {
        stream.error(signal.reason);
        cancelled = response.body?.cancel(signal.reason);
        cancelled?.catch(() => {});
      }),
  });
  const response = streamed({ contentType: 'text/event-stream' }, { body });
  return { response, cancelled: () => cancelled };
}
