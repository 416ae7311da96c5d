/**
 * The four APIs of the server: which requests belong to each, how it writes an answer, whole or as a stream, how it
 * reports a failure, and the names of its limits in headers. As the providers document them; see README.md.
 */

export type Api = 'chat' | 'responses' | 'messages' | 'gemini';

export interface ModelRequest {
  readonly api: Api;
  readonly isStreamed: boolean;
  /** Which call of the day it belongs to; from the prompt. */
  readonly call: number;
}

/** The reasons for which a provider fails a request. */
export type Reason = 'overloaded' | 'rate-limit' | 'quota' | 'too-long' | 'server-error';

export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** The prompt of a call. Its number tells the server which call a request belongs to. */
export const promptOf = (call: number): string => `This is call number ${call}. Tell a story.`;

/** The pieces of the answer to a call. */
function piecesOf(call: number): readonly string[] {
  return ['Story ', `${call}: `, 'the fox ', 'met the ', 'old crow ', 'and left.'];
}

/** The text of the answer to a call. */
export const answerTo = (call: number): string => piecesOf(call).join('');

/** undefined for a request that does not call a model. */
export function readRequest(path: string, body: string): ModelRequest | undefined {
  const [pathname = ''] = path.split('?');
  const call = Number(/call number (\d+)\./.exec(body)?.[1] ?? Number.NaN);
  if (!Number.isFinite(call)) return undefined;
  if (/:(?:streamG|g)enerateContent$/.test(pathname))
    return { api: 'gemini', isStreamed: pathname.endsWith(':streamGenerateContent'), call };
  const api = PATHS.find(([end]) => pathname.endsWith(end))?.[1];
  return api && { api, isStreamed: /"stream":\s*true/.test(body), call };
}

const PATHS: readonly (readonly [string, Api])[] = [
  ['/chat/completions', 'chat'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
];

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;

/** The answer as JSON. */
export function wholeAnswer(api: Api, call: number): string {
  const text = answerTo(call);
  switch (api) {
    case 'chat':
      return JSON.stringify({
        ...chat(call),
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 },
      });
    case 'responses':
      return JSON.stringify(responseOf(call, 'completed'));
    case 'messages':
      return JSON.stringify({
        ...message(call),
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 9, output_tokens: 6 },
      });
    case 'gemini':
      return JSON.stringify({ ...gemini, candidates: [candidate(text, 'STOP')] });
  }
}

/** The answer as a stream: the events before the first content, one event for each piece, and the end. */
export interface Streamed {
  readonly before: readonly string[];
  readonly pieces: readonly string[];
  readonly end: readonly string[];
}

export function streamedAnswer(api: Api, call: number): Streamed {
  const pieces = piecesOf(call);
  switch (api) {
    case 'chat': {
      const chunk = (delta: object, finish: string | null = null): string =>
        data({
          ...chat(call),
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        });
      return {
        before: [chunk({ role: 'assistant', content: '' })],
        pieces: pieces.map((content) => chunk({ content })),
        end: [chunk({}, 'stop'), 'data: [DONE]\n\n'],
      };
    }
    case 'responses':
      return responsesStream(call);
    case 'messages':
      return {
        before: [
          {
            type: 'message_start',
            message: { ...message(call), content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } },
          },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ].map(named),
        pieces: pieces.map((text) =>
          named({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } }),
        ),
        end: [
          { type: 'content_block_stop', index: 0 },
          {
            type: 'message_delta',
            delta: { stop_reason: 'end_turn', stop_sequence: null },
            usage: { output_tokens: 6 },
          },
          { type: 'message_stop' },
        ].map(named),
      };
    case 'gemini':
      return {
        before: [],
        pieces: pieces.slice(0, -1).map((text) => data({ ...gemini, candidates: [candidate(text)] })),
        end: [data({ ...gemini, candidates: [candidate(pieces.at(-1) ?? '', 'STOP')] })],
      };
  }
}

function chat(call: number): object {
  return { id: `chatcmpl-${call}`, created: 1_795_132_800, model: 'gpt-5' };
}

function message(call: number): object {
  return { id: `msg_${call}`, type: 'message', role: 'assistant', model: 'claude-sonnet-5', stop_sequence: null };
}

const gemini = {
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 6, totalTokenCount: 15 },
  modelVersion: 'gemini-2.5-flash',
};

function candidate(text: string, finishReason?: string): object {
  return {
    content: { role: 'model', parts: [{ text }] },
    index: 0,
    ...(finishReason !== undefined && { finishReason }),
  };
}

