/**
 * Answers without a failure, one per protocol: the smallest bodies that the providers' own SDKs accept. The streams send
 * the text word by word.
 */

import type { Answer } from './recording.ts';

const MODEL = 'mock-1';
const CREATED_AT = '2026-01-01T00:00:00Z';
const CREATED_AT_SECONDS = /* @__PURE__ */ Date.parse(CREATED_AT) / 1000;

/** Answers with a text, as data; {@link responseOf} makes a `Response` of one. */
export const completions = {
  /** Anthropic Messages. */
  anthropic: (text: string): Answer => json({ ...anthropicMessage, content: [{ type: 'text', text }] }),

  /** Anthropic Messages with `stream: true`. */
  anthropicStream: (text: string): Answer =>
    eventStream(
      { type: 'message_start', message: { ...anthropicMessage, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      ...wordsOf(text).map((word) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: word },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ),

  /** OpenAI Chat Completions, which most other providers and gateways accept too. */
  openai: (text: string): Answer =>
    json({
      ...openaiCompletion,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),

  /** OpenAI Chat Completions with `stream: true`. */
  openaiStream: (text: string): Answer =>
    dataStream(
      ...[{ role: 'assistant', content: '' }, ...wordsOf(text).map((content) => ({ content }))].map((delta) =>
        openaiChunk(delta, null),
      ),
      openaiChunk({}, 'stop'),
      '[DONE]',
    ),

  /** OpenAI Responses. */
  responses: (text: string): Answer => json(openaiResponse('completed', [openaiMessage('completed', text)])),

  /** OpenAI Responses with `stream: true`. */
  responsesStream: (text: string): Answer => {
    const place = { item_id: 'msg_mock', output_index: 0, content_index: 0 };
    const events = [
      { type: 'response.created', response: openaiResponse('in_progress', []) },
      { type: 'response.in_progress', response: openaiResponse('in_progress', []) },
      { type: 'response.output_item.added', output_index: 0, item: openaiMessage('in_progress') },
      { type: 'response.content_part.added', ...place, part: openaiText('') },
      ...wordsOf(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part: openaiText(text) },
      { type: 'response.output_item.done', output_index: 0, item: openaiMessage('completed', text) },
      { type: 'response.completed', response: openaiResponse('completed', [openaiMessage('completed', text)]) },
    ];
    return eventStream(...events.map((event, index) => ({ ...event, sequence_number: index })));
  },

  /** Gemini `generateContent`. */
  gemini: (text: string): Answer => json(geminiAnswer(text, 'STOP')),

  /** Gemini `streamGenerateContent?alt=sse`. */
  geminiStream: (text: string): Answer =>
    dataStream(...wordsOf(text).map((word, index, { length }) => geminiAnswer(word, index === length - 1 && 'STOP'))),

  /** Ollama `/api/chat` with `stream: false`. */
  ollama: (text: string): Answer => json(ollamaAnswer(text, true)),

  /** Ollama `/api/chat`: lines of JSON. */
  ollamaStream: (text: string): Answer =>
    answer(
      'application/x-ndjson',
      [...wordsOf(text).map((word) => ollamaAnswer(word, false)), ollamaAnswer('', true)]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    ),
} as const;

const anthropicMessage = {
  id: 'msg_mock',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

const openaiCompletion = { id: 'chatcmpl-mock', created: CREATED_AT_SECONDS, model: MODEL };

const openaiChunk = (delta: object, finishReason: 'stop' | null): object => ({
  ...openaiCompletion,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

const openaiText = (text: string): object => ({ type: 'output_text', text, annotations: [] });

const openaiMessage = (status: 'in_progress' | 'completed', text?: string): object => ({
  id: 'msg_mock',
  type: 'message',
  role: 'assistant',
  status,
  content: text === undefined ? [] : [openaiText(text)],
});

const openaiResponse = (status: 'in_progress' | 'completed', output: readonly object[]): object => ({
  id: 'resp_mock',
  object: 'response',
  created_at: CREATED_AT_SECONDS,
  model: MODEL,
  status,
  error: null,
  incomplete_details: null,
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: status === 'completed' ? { input_tokens: 1, output_tokens: 1, total_tokens: 2 } : null,
});

const geminiAnswer = (text: string, finishReason: 'STOP' | false): object => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, ...(finishReason && { finishReason }), index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: MODEL,
});

const ollamaAnswer = (content: string, done: boolean): object => ({
  model: MODEL,
  created_at: CREATED_AT,
  message: { role: 'assistant', content },
  done,
  ...(done && { done_reason: 'stop', prompt_eval_count: 1, eval_count: 1 }),
});

/** Each word with the white space after it; one empty word for an empty text. */
const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s*/g) ?? [text];

const answer = (contentType: string, body: string): Answer => ({
  status: 200,
  statusText: 'OK',
  headers: { 'content-type': contentType },
  body,
});

const json = (value: object): Answer => answer('application/json', JSON.stringify(value));

/** Server-sent events without a name. */
const dataStream = (...events: readonly (object | '[DONE]')[]): Answer =>
  answer(
    'text/event-stream',
    events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
  );

/** Server-sent events whose name is the `type` of their data. */
const eventStream = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): Answer =>
  answer(
    'text/event-stream; charset=utf-8',
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
