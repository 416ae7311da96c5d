/**
 * The code that all providers share: the transport with its retries, and the steps of a request. Only the transport
 * retries, and nothing is retried once output has begun.
 */

import {
  type Check,
  checkOptions,
  row,
  expectHeaders,
  expectObject,
  expectText,
  flag,
  hasMethods,
  is,
  isFunction,
  number,
} from '../runtime/expect.ts';
import { discard } from '../body/response-body.ts';
import { secretsOf } from '../redact/redact.ts';
import {
  type Fetch,
  FetchTransport,
  type HttpHeaders,
  type HttpTransport,
  outcomeOf,
  redact,
  RetryTransport,
} from '../index.ts';
import { raceAbort, throwIfAborted } from '../runtime/abort.ts';
import { hide } from '../runtime/values.ts';
import { abortOnReturn } from './abort-on-return.ts';
import { Answer, type CallEnd } from './answer.ts';
import { type Completion, type CompletionEvent, type CompletionRequest, partsOf } from './completion.ts';
import { errorOfThrown } from './llm-error.ts';
import { COMPLETION_ANSWERS, completionRetryConfig, type LLMRetryConfig } from './retry-config.ts';
import type { StreamTranslator } from './stream-translator.ts';
import { partsOfStream } from './streamed-answer.ts';

/** The options of a provider. */
export interface LLMOptions {
  /** @default none: a local server needs no key */
  readonly apiKey?: string | undefined;
  /** @default the provider's address */
  readonly baseURL?: string | undefined;
  /** Sent with every request. A header with the same name as one of the provider's replaces it. */
  readonly headers?: HttpHeaders | undefined;
  /**
   * The options of `RetryTransport`. JSON answers are held by default here, so that errors inside them are retried
   * too. With `retryUnknownErrors`, the default with `presets.patient`, an unknown error that was thrown is retried
   * too, but a bug in the program is not.
   *
   * @default none: a request is sent once
   */
  readonly retry?: LLMRetryConfig | undefined;
  /** @default `globalThis.fetch`, looked up at each request */
  readonly fetch?: Fetch | undefined;
  /** Used instead of a transport over `fetch`, with `retry` wrapped around. */
  readonly transport?: HttpTransport | undefined;
}

const checksOfOptions = (): { readonly [K in keyof LLMOptions]-?: Check } => ({
  apiKey: expectKey,
  baseURL: expectText,
  headers: expectHeaders,
  retry: row(
    (name, value) => expectObject(name, value, 'an object such as { maxRetries: 3 }'),
    'maxRetries retries timeout',
    'retry: { maxRetries, attemptTimeoutMs }',
  ),
  fetch: is('a function with the shape of the global fetch', isFunction),
  transport: is('a transport with get() and post()', hasMethods('get', 'post')),
});

const checksOfRequest = (): { readonly [K in keyof CompletionRequest]-?: Check } => ({
  model: expectText,
  messages: is('a list of messages', Array.isArray),
  maxTokens: number(),
  temperature: number(),
  tools: is('a list of tools', Array.isArray),
  extra: (name, value) => expectObject(name, value, 'an object such as { top_p: 0.9 }'),
  signal: is('an AbortSignal', hasMethods('addEventListener', 'removeEventListener')),
});

/** @throws TypeError if a part of the request is missing, misspelt or invalid; the message names it */
function checkRequest({ model, messages, ...rest }: CompletionRequest): void {
  const checks = checksOfRequest();
  checks.model('model', model);
  checks.messages('messages', messages);
  checkOptions('', rest, checks);
}

/** Its message shows no key. */
function expectKey(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`Expected \`${name}\` to be a string, got ${typeof value}.`);
}

/** What Node prints in place of an object. */
const PRINT = /* @__PURE__ */ Symbol.for('nodejs.util.inspect.custom');

/** A provider whose calls are retried. `createLLM` makes one; a provider of your own extends this class. */
export abstract class BaseLLM {
  /** Private, because a printed or serialised object shows its properties. */
  readonly #options: LLMOptions;
  readonly #ownTransport: HttpTransport;
  #transport: HttpTransport | undefined;

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(options: LLMOptions = {}) {
    checkOptions('', expectObject('options', options, 'an object such as { apiKey }'), checksOfOptions());
    this.#options = options;
    // With `getters: true`, Node prints what a getter returns.
    hide(this, PRINT, (_depth: number, shown: object, inspect: (value: object, options: object) => string) => {
      return `${this.constructor.name} ${inspect(Object.fromEntries(Object.entries(this)), shown)}`;
    });
    this.#ownTransport = this.#makeTransport(options);
  }

  /** As given to the constructor. */
  protected get options(): LLMOptions {
    return this.#options;
  }

