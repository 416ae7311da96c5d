/**
 * What every provider has in common: the transport with its retries, and the way of a request through it. Retries happen
 * in the transport and nowhere else; nothing is asked again once output has begun.
 */

import {
  createRetryFetch,
  type Fetch,
  FetchTransport,
  type HttpHeaders,
  type HttpTransport,
  type RetryConfig,
  RetryTransport,
} from '../index.ts';
import { Answer } from './answer.ts';
import { type Completion, type CompletionEvent, type CompletionRequest, partsOf } from './completion.ts';
import { errorOfThrown } from './llm-error.ts';
import { completionRetryConfig } from './retry-config.ts';
import type { StreamTranslator } from './stream-translator.ts';
import { StreamedAnswer } from './streamed-answer.ts';

export interface LLMOptions {
  /** @default none: a server on this machine wants none */
  readonly apiKey?: string | undefined;
  /** @default the provider's own */
  readonly baseURL?: string | undefined;
  /** Sent with every request, and instead of a header of ours with the same name. */
  readonly headers?: HttpHeaders | undefined;
  /**
   * Retries, as `RetryTransport` takes them. Errors inside small JSON answers are looked for (`guardJson`) unless told
   * otherwise. With the schedule of `presets.patient` a thrown error that nobody knows is retried too, a bug never.
   *
   * @default none: a request is sent once
   */
  readonly retry?: RetryConfig | undefined;
  /** @default `globalThis.fetch`, looked up at each request */
  readonly fetch?: Fetch | undefined;
  /** In place of one over `fetch`; `retry` is put around it. */
  readonly transport?: HttpTransport | undefined;
}

export abstract class BaseLLM {
  protected readonly options: LLMOptions;
  #transport: HttpTransport | undefined;

  /** @throws TypeError for an option that cannot be, naming it */
  constructor(options: LLMOptions = {}) {
    const { apiKey, fetch, retry } = options;
    if (apiKey !== undefined && typeof apiKey !== 'string') {
      throw new TypeError(`Expected \`apiKey\` to be a string, got ${typeof apiKey}.`);
    }
    // Refuses options now that would otherwise be refused at the first request.
    createRetryFetch(fetch, retry);
    this.options = options;
  }

  /** The whole answer. @throws LLMError, or the reason of an abort */
  async generateCompletion(request: CompletionRequest): Promise<Completion> {
    const answer = await this.#ask(request, false);
    try {
      return await answer.completion((body) => this.readCompletion(body));
    } finally {
      answer.body.release();
    }
  }

  /**
   * The answer in parts as they arrive; the request is sent when the first is asked for. A failure before any output is
   * thrown. One after it is the last part, `error`, and is never asked for again. Breaking out of the iteration cancels
   * the answer.
   *
   * @throws LLMError, or the reason of an abort
   */
  async *streamCompletion(request: CompletionRequest): AsyncGenerator<CompletionEvent, void, undefined> {
    const answer = await this.#ask(request, true);
    let isComplete = false;
    try {
      if (answer.isJson) {
        // A server that does not stream.
        const completion = await answer.completion((body) => this.readCompletion(body));
        yield* untilAbort(partsOf(completion), request.signal);
        return;
      }
      const translator = this.createTranslator();
      const streamed = new StreamedAnswer(answer, translator);
      while (!streamed.isOver) {
        const parts = await streamed.next();
        isComplete = translator.isOver;
        yield* untilAbort(parts, request.signal);
      }
    } finally {
      if (isComplete) void answer.body.close();
      else answer.body.release();
    }
  }

  /** The transport of all requests: plain, or with `retry` around it. Called once, at the first request. */
  protected createTransport(): HttpTransport {
    const { retry, transport, fetch } = this.options;
    const inner = transport ?? new FetchTransport({ fetch });
    return retry === undefined ? inner : new RetryTransport(inner, completionRetryConfig(retry));
  }

  protected abstract readonly url: string;
  protected abstract requestHeaders(): HttpHeaders;
  protected abstract requestBody(request: CompletionRequest, stream: boolean): Readonly<Record<string, unknown>>;
  /** The completion in a parsed body; undefined where there is none in it. */
  protected abstract readCompletion(body: unknown): Completion | undefined;
  protected abstract createTranslator(): StreamTranslator;

  /** Sends a request. Gives an answer that has begun well. */
  async #ask(request: CompletionRequest, stream: boolean): Promise<Answer> {
    const { signal } = request;
    signal?.throwIfAborted();
    const secrets = secretsOf(this.options);
    const headers = withoutDoubles(this.requestHeaders(), this.options.headers);
    const body = this.requestBody(request, stream);
    this.#transport ??= this.createTransport();
    let response: Response;
    try {
      const sent = this.#transport.post(this.url, body, headers, signal);
      // Retries end at once and tell so before they reject; that must not be overtaken.
      response = await (this.#transport instanceof RetryTransport ? sent : untilAborted(sent, signal));
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : errorOfThrown(error, secrets);
    }
    const answer = new Answer(response, signal, secrets);
    try {
      const error = await answer.statusError();
      if (error !== null) throw error;
    } catch (error) {
      answer.body.release();
      throw error;
    }
    return answer;
  }
}

/** An address under a base that may end in a slash, and may have a query. */
export function addressUnder(baseURL: string, path: string): string {
  const [base = '', ...query] = baseURL.split('?');
  return [base.replace(/\/+$/, '') + path, ...query].join('?');
}

/** What has arrived already is not given any more after an abort. */
function* untilAbort(parts: Iterable<CompletionEvent>, signal: AbortSignal | undefined): Iterable<CompletionEvent> {
  for (const part of parts) {
    signal?.throwIfAborted();
    yield part;
  }
}

/** Transports of the caller's own may not listen to the signal. */
async function untilAborted(sent: Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  if (signal === undefined) return sent;
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal });
  });
  try {
    return await Promise.race([sent, aborted]);
  } catch (error) {
    if (signal.aborted) void letGo(sent);
    throw error;
  } finally {
    listening.abort();
  }
}

async function letGo(sent: Promise<Response>): Promise<void> {
  try {
    const { body } = await sent;
    await body?.cancel();
  } catch {
    // It is nobody's any more.
  }
}

/** The caller's header wins, however it is spelled. */
function withoutDoubles(ours: HttpHeaders, given: HttpHeaders = {}): HttpHeaders {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const kept = Object.entries(ours).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(kept), ...given };
}

const ORDINARY_HEADER = /^(?:accept|anthropic-|content-|http-referer|openai-|origin|user-agent|x-title)/i;

/** What must not be in anything that is said of a request. */
function secretsOf({ apiKey = '', headers = {}, baseURL = '' }: LLMOptions): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    // With its scheme, and without.
    ORDINARY_HEADER.test(name) ? [] : [value, value.replace(/^\S+\s+/, '')],
  );
  const parameters = [...new URLSearchParams(/\?.*/.exec(baseURL)?.[0])].filter(([name]) => name !== 'api-version');
  return [apiKey, ...values, ...parameters.map(([, value]) => value)].filter((secret) => secret !== '');
}
