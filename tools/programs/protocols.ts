/**
 * The eight APIs of the played server: the requests that belong to each, a good reply in its format, and how it reports
 * a failed request. Written by hand, as small as the programs accept.
 */

import { crc32 } from 'node:zlib';
import { recordings } from '../../mocks/recordings.ts';
import { REPLY, streamedAnswer, wholeAnswer } from '../sdks/apis.ts';

export { REPLY };

export type Api = 'chat' | 'responses' | 'messages' | 'gemini' | 'ollama' | 'cohere' | 'bedrock' | 'embeddings';

/** The reply of `embeddings`, in place of a text. */
export const EMBEDDING: readonly number[] = [0.5, -0.25, 0.125];

/** The contents of a refusal. */
export type Reason = 'rate-limit' | 'overloaded' | 'quota';

/** A request for the model. */
export interface ModelRequest {
  readonly api: Api;
  readonly isStreamed: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A streamed reply: the events before the first content, the first content, and the rest. */
export interface StreamedReply {
  readonly contentType: string;
  readonly preamble: readonly Uint8Array[];
  readonly firstContent: Uint8Array;
  readonly rest: readonly Uint8Array[];
}

const PIECES = ['Hello, ', 'world.'] as const;

/** undefined for a request that does not call a model: a list of models, a count of tokens, telemetry. */
export function readModelRequest(path: string, body: string): ModelRequest | undefined {
  const [pathname = ''] = path.split('?');
  if (/:(generateContent|streamGenerateContent)$/.test(pathname)) {
    return { api: 'gemini', isStreamed: pathname.endsWith(':streamGenerateContent') };
  }
  if (/\/model\/[^/]+\/converse(-stream)?$/.test(pathname)) {
    return { api: 'bedrock', isStreamed: pathname.endsWith('-stream') };
  }
  const api = API_OF_PATH.find(([ending]) => pathname.endsWith(ending))?.[1];
  return (
    api && { api, isStreamed: streamsUnlessTold(api) ? !/"stream":\s*false/.test(body) : /"stream":\s*true/.test(body) }
  );
}

const API_OF_PATH: readonly (readonly [ending: string, api: Api])[] = [
  ['/chat/completions', 'chat'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
  ['/api/chat', 'ollama'],
  ['/v2/chat', 'cohere'],
  ['/embeddings', 'embeddings'],
];

function streamsUnlessTold(api: Api): boolean {
  return api === 'ollama';
}

/** The reply as one JSON document. */
export function wholeReply(api: Api): string {
  switch (api) {
    case 'chat':
    case 'responses':
    case 'messages':
    case 'gemini':
      return JSON.stringify(wholeAnswer(api));
    case 'ollama':
      return JSON.stringify({ ...OLLAMA, message: { role: 'assistant', content: REPLY }, ...OLLAMA_END });
    case 'cohere':
      return JSON.stringify({
        id: 'reply-1',
        finish_reason: 'COMPLETE',
        message: { role: 'assistant', content: [{ type: 'text', text: REPLY }] },
        usage: COHERE_USAGE,
      });
    case 'bedrock':
      return JSON.stringify({
        output: { message: { role: 'assistant', content: [{ text: REPLY }] } },
        stopReason: 'end_turn',
        usage: BEDROCK_USAGE,
        metrics: { latencyMs: 1 },
      });
    case 'embeddings':
      return JSON.stringify({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: EMBEDDING }],
        model: 'voyage-4',
        usage: { total_tokens: 9 },
      });
  }
}

/** The reply as a stream. */
export function streamedReply(api: Api): StreamedReply {
  const pieces = streamPieces(api);
  const contentAt = pieces.findIndex((piece) => Buffer.from(piece).includes(PIECES[0]));
  const firstContent = pieces[contentAt];
  if (firstContent === undefined) throw new Error(`The streamed reply of ${api} has no content.`);
  return {
    contentType: STREAM_TYPE[api],
    preamble: pieces.slice(0, contentAt),
    firstContent,
    rest: pieces.slice(contentAt + 1),
  };
}