  /**
   * Gets the whole answer.
   *
   * @throws LLMError, the reason of the signal after an abort, or TypeError if the request is invalid
   */
  async generateCompletion(request: CompletionRequest): Promise<Completion> {
    const answer = await this.#ask(request, false);
    try {
      return await answer.completion((body) => this.readCompletion(body));
    } finally {
      answer.release();
    }
  }

  /**
   * Gets the answer in parts as they arrive; the request is sent at the first `next()`. A failure before any output is
   * thrown. A later failure is the last part, `error`, and is never retried. Breaking out of the iteration cancels the
   * request at once, also while a `next()` is pending.
   *
   * @throws LLMError, the reason of the signal after an abort, or TypeError if the request is invalid
   */
  streamCompletion(request: CompletionRequest): AsyncGenerator<CompletionEvent, void, undefined> {
    return abortOnReturn(request.signal, (signal) => this.#stream({ ...request, signal }));
  }

  async *#stream(request: CompletionRequest): AsyncGenerator<CompletionEvent, void, undefined> {
    const answer = await this.#ask(request, true);
    const translator = this.createTranslator();
    try {
      if (answer.isJson) yield* partsOf(await answer.completion((body) => this.readCompletion(body)));
      else yield* partsOfStream(answer, translator);
    } finally {
      answer.release(translator.isOver);
    }
  }

  /** Returns the transport of all requests: plain, or with `retry` around it. Called once, at the first request. */
  protected createTransport(): HttpTransport {
    return this.#ownTransport;
  }

  #makeTransport({ retry, transport, fetch }: LLMOptions): HttpTransport {
    const inner = transport ?? new FetchTransport({ fetch });
    if (retry === undefined) return inner;
    // The caller's options are checked before they are wrapped.
    const { retryUnknownErrors, ...request } = retry;
    if (retryUnknownErrors !== undefined) flag('retryUnknownErrors', retryUnknownErrors);
    return new RetryTransport(inner, request).with(completionRetryConfig(retry));
  }

  protected abstract readonly url: string;
  protected abstract requestHeaders(): HttpHeaders;
  protected abstract requestBody(request: CompletionRequest, stream: boolean): Readonly<Record<string, unknown>>;
  /** Reads the completion from a parsed body; undefined if it has none. */
  protected abstract readCompletion(body: unknown): Completion | undefined;
  protected abstract createTranslator(): StreamTranslator;

  /** Sends a request. The answer has a status below 400. */
  async #ask(request: CompletionRequest, stream: boolean): Promise<Answer> {
    checkRequest(request);
    const { signal } = request;
    throwIfAborted(signal);
    const secrets = secretsIn(this.options);
    const headers = withoutDoubles(this.requestHeaders(), this.options.headers);
    const body = this.requestBody(request, stream);
    this.#transport ??= this.createTransport();
    const { retry, transport } = this.options;
    let response: Response;
    let end: CallEnd;
    try {
      const sent = this.#transport.post(this.url, body, headers, signal);
      // `RetryTransport` ends at once too, and calls its listeners before it rejects: a race would reject earlier.
      response = await (this.#transport instanceof RetryTransport ? sent : raceAbort(sent, signal, discard));
      end = outcomeOf(response);
      // With `retry` the transport watches.
      if (retry === undefined && transport === undefined && stream && response.ok)
        response = await watching(response).post(this.url, body, headers, signal);
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : errorOfThrown(error, secrets);
    }
    const answer = new Answer(response, signal, secrets, end);
    try {
      const error = await answer.statusError();
      if (error !== null) throw error;
    } catch (error) {
      answer.release();
      throw error;
    }
    return answer;
  }
}

/** A transport that watches a stream which has begun. Without `retry`, one that goes silent would never end. */
function watching(response: Response): RetryTransport {
  const begun = async (): Promise<Response> => response;
  return new RetryTransport({ get: begun, post: begun }, { maxRetries: 0, answers: COMPLETION_ANSWERS });
}

/** Appends a path to a base address that may end in a slash and may have a query. */
export function addressUnder(baseURL: string, path: string): string {
  const [base = '', ...query] = baseURL.split('?');
  return [base.replace(/\/+$/, '') + path, ...query].join('?');
}

/** The caller's header wins, in any spelling of its name. */
function withoutDoubles(ours: HttpHeaders, given: HttpHeaders = {}): HttpHeaders {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const kept = Object.entries(ours).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(kept), ...given };
}

/** The texts that must not appear in an error. */
function secretsIn({ apiKey = '', headers, baseURL }: LLMOptions): readonly string[] {
  // The known shapes of keys are removed from a thrown error first, which may leave the rest of a key, or its second
  // line.
  return [apiKey, ...secretsOf({ url: baseURL, headers })]
    .flatMap((secret) => [secret, redact(secret), ...secret.split(/[\r\n]+/)])
    .filter((secret) => secret !== '');
}
