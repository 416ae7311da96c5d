/**
 * The four APIs of the server: how it writes an answer, whole or as a stream, how it reports a failure, and the names of
 * its limits in headers, as the providers document them.
 */

import { type Api, answerOf, eventsOf, readRequest } from '../apis.ts';

export interface ModelRequest {
  readonly api: Api;
  readonly isStreamed: boolean;
  /** Which call of the day it belongs to; from the prompt. */
  readonly call: number;
}

/** The reasons for which a provider fails a request. */
export type Reason = 'overloaded' | 'rate-limit' | 'quota' | 'too-long' | 'server-error';

/** The prompt of a call. Its number tells the server which call a request belongs to. */
export const promptOf = (call: number): string => `This is call number ${call}. Tell a story.`;

/** The number of pieces in which an answer is streamed. */
export const PIECES = 6;

/** The text of the answer to a call; a stream has a piece for each word. */
export const answerTo = (call: number): string => `Story ${call}: crow met fox again.`;

/** undefined for a request that does not call a model. */
export function readCall(path: string, body: string): ModelRequest | undefined {
  const call = /call number (\d+)\./.exec(body)?.[1];
  const request = readRequest(path, body);
  return call === undefined || request === undefined ? undefined : { ...request, call: Number(call) };
}

/** The answer as JSON. */
export const wholeAnswer = (api: Api, call: number): string => answerOf(api, answerTo(call), false).body;

/** The answer as a stream: the events before the first content, one event for each piece, and the end. */
export interface Streamed {
  readonly before: readonly string[];
  readonly pieces: readonly string[];
  readonly end: readonly string[];
}

export function streamedAnswer(api: Api, call: number): Streamed {
  const events = eventsOf(api, answerTo(call));
  const first = events.findIndex((event) => event.includes('Story '));
  // The last piece of Gemini is its end.
  const end = Math.min(first + PIECES, events.length - 1);
  return { before: events.slice(0, first), pieces: events.slice(first, end), end: events.slice(end) };
}

type Refused = readonly [status: number, body: object];

const openai = (
  status: number,
  type: string,
  code: string | null,
  message: string,
  param: string | null = null,
): Refused => [status, { error: { message, type, param, code } }];
const anthropic = (status: number, type: string, message: string): Refused => [
  status,
  { type: 'error', error: { type, message } },
];
const google = (code: number, status: string, message: string, details?: readonly object[]): Refused => [
  code,
  { error: { code, message, status, details } },
];

const SPENT = 'You exceeded your current quota, please check your plan and billing details.';
const QUOTA_OF_ZERO = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaValue: '0' }],
};

const REFUSALS: Readonly<Record<Reason, Readonly<Record<'openai' | 'messages' | 'gemini', Refused>>>> = {
  overloaded: {
    openai: openai(503, 'server_error', null, 'The server is overloaded or not ready yet.'),
    messages: anthropic(529, 'overloaded_error', 'Overloaded'),
    gemini: google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  },
  'rate-limit': {
    openai: openai(
      429,
      'requests',
      'rate_limit_exceeded',
      'Rate limit reached for gpt-5 in organization org-1 on requests per min (RPM): Limit 500, Used 500, Requested 1.',
    ),
    messages: anthropic(429, 'rate_limit_error', 'This request would exceed your rate limit. Please try again later.'),
    gemini: google(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
  },
  quota: {
    openai: openai(429, 'insufficient_quota', 'insufficient_quota', SPENT),
    messages: anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
    gemini: google(429, 'RESOURCE_EXHAUSTED', SPENT, [QUOTA_OF_ZERO]),
  },
  'too-long': {
    openai: openai(
      400,
      'invalid_request_error',
      'context_length_exceeded',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      'messages',
    ),
    messages: anthropic(400, 'invalid_request_error', 'prompt is too long: 215000 tokens > 200000 maximum'),
    gemini: google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  },
  'server-error': {
    openai: openai(500, 'server_error', null, 'The server had an error while processing your request.'),
    messages: anthropic(500, 'api_error', 'Internal server error'),
    gemini: google(500, 'INTERNAL', 'An internal error has occurred.'),
  },
};

/** How a provider fails a request before an answer. */
export function refusal(api: Api, reason: Reason): { readonly status: number; readonly body: string } {
  const [status, body] = REFUSALS[reason][api === 'messages' || api === 'gemini' ? api : 'openai'];
  return { status, body: JSON.stringify(body) };
}

/** How a provider reports an overload inside a stream that began as a success. */
export function errorEvent(api: Api, call: number): string {
  if (api !== 'responses')
    return `${api === 'messages' ? 'event: error\n' : ''}data: ${refusal(api, 'overloaded').body}\n\n`;
  const error = { code: 'server_error', message: 'The model is overloaded.' };
  const response = { id: `resp_${call}`, object: 'response', status: 'failed', error, output: [] };
  const event = { type: 'response.failed', sequence_number: 1, response };
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
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
