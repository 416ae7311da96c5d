/**
 * Keep-alive lines for a client that waits for a stream, in a form that its protocol ignores: comments in server-sent
 * events, blank lines in NDJSON. They keep the client from timing out. A later failure is then sent as an error event
 * of the protocol, because the status has been sent already.
 */

import type { ServerResponse } from 'node:http';
import { classify, type Failure } from '../index.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { isObject, type JsonObject, own, ownText, parseJson } from '../runtime/values.ts';
import { discard, peekBody } from '../body/response-body.ts';
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

export function isStreamOf(protocol: StreamProtocol, { headers }: Response): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase() === mediaTypeOf(protocol);
}

function mediaTypeOf(protocol: StreamProtocol): string {
  return protocol === 'ollama' ? 'application/x-ndjson' : 'text/event-stream';
}

const PROTOCOLS: readonly (readonly [ending: string, protocol: StreamProtocol])[] = [
  ['/messages', 'anthropic'],
  ['/v2/chat', 'cohere'],
  ['/responses', 'openai-responses'],
  ['/completions', 'openai'],
];

/** Sends keep-alive lines once the call has waited and is `afterMs` old, until `end`. */
export class KeepAlive {
  readonly #response: ServerResponse;
  readonly #protocol: StreamProtocol;
  readonly #beginsAt: number;
  readonly #state: () => string;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the status and the headers have been sent. */
  hasBegun = false;
  #hasEnded = false;

  /** `state`: the next comment, on one line; called for each one. */
  constructor(response: ServerResponse, protocol: StreamProtocol, afterMs: number, state: () => string) {
    this.#response = response;
    this.#protocol = protocol;
    this.#beginsAt = performance.now() + afterMs;
    this.#state = state;
  }

  /** Whether this response can follow the keep-alive lines: a stream in the same format. */
  canGoOnWith(response: Response): boolean {
    return response.ok && isStreamOf(this.#protocol, response);
  }

  wait(): void {
    if (this.#hasEnded) return;
    this.#timer ??= setTimeout(() => this.#beat(), Math.max(0, this.#beginsAt - performance.now()));
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  fail(failure: StreamedFailure): void {
    this.end();
    this.#response.end(errorEvent(this.#protocol, failure));
  }

  /**
   * Sends the target's response as an error event; reads only the beginning of its body. `known`: the failure of the
   * call, which the body may not show. Never rejects.
   */
  async failWith(response: Response, known: Failure | undefined, signal: AbortSignal): Promise<void> {
    const { body } = await peekBody(response, signal);
    discard(response);
    const text = textOf(body) ?? '';
    const { status, headers } = response;
    const shown = classify({ status, headers, body: text });
    if (this.canGoOnWith(response) && shown !== null) {
      // The error is part of the stream, which may have been cut within the line.
      this.end();
      this.#response.end(`${text}\n\n`);
      return;
    }
    const failure = shown ?? known;
    const type = headers.get('content-type') ?? 'no content type';
    this.fail({
      // A success that cannot be passed on is a gateway failure.
      status: status >= 400 ? status : 502,
      type: failure?.type ?? 'unknown',
      message:
        failure?.message ??
        `The target answered HTTP ${status} with ${type}, which cannot follow a stream that has begun; without keep-alive it is passed on.`,
      body: text,
    });
  }

  #beat(): void {
    if (!this.hasBegun) {
      this.hasBegun = true;
      // `no-store`: the stream may end in an error, in spite of its status 200.
      this.#response.writeHead(200, { 'content-type': mediaTypeOf(this.#protocol), 'cache-control': 'no-store' });
    }
    const line = this.#protocol === 'ollama' ? '\n' : `: ${this.#state()}\n\n`;
    // Sends the next line only after this one was written.
    this.#response.write(line, () => {
      if (!this.#hasEnded) this.#timer = setTimeout(() => this.#beat(), EVERY_MS);
    });
  }
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
