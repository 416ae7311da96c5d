/**
 * Keep-alive lines for a client that waits for a stream, in the form that its protocol ignores: comments in server-sent
 * events, blank lines in NDJSON. They keep its time limits from firing, and a failure then comes as the error event of the
 * protocol, because the status has been sent.
 */

import type { ServerResponse } from 'node:http';
import { classify } from '../index.ts';
import { textOf } from '../failure/first-bytes.ts';
import { discard, peekBody } from '../stream/response-body.ts';

/** How an API streams. */
export type StreamProtocol = 'anthropic' | 'cohere' | 'gemini' | 'ollama' | 'openai' | 'openai-responses';

/** A failure as a stream tells it. */
export interface StreamedFailure {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** The body of the target's own answer. */
  readonly body?: string | undefined;
}

const EVERY_MS = 8_000;

/** The protocol of the stream that a request asks for; undefined where it asks for none, or for one without comments. */
export function streamProtocolOf(url: string, body: unknown): StreamProtocol | undefined {
  const { pathname, searchParams } = new URL(url);
  if (pathname.endsWith(':streamGenerateContent')) return searchParams.get('alt') === 'sse' ? 'gemini' : undefined;
  if (typeof body !== 'string') return undefined;
  const stream = streamIn(body);
  // Ollama streams unless it is told not to.
  if (/\/api\/(?:chat|generate)$/.test(pathname)) return stream === false ? undefined : 'ollama';
  return stream === true ? PROTOCOLS.find(([ending]) => pathname.endsWith(ending))?.[1] : undefined;
}

const PROTOCOLS: readonly (readonly [ending: string, protocol: StreamProtocol])[] = [
  ['/messages', 'anthropic'],
  ['/v2/chat', 'cohere'],
  ['/responses', 'openai-responses'],
  ['/completions', 'openai'],
];

function streamIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'stream' in value ? value.stream : undefined;
  } catch {
    return undefined;
  }
}

/** Sends keep-alive lines from a given age of the call on, once there was a wait, until it is ended. */
export class KeepAlive {
  readonly #response: ServerResponse;
  readonly #protocol: StreamProtocol;
  readonly #beginsAt: number;
  readonly #state: () => string;
  #timer: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #hasEnded = false;

  /** `state` is asked at each comment: what is waited for. */
  constructor(response: ServerResponse, protocol: StreamProtocol, afterMs: number, state: () => string) {
    this.#response = response;
    this.#protocol = protocol;
    this.#beginsAt = performance.now() + afterMs;
    this.#state = state;
  }

  /** Whether the status and the headers have been sent. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether this response can follow the keep-alive lines: it is a stream in the same form. */
  canGoOnWith({ ok, headers }: Response): boolean {
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    return ok && type.trim().toLowerCase() === this.#mediaType;
  }

  /** A wait begins: from here on the call may be long. */
  wait(): void {
    if (this.#hasEnded) return;
    this.#timer ??= setTimeout(() => this.#beat(), Math.max(0, this.#beginsAt - performance.now()));
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  /** The failure, in place of a status. */
  fail(failure: StreamedFailure): void {
    this.end();
    this.#response.end(errorEvent(this.#protocol, failure));
  }

  /** The same for what the target answered, of which the beginning is read. Never rejects. */
  async failWith(response: Response, signal: AbortSignal): Promise<void> {
    const { body } = await peekBody(response, signal);
    discard(response);
    const text = textOf(body) ?? '';
    const { status, headers } = response;
    const failure = classify({ status, headers, body: text });
    if (this.canGoOnWith(response) && failure !== null) {
      // The error is in the stream. What ends its line may not have been read.
      this.end();
      this.#response.end(`${text}\n\n`);
      return;
    }
    const type = headers.get('content-type') ?? 'no content type';
    this.fail({
      // An answer that cannot be passed on is the failure of a gateway.
      status: status >= 400 ? status : 502,
      type: failure?.type ?? 'unknown',
      message:
        failure?.message ??
        `The target answered HTTP ${status} with ${type}, which cannot follow the stream that was begun; without keep-alive it is passed on.`,
      body: text,
    });
  }

  get #mediaType(): string {
    return this.#protocol === 'ollama' ? 'application/x-ndjson' : 'text/event-stream';
  }

  #beat(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      // `no-store`: what follows may be an error under a 200.
      this.#response.writeHead(200, { 'content-type': this.#mediaType, 'cache-control': 'no-store' });
    }
    const line = this.#protocol === 'ollama' ? '\n' : `: ${oneLine(this.#state())}\n\n`;
    // The next one only when the client has taken this one.
    this.#response.write(line, () => {
      if (!this.#hasEnded) this.#timer = setTimeout(() => this.#beat(), EVERY_MS);
    });
  }
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** An error as the protocol has it: the target's own where its body has one. */
export function errorEvent(protocol: StreamProtocol, failure: StreamedFailure): string {
  return ERROR_EVENTS[protocol](failure, ownError(failure.body));
}

type ErrorObject = Readonly<Record<string, unknown>>;

const ERROR_EVENTS: Readonly<
  Record<StreamProtocol, (failure: StreamedFailure, own: ErrorObject | undefined) => string>
> = {
  anthropic: ({ type, message }, own) =>
    event('error', { type: 'error', error: own ?? { type: ANTHROPIC_TYPES[type] ?? 'api_error', message } }),
  cohere: ({ message }, own) => {
    const delta = { finish_reason: 'ERROR', error: messageOf(own) ?? message };
    return event('message-end', { type: 'message-end', delta });
  },
  gemini: ({ status, message }, own) =>
    event(undefined, { error: own ?? { code: status, message, status: GOOGLE_STATUSES[status] ?? 'UNKNOWN' } }),
  ollama: ({ message }, own) => `${JSON.stringify({ error: messageOf(own) ?? message })}\n`,
  openai: (failure, own) => event(undefined, { error: own ?? openAiError(failure) }),
  'openai-responses': (failure, own) => {
    const error = { ...openAiError(failure), ...own };
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

function openAiError({ type, message, status }: StreamedFailure): {
  readonly message: string;
  readonly type: string;
  readonly param: null;
  readonly code: string;
} {
  return { message, type, param: null, code: type === 'rate_limit' ? 'rate_limit_exceeded' : String(status) };
}

function event(name: string | undefined, data: object): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The `error` of a JSON body, also of one in a list, as Gemini sends it. */
function ownError(body: string | undefined): ErrorObject | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '');
    const [answer] = Array.isArray(value) ? value : [value];
    if (!isRecord(answer)) return undefined;
    if (isRecord(answer['error'])) return answer['error'];
    const message = answer['error'] ?? answer['message'];
    return typeof message === 'string' ? { message } : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(error: ErrorObject | undefined): string | undefined {
  return typeof error?.['message'] === 'string' ? error['message'] : undefined;
}

const isRecord = (value: unknown): value is ErrorObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
