/**
 * The four APIs: the path of each, and its answer to a request that succeeds. The answers are written by
 * hand, as small as the SDKs accept; the failures are played from recordings.
 */

export type Api = 'chat' | 'responses' | 'messages' | 'gemini';

/** The text of the model's answer. */
export const REPLY = 'Hello, world.';

const CREATED_AT = 1_795_132_800;
const PIECES = ['Hello, ', 'world.'] as const;

/** The API that a request calls, and whether it asks for a stream; undefined if it calls none. */
export function readRequest(
  path: string,
  body: string,
): { readonly api: Api; readonly isStreamed: boolean } | undefined {
  if (/^\/v1(beta)?\/models\/[^/:]+:(generateContent|streamGenerateContent)/.test(path)) {
    return { api: 'gemini', isStreamed: path.includes(':streamGenerateContent') };
  }
  const api = PATHS.get(path);
  return api && { api, isStreamed: isStreamed(body) };
}

const PATHS: ReadonlyMap<string, Api> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages', 'messages'],
]);

function isStreamed(body: string): boolean {
  const request: unknown = JSON.parse(body);
  return typeof request === 'object' && request !== null && 'stream' in request && request.stream === true;
}

/** The answer as one JSON document. */
export function wholeAnswer(api: Api): object {
  return WHOLE[api];
}

/** The answer as the events of a stream, each as it goes over the wire. */
export function streamedAnswer(api: Api): readonly string[] {
  return STREAMED[api];
}

interface TypedEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

const usage = { input_tokens: 9, output_tokens: 4 };
const outputText = { type: 'output_text', text: REPLY, annotations: [], logprobs: [] };
const outputItem = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [outputText] };
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: CREATED_AT,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'gpt-5',
  output: [outputItem],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: {
    ...usage,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 13,
  },
};
const chatUsage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const chat = { id: 'chatcmpl-1', created: CREATED_AT, model: 'gpt-5' };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5', stop_sequence: null };
const gemini = {
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'response-1',
};

const WHOLE: Readonly<Record<Api, object>> = {
  chat: {
    ...chat,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: REPLY, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: chatUsage,
  },
  responses: response,
  messages: { ...message, content: [{ type: 'text', text: REPLY }], stop_reason: 'end_turn', usage },
  gemini: { ...gemini, candidates: [candidate(REPLY, 'STOP')] },
};

const STREAMED: Readonly<Record<Api, readonly string[]>> = {
  chat: [
    ...[
      chatChunk({ role: 'assistant', content: '' }),
      ...PIECES.map((content) => chatChunk({ content })),
      chatChunk({}, 'stop'),
    ].map(data),
    'data: [DONE]\n\n',
  ],
  responses: responseEvents().map((event, sequence) => named({ ...event, sequence_number: sequence })),
  messages: [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...PIECES.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ].map(named),
  gemini: PIECES.map((text, index) =>
    data({ ...gemini, candidates: [candidate(text, index === PIECES.length - 1 ? 'STOP' : undefined)] }),
  ),
};

function chatChunk(delta: object, finishReason: string | null = null): object {
  return {
    ...chat,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
}

function responseEvents(): readonly TypedEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const emptyItem = { ...outputItem, status: 'in_progress', content: [] };
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: emptyItem },
    { type: 'response.content_part.added', ...place, part: { ...outputText, text: '' } },
    ...PIECES.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text: REPLY, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: outputText },
    { type: 'response.output_item.done', output_index: 0, item: outputItem },
    { type: 'response.completed', response },
  ];
}

function candidate(text: string, finishReason: string | undefined): object {
  return {
    content: { role: 'model', parts: [{ text }] },
    index: 0,
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}

function data(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function named(event: TypedEvent): string {
  return `event: ${event.type}\n${data(event)}`;
}