const SSE = 'text/event-stream; charset=utf-8';
const STREAM_TYPE: Readonly<Record<Api, string>> = {
  chat: SSE,
  responses: SSE,
  messages: SSE,
  gemini: SSE,
  ollama: 'application/x-ndjson',
  cohere: SSE,
  bedrock: 'application/vnd.amazon.eventstream',
  embeddings: SSE,
};

function streamPieces(api: Api): readonly Uint8Array[] {
  switch (api) {
    case 'chat':
    case 'responses':
    case 'messages':
    case 'gemini':
      return streamedAnswer(api).map(bytes);
    case 'ollama':
      return [
        ...PIECES.map((content) => ({ ...OLLAMA, message: { role: 'assistant', content }, done: false })),
        { ...OLLAMA, message: { role: 'assistant', content: '' }, ...OLLAMA_END },
      ].map((line) => bytes(`${JSON.stringify(line)}\n`));
    case 'cohere':
      return [
        { type: 'message-start', id: 'reply-1', delta: { message: { role: 'assistant', content: [] } } },
        { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
        ...PIECES.map((text) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
        { type: 'content-end', index: 0 },
        { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: COHERE_USAGE } },
      ].map(namedEvent);
    case 'bedrock':
      return [
        eventFrame('messageStart', { role: 'assistant' }),
        ...PIECES.map((text) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
        eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
        eventFrame('messageStop', { stopReason: 'end_turn' }),
        eventFrame('metadata', { usage: BEDROCK_USAGE, metrics: { latencyMs: 1 } }),
      ];
    case 'embeddings':
      return [];
  }
}

const OLLAMA = { model: 'llama3.2', created_at: '2026-11-22T00:00:00Z' };
const OLLAMA_END = { done: true, done_reason: 'stop', total_duration: 1, eval_count: 4, prompt_eval_count: 9 };
const COHERE_USAGE = {
  billed_units: { input_tokens: 9, output_tokens: 4 },
  tokens: { input_tokens: 9, output_tokens: 4 },
};
const BEDROCK_USAGE = { inputTokens: 9, outputTokens: 4, totalTokens: 13 };

/** The API's refusal before an answer has begun. */
export function refusal(api: Api, reason: Reason): Refusal {
  const quota = reason === 'quota' ? QUOTA_ANSWER[api] : undefined;
  if (quota !== undefined) return quota;
  const headers = {
    'content-type': 'application/json',
    ...(api === 'bedrock' && { 'x-amzn-errortype': BEDROCK_EXCEPTION[reason] }),
  };
  return { status: statusOf(api, reason), headers, body: JSON.stringify(errorBody(api, reason)) };
}

function statusOf(api: Api, reason: Reason): number {
  if (reason !== 'overloaded') return 429;
  return api === 'messages' ? 529 : 503;
}

const MESSAGES: Readonly<Record<Reason, string>> = {
  'rate-limit': 'Rate limit reached: too many requests.',
  overloaded: 'The model is overloaded. Please try again later.',
  quota: 'You exceeded your current quota, please check your plan and billing details.',
};
const OPENAI_CODE = {
  'rate-limit': 'rate_limit_exceeded',
  overloaded: 'server_is_overloaded',
  quota: 'insufficient_quota',
} as const;
const ANTHROPIC_TYPE = {
  'rate-limit': 'rate_limit_error',
  overloaded: 'overloaded_error',
  quota: 'billing_error',
} as const;
const BEDROCK_EXCEPTION = {
  'rate-limit': 'ThrottlingException',
  overloaded: 'ServiceUnavailableException',
  quota: 'ThrottlingException',
} as const;
/** The recordings of the providers' own text for a quota that no wait can fix. */
const QUOTA_ANSWER: Readonly<Partial<Record<Api, Refusal>>> = {
  messages: recordings['anthropic-429-extra-usage-required'].response,
  gemini: recordings['gemini-429-quota-zero'].response,
  cohere: recordings['cohere-429-monthly-trial'].response,
  bedrock: recordings['bedrock-429-too-many-tokens-per-day'].response,
};

function errorBody(api: Api, reason: Reason): object {
  const message = MESSAGES[reason];
  switch (api) {
    case 'chat':
    case 'responses': {
      const type = reason === 'overloaded' ? 'server_error' : reason === 'quota' ? 'insufficient_quota' : 'requests';
      return { error: { message, type, param: null, code: OPENAI_CODE[reason] } };
    }
    case 'messages':
      return { type: 'error', error: { type: ANTHROPIC_TYPE[reason], message } };
    case 'gemini': {
      const status = reason === 'overloaded' ? 'UNAVAILABLE' : 'RESOURCE_EXHAUSTED';
      return { error: { code: statusOf(api, reason), message, status } };
    }
    case 'ollama':
      return { error: message };
    case 'cohere':
    case 'bedrock':
      return { message };
    case 'embeddings':
      return { detail: message };
  }
}

/** The API's overload error in the first event of a stream. */
export function errorEvent(api: Api): Uint8Array {
  const message = MESSAGES.overloaded;
  switch (api) {
    case 'chat':
    case 'gemini':
    case 'embeddings':
      return bytes(`data: ${JSON.stringify(errorBody(api, 'overloaded'))}\n\n`);
    case 'responses':
      return namedEvent({
        type: 'response.failed',
        sequence_number: 0,
        response: {
          id: 'resp_1',
          object: 'response',
          status: 'failed',
          error: { code: OPENAI_CODE.overloaded, message },
          output: [],
        },
      });
    case 'messages':
      return namedEvent({ type: 'error', error: { details: null, type: 'overloaded_error', message: 'Overloaded' } });
    case 'ollama':
      return bytes(`${JSON.stringify(errorBody(api, 'overloaded'))}\n`);
    case 'cohere':
      return namedEvent({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } });
    case 'bedrock':
      return frame({ ':message-type': 'exception', ':exception-type': 'serviceUnavailableException' }, { message });
  }
}

/**
 * The headers with which an API without `Retry-After` announces the reset of its limit; for Gemini a `RetryInfo` in the
 * body.
 */
export function resetHeaders(api: Api, seconds: number): Readonly<Record<string, string>> {
  switch (api) {
    case 'messages':
      return {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + seconds * 1000).toISOString(),
      };
    case 'gemini':
      return {};
    case 'chat':
    case 'responses':
    case 'ollama':
    case 'cohere':
    case 'bedrock':
    case 'embeddings':
      return {
        'x-ratelimit-limit-requests': '50',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': `${seconds}s`,
      };
  }
}

/** Gemini's refusal with the wait in `RetryInfo`. */
export function geminiRetryInfo(seconds: number): string {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }];
  return JSON.stringify({
    error: { code: 429, message: MESSAGES['rate-limit'], status: 'RESOURCE_EXHAUSTED', details },
  });
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

interface TypedEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

function namedEvent(event: TypedEvent): Uint8Array {
  return bytes(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function eventFrame(type: string, payload: object): Uint8Array {
  return frame({ ':message-type': 'event', ':event-type': type }, payload);
}

/** A frame of AWS's event stream: lengths, their checksum, headers, payload, the checksum of all of it. */
function frame(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const head = Buffer.concat(Object.entries({ ...headers, ':content-type': 'application/json' }).map(headerBytes));
  const body = Buffer.from(JSON.stringify(payload));
  const length = 16 + head.length + body.length;
  const message = Buffer.alloc(length);
  message.writeUInt32BE(length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, 12);
  body.copy(message, 12 + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, length - 4)), length - 4);
  return message;
}

const STRING_HEADER = 7;

function headerBytes([name, value]: readonly [string, string]): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING_HEADER]),
    length,
    Buffer.from(value),
  ]);
}
