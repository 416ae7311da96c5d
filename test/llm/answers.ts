/** Answers of providers in their own formats, and the requests for them. */

import type { RetryConfig } from '../../src/index.ts';
import { AnthropicLLM, type CompletionEvent, type CompletionRequest } from '../../src/llm/index.ts';
import { fakeRuntime, script, type ScriptedFetch, settle, type Step } from '../script.ts';

export const ask: CompletionRequest = { model: 'a-model', messages: [{ role: 'user', content: 'Hello' }] };

type WireEvent = string | Readonly<Record<string, unknown>>;

/** The events of a stream as text; an object with a `type` is named by it, as Anthropic does. */
export function sse(...events: readonly WireEvent[]): string {
  return events
    .map((event) => {
      if (typeof event === 'string') return `data: ${event}\n\n`;
      const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

export const streamed = (...events: readonly WireEvent[]): Response => streamOf(sse(...events));

export function streamOf(body: BodyInit): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

export function jsonOf(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** A streamed body that gives one piece per pull and then ends, breaks or hangs; it tells when it was cancelled. */
export function piecewise(pieces: readonly (string | Uint8Array)[], then: 'end' | 'hang' | Error = 'end') {
  let next = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = pieces[next];
        next += 1;
        if (piece !== undefined)
          return controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
        if (then === 'end') return controller.close();
        if (then === 'hang') return new Promise<void>(() => {});
        // The reader has got what came before by then.
        return settle().then(() => controller.error(then));
      },
      cancel: () => {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: () => streamOf(body), isCancelled: () => cancelled, pulls: () => next };
}

export const anthropicText = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});

/** A short message of Anthropic's, whole. */
export const anthropicHello = [
  { type: 'message_start', message: { role: 'assistant', usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  anthropicText('Hel'),
  anthropicText('lo'),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
] as const;

export const anthropicHelloParts: readonly CompletionEvent[] = [
  { type: 'text', text: 'Hel' },
  { type: 'text', text: 'lo' },
  { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } },
  { type: 'end', finishReason: 'stop' },
];

/** The same, not streamed. */
export const anthropicMessage = {
  type: 'message',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 4 },
} as const;

export const anthropicOverloaded = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
} as const;

export const openAIChunk = (delta: Readonly<Record<string, unknown>>, finishReason: string | null = null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

const openAIUsageChunk = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } } as const;

/** A short completion of OpenAI's, whole: usage comes after the finish reason and before the end. */
export const openAIHello = [
  openAIChunk({ role: 'assistant', content: '' }),
  openAIChunk({ content: 'Hel' }),
  openAIChunk({ content: 'lo' }),
  openAIChunk({}, 'stop'),
  openAIUsageChunk,
  '[DONE]',
] as const;

/** An answer with everything that an answer may have, as each provider's is returned. */
export const wholeAnswer = {
  text: 'Hello',
  reasoning: 'Hm',
  toolCalls: [
    { id: 'a', name: 'look', arguments: '{"x":1}' },
    { id: 'b', name: 'see', arguments: '{}' },
  ],
  usage: { inputTokens: 9, outputTokens: 4 },
  finishReason: 'tool-calls',
};

/** The parts of an answer until it ends; passes on thrown errors. */
export async function collect(parts: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const collected: CompletionEvent[] = [];
  for await (const part of parts) collected.push(part);
  return collected;
}

/** What was sent: the address, the headers and the parsed body. */
export function readSent(call: ScriptedFetch['calls'][number] | undefined) {
  const { body, headers } = call?.init ?? {};
  const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return { url: call?.input, headers, body: parsed };
}

/** Anthropic's API over a script of answers, retried under a fake clock when `retry` is given. */
export function scripted(retry: RetryConfig | undefined, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const fetch = script(runtime, ...steps);
  const llm = new AnthropicLLM({ apiKey: 'my-key', fetch, retry: retry && { jitter: 'none', runtime, ...retry } });
  return { llm, fetch, runtime };
}
