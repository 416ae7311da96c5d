/** The decorator: an `HttpTransport` that retries the requests of an inner `HttpTransport`. */

import type { RetryConfig } from './options/config.ts';
import { HttpFace, runIfChosen } from './http/http-face.ts';
import { type HttpPolicy, resolveHttp, resolveHttpWith } from './http/http-policy.ts';
import type { Attempt } from './loop/face.ts';
import type { Target } from './route/route.ts';
import {
  copyMarked,
  forElsewhere,
  isForElsewhere,
  isReplayable,
  isSameOrigin,
  recordOf,
  withHeader,
} from './http/request-parts.ts';
import { wordsOf } from './http/request-words.ts';
import { discard } from './body/response-body.ts';
import { rememberSecrets, secretsBehind } from './redact/redact.ts';
import { FetchTransport } from './fetch-transport.ts';
import { isSignal, throwIfAborted } from './runtime/abort.ts';
import { run } from './loop/retry-loop.ts';
import type { HttpHeaders, HttpTransport, TransportResponse } from './transport.ts';

/**
 * Wraps a transport with retries. Responses and errors are those of the inner transport. The first attempt gets exactly
 * the caller's arguments; each retry gets the same body by reference, and a copy of the headers.
 */
export class RetryTransport implements HttpTransport {
  readonly #inner: HttpTransport;
  #policy: HttpPolicy;

  /** @throws TypeError if an option is invalid; the message names it */
  constructor(inner: HttpTransport, config: RetryConfig = {}) {
    if (typeof inner?.get !== 'function' || typeof inner.post !== 'function') {
      throw new TypeError(
        'Expected `inner` to be a transport with get() and post(); wrap a fetch with new FetchTransport({ fetch }).',
      );
    }
    this.#inner = inner;
    this.#policy = resolveHttp('RetryTransport', config);
    rememberSecrets(this, secretsBehind(inner));
  }

  get(url: string, headers?: HttpHeaders, signal?: AbortSignal): Promise<TransportResponse> {
    return this.#send('GET', sendGet, [url, undefined, headers, signal]);
  }

  post(url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Response> {
    return this.#send('POST', sendPost, [url, body, headers, signal]);
  }

  /**
   * A copy with other options, for one call or one conversation; options that are not given are kept. It shares the
   * gate and the fallback chain.
   */
  with(overrides: RetryConfig): RetryTransport {
    const other = new RetryTransport(this.#inner);
    other.#policy = resolveHttpWith('RetryTransport', this.#policy, overrides);
    return other;
  }

  #send<R>(method: 'GET' | 'POST', send: Send<R>, given: Arguments): Promise<R> {
    const policy = this.#policy;
    const [url, body] = given;
    let isChosen: boolean | undefined = true;
    try {
      if (policy.chooses !== undefined) isChosen = policy.chooses({ method, url, words: wordsOf(body) });
    } catch (error) {
      return Promise.reject(error);
    }
    if (isChosen === false) return send(this.#inner, ...given);
    const face = new TransportFace(policy, this.#inner, method, send, given);
    if (isChosen === true) return run(policy, face);
    face.defer();
    return runIfChosen(face, () => run(policy, face));
  }
}

/** The arguments of a call; those of `get` have no body. */
type Arguments = Parameters<HttpTransport['post']>;

type Send<R> = (transport: HttpTransport, ...args: Arguments) => Promise<R>;

const sendGet: Send<TransportResponse> = (transport, url, _body, headers, signal) =>
  transport.get(url, headers, signal);
const sendPost: Send<Response> = (transport, url, body, headers, signal) => transport.post(url, body, headers, signal);

class TransportFace<R> extends HttpFace<R> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: HttpHeaders | undefined;
  private readonly inner: HttpTransport;
  private readonly sendIt: Send<R>;
  private readonly given: Arguments;

  constructor(policy: HttpPolicy, inner: HttpTransport, method: 'GET' | 'POST', send: Send<R>, given: Arguments) {
    const [url, , headers, signal] = given;
    super(policy, isSignal(signal) ? signal : undefined);
    this.method = method;
    // The inner transport itself refuses a URL that is not a string, or a signal that is not one.
    this.url = typeof url === 'string' ? url : String(url);
    this.headers = headers === undefined ? undefined : copyMarked(headers);
    this.inner = inner;
    this.sendIt = send;
    this.given = given;
  }

  get body(): unknown {
    return this.given[1];
  }

  protected get source(): unknown {
    return this.body;
  }

  protected get innerSecrets(): readonly string[] {
    return secretsBehind(this.inner);
  }

  get replayable(): boolean {
    return isReplayable(this.body);
  }

  /** The call is that of another `RetryTransport`, which has moved to a target at another origin. */
  private get isForElsewhere(): boolean {
    return this.headers !== undefined && isForElsewhere(this.headers);
  }

  protected sendOwn(isFirst: boolean, signal: AbortSignal | undefined, added: HttpHeaders = {}): Promise<R> {
    const [url, body, given, givenSignal] = this.given;
    let headers = isFirst ? given : this.headers && copyMarked(this.headers);
    for (const [name, value] of Object.entries(added)) headers = withHeader(headers, name, value);
    if (this.isForElsewhere && headers !== undefined) forElsewhere(headers);
    return this.sendIt(this.inner, url, body, headers, signal ?? givenSignal);
  }

  protected async sendTo(target: Target, attempt: Attempt<R>, added: HttpHeaders): Promise<R> {
    const given = { url: this.url, headers: recordOf(this.headers), body: this.body };
    const answer = this.rewritten(target, attempt, given);
    // Awaited only if necessary: during an await, another call may learn that the key must rest.
    const { url, body, headers: rewritten } = answer instanceof Promise ? await answer : answer;
    const signal = attempt.signal ?? this.given[3];
    throwIfAborted(signal);
    let headers = rewritten;
    for (const [name, value] of Object.entries(added)) headers = withHeader(headers, name, value);
    if (!isSameOrigin(url, this.url) || this.isForElsewhere) forElsewhere(headers);
    const transport = target.fetch === undefined ? this.inner : new FetchTransport({ fetch: target.fetch });
    return this.sendIt(transport, url, body, headers, signal);
  }

  defer(): void {
    this.isDeferred = true;
  }

  unsent(reason: unknown): void {
    discard(this, reason);
  }
}
