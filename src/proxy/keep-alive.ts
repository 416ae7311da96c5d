/**
 * Keep-alive lines for a client that waits for a stream, in a form that its protocol ignores: comments in server-sent
 * events, blank lines in NDJSON. They keep the client from timing out. A later failure is then sent as an error event
 * of the protocol, because the status has been sent already.
 */

import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject, own, ownText, parseJson } from '../runtime/values.ts';
import type { Problem } from './problem.ts';

/** The streaming format of an API. */
export type StreamProtocol = 'anthropic' | 'cohere' | 'gemini' | 'ollama' | 'openai' | 'openai-responses';

export interface StreamedFailure extends Pick<Problem, 'status' | 'type' | 'message'> {
  /** The body of the target's response. */
  readonly body?: string | undefined;
}

const EVERY_MS = 8_000;

/**
 * The format of the stream that a request asks for; undefined if it asks for none, or if the format has no comments.
 */
export function streamProtocolOf(url: string, body: unknown): StreamProtocol | undefined {
  const { pathname, searchParams } = new URL(url);
  if (pathname.endsWith(':streamGenerateContent')) return searchParams.get('alt') === 'sse' ? 'gemini' : undefined;
  if (typeof body !== 'string') return undefined;
  const stream = own(parseJson(body), 'stream');
  // Ollama streams unless the request says `stream: false`.
  if (/\/api\/(?:chat|generate)$/.test(pathname)) return stream === false ? undefined : 'ollama';
  return stream === true ? PROTOCOLS.find(([ending]) => pathname.endsWith(ending))?.[1] : undefined;
}

const PROTOCOLS: readonly (readonly [ending: string, protocol: StreamProtocol])[] = [
  ['/messages', 'anthropic'],
  ['/v2/chat', 'cohere'],
  ['/responses', 'openai-responses'],
  ['/completions', 'openai'],
];

export function isStreamOf(protocol: StreamProtocol, { headers }: Response): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase() === mediaTypeOf(protocol);
}

function mediaTypeOf(protocol: StreamProtocol): string {
  return protocol === 'ollama' ? 'application/x-ndjson' : 'text/event-stream';
}

export interface KeepAlive {
  /** Whether the status and the headers have been sent. */
  readonly hasBegun: boolean;
  /** Sends lines from the first moment on, until `end`. */
  readonly wait: () => void;
  readonly end: () => void;
}

/** `beginsAt`: by `performance.now()`. `state`: the next comment, on one line; called for each one. */
export function createKeepAlive(
  response: ServerResponse,
  protocol: StreamProtocol,
  beginsAt: number,
  state: () => string,
): KeepAlive {
  let timer: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let hasEnded = false;
  const beat = (): void => {
    // `no-store`: the stream may end in an error, in spite of its status 200.
    if (!hasBegun) response.writeHead(200, { 'content-type': mediaTypeOf(protocol), 'cache-control': 'no-store' });
    hasBegun = true;
    // Sends the next line only after this one was written.
    response.write(protocol === 'ollama' ? '\n' : `: ${state()}\n\n`, () => {
      if (!hasEnded) timer = setTimeout(beat, EVERY_MS);
    });
  };
  return {
    get hasBegun() {
      return hasBegun;
    },
    wait: () => {
      if (!hasEnded) timer ??= setTimeout(beat, Math.max(0, beginsAt - performance.now()));
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}

/** An error event of the protocol: the target's own error if its body has one. */
export function errorEvent(protocol: StreamProtocol, failure: StreamedFailure): string {
  return ERROR_EVENTS[protocol](failure, ownError(failure.body));
}

const ERROR_EVENTS: Readonly<
  Record<StreamProtocol, (failure: StreamedFailure, error: JsonObject | undefined) => string>
> = {
  anthropic: ({ type, message }, given) =>
    event('error', { type: 'error', error: given ?? { type: ANTHROPIC_TYPES[type] ?? 'api_error', message } }),
  cohere: ({ message }, given) => {
    const delta = { finish_reason: 'ERROR', error: ownText(given, 'message') || message };
    return event('message-end', { type: 'message-end', delta });
  },
  gemini: ({ status, message }, given) =>
    event(undefined, { error: given ?? { code: status, message, status: GOOGLE_STATUSES[status] ?? 'UNKNOWN' } }),
  ollama: ({ message }, given) => `${JSON.stringify({ error: ownText(given, 'message') || message })}\n`,
  openai: (failure, given) => event(undefined, { error: given ?? openAiError(failure) }),
  'openai-responses': (failure, given) => {
    const error = { ...openAiError(failure), ...given };
    return event('error', { type: 'error', code: error.code, message: error.message, param: null, error });
  },
};

const ANTHROPIC_TYPES: Readonly<Record<string, string>> = {
  auth_invalid: 'authentication_error',
  billing_error: 'billing_error',
  invalid_request: 'invalid_request_error',
  model_not_found: 'not_found_error',
  overloaded: 'overloaded_error',
  permission_denied: 'permission_error',
  rate_limit: 'rate_limit_error',
  timeout: 'timeout_error',
};

const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function openAiError({ type, message, status }: StreamedFailure) {
  return { message, type, param: null, code: type === 'rate_limit' ? 'rate_limit_exceeded' : String(status) };
}

function event(name: string | undefined, data: object): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The `error` of a JSON body, also of one in a list, as Gemini sends it. */
function ownError(body: string | undefined): JsonObject | undefined {
  const value = parseJson(body ?? '');
  const answer: unknown = Array.isArray(value) ? value[0] : value;
  const error = own(answer, 'error');
  const message = error ?? own(answer, 'message');
  if (isObject(error)) return error;
  return typeof message === 'string' ? { message } : undefined;
}