function responseOf(call: number, status: 'in_progress' | 'completed'): object {
  const content = { type: 'output_text', text: answerTo(call), annotations: [], logprobs: [] };
  const item = { type: 'message', id: `msg_${call}`, status: 'completed', role: 'assistant', content: [content] };
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 6,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const isOver = status === 'completed';
  return {
    id: `resp_${call}`,
    object: 'response',
    created_at: 1_795_132_800,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: 'gpt-5',
    output: isOver ? [item] : [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isOver ? usage : null,
  };
}

const part = (text: string): object => ({ part: { type: 'output_text', text, annotations: [], logprobs: [] } });

function responsesStream(call: number): Streamed {
  let sequence = 0;
  const event = (type: string, members: object): string => {
    const text = named({ type, ...{ sequence_number: sequence }, ...members });
    sequence += 1;
    return text;
  };
  const at = { item_id: `msg_${call}`, output_index: 0, content_index: 0 };
  const item = (status: string, content: readonly object[]): object => ({
    output_index: 0,
    item: { type: 'message', id: `msg_${call}`, status, role: 'assistant', content },
  });
  const whole = { type: 'output_text', text: answerTo(call), annotations: [], logprobs: [] };
  return {
    before: [
      event('response.created', { response: responseOf(call, 'in_progress') }),
      event('response.in_progress', { response: responseOf(call, 'in_progress') }),
      event('response.output_item.added', item('in_progress', [])),
      event('response.content_part.added', { ...at, ...part('') }),
    ],
    pieces: piecesOf(call).map((delta) => event('response.output_text.delta', { ...at, delta, logprobs: [] })),
    end: [
      event('response.output_text.done', { ...at, text: answerTo(call), logprobs: [] }),
      event('response.content_part.done', { ...at, ...part(answerTo(call)) }),
      event('response.output_item.done', item('completed', [whole])),
      event('response.completed', { response: responseOf(call, 'completed') }),
    ],
  };
}

const REFUSALS: Readonly<
  Record<Reason, Readonly<Record<'openai' | 'messages' | 'gemini', readonly [number, object]>>>
> = {
  overloaded: {
    openai: [
      503,
      {
        error: { message: 'The server is overloaded or not ready yet.', type: 'server_error', param: null, code: null },
      },
    ],
    messages: [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    gemini: [
      503,
      { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } },
    ],
  },
  'rate-limit': {
    openai: [
      429,
      {
        error: {
          message:
            'Rate limit reached for gpt-5 in organization org-1 on requests per min (RPM): Limit 500, Used 500, Requested 1.',
          type: 'requests',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
    ],
    messages: [
      429,
      {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: 'This request would exceed your rate limit. Please try again later.',
        },
      },
    ],
    gemini: [
      429,
      {
        error: { code: 429, message: 'Resource has been exhausted (e.g. check quota).', status: 'RESOURCE_EXHAUSTED' },
      },
    ],
  },
  quota: {
    openai: [
      429,
      {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      },
    ],
    messages: [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    ],
    gemini: [
      429,
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
              violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaValue: '0' }],
            },
          ],
        },
      },
    ],
  },
  'too-long': {
    openai: [
      400,
      {
        error: {
          message:
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    ],
    messages: [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 215000 tokens > 200000 maximum' },
      },
    ],
    gemini: [
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  },
  'server-error': {
    openai: [
      500,
      {
        error: {
          message: 'The server had an error while processing your request.',
          type: 'server_error',
          param: null,
          code: null,
        },
      },
    ],
    messages: [500, { type: 'error', error: { type: 'api_error', message: 'Internal server error' } }],
    gemini: [500, { error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } }],
  },
};

const familyOf = (api: Api): 'openai' | 'messages' | 'gemini' =>
  api === 'messages' || api === 'gemini' ? api : 'openai';

/** How a provider fails a request before an answer. */
export function refusal(api: Api, reason: Reason): Refusal {
  const [status, body] = REFUSALS[reason][familyOf(api)];
  return { status, body: JSON.stringify(body) };
}

/** How a provider reports an overload inside a stream that began as a success. */
export function errorEvent(api: Api, call: number): string {
  switch (api) {
    case 'chat':
      return data({
        error: { message: 'The server is overloaded or not ready yet.', type: 'server_error', code: null },
      });
    case 'responses':
      return named({
        type: 'response.failed',
        ...{
          sequence_number: 1,
          response: {
            id: `resp_${call}`,
            object: 'response',
            status: 'failed',
            error: { code: 'server_error', message: 'The model is overloaded.' },
            output: [],
          },
        },
      });
    case 'messages':
      return named({ type: 'error', ...{ error: { type: 'overloaded_error', message: 'Overloaded' } } });
    case 'gemini':
      return data({
        error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
      });
  }
}

/** The limit as the provider announces it in headers. `resetMs`: until the limit is whole again. */
export function limitHeaders(
  api: Api,
  limit: number,
  remaining: number,
  resetMs: number,
  nowMs: number,
): Readonly<Record<string, string>> {
  switch (api) {
    case 'chat':
    case 'responses':
      return {
        'x-ratelimit-limit-requests': String(limit),
        'x-ratelimit-remaining-requests': String(remaining),
        'x-ratelimit-reset-requests': resetMs < 1_000 ? `${Math.ceil(resetMs)}ms` : `${(resetMs / 1_000).toFixed(3)}s`,
      };
    case 'messages':
      return {
        'anthropic-ratelimit-requests-limit': String(limit),
        'anthropic-ratelimit-requests-remaining': String(remaining),
        'anthropic-ratelimit-requests-reset': new Date(nowMs + resetMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      };
    case 'gemini':
      return {};
  }
}
