/** One request on its way through the proxy, from its first byte to the last of its answer. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRetryFetch, type RetryEvent } from '../index.ts';
import { gatewayProblem } from './gateway-problem.ts';
import type { ProxySettings } from './options.ts';
import { problemOf, sendProblem } from './problem.ts';
import { admitLength, readBody } from './read-body.ts';
import { RefusedError } from './refused-error.ts';
import { requestHeaders } from './request-headers.ts';
import { breakOff, sendResponse } from './send-response.ts';
import { targetUrlOf } from './target-url.ts';

export class Call {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #settings: ProxySettings;
  readonly #abort = new AbortController();
  /** False while the client waits to be told to send its body. */
  #isSending: boolean;
  #attempts = 0;
  #nextAttemptAt: number | null = null;

  /** `asksFirst`: the client sends the body when it is told to. */
  constructor(request: IncomingMessage, response: ServerResponse, settings: ProxySettings, asksFirst: boolean) {
    this.#request = request;
    this.#response = response;
    this.#settings = settings;
    this.#isSending = !asksFirst;
  }

  /** When its wait ends, in milliseconds since the epoch; null while it does not wait. */
  get nextAttemptAt(): number | null {
    return this.#nextAttemptAt;
  }

  /** Answers the request. Never rejects. */
  async run(): Promise<void> {
    try {
      await sendResponse(await this.#fetch(), this.#response, this.#abort.signal);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** It is the last of its connection, and the client is told where it can still be. */
  closeConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader('connection', 'close');
  }

  /** Its connection or its response is over: whatever it is still doing, a wait included, is done for nobody any more. */
  end(): void {
    if (!this.#response.writableFinished) this.#abort.abort(new DOMException('The client has gone', 'AbortError'));
  }

  /** Ends the call at once: an answer that has begun breaks off, any other says that the proxy was stopped. */
  cancel(): void {
    this.#abort.abort(new RefusedError(503, 'stopped', 'The proxy was stopped before there was an answer.'));
  }

  async #fetch(): Promise<Response> {
    const request = this.#request;
    const { target, maxBodyBytes, retry } = this.#settings;
    const { signal } = this.#abort;
    const url = targetUrlOf(request.url ?? '', target);
    admitLength(request, maxBodyBytes);
    if (!this.#isSending) this.#response.writeContinue();
    this.#isSending = true;
    const { method = 'GET' } = request;
    const body = await readBody(request, maxBodyBytes, signal);
    if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
      throw new RefusedError(400, 'body_not_allowed', `A ${method} with a body is not sent on; leave the body out.`);
    }
    const retrying = createRetryFetch((input, init) => this.#attempt(input, init), {
      ...retry,
      onEvent: (event) => this.#hear(event),
    });
    return retrying(url, {
      method,
      headers: requestHeaders(request.rawHeaders),
      ...(body !== undefined && { body }),
      // Whether to follow is for the client to say, who sees where it leads.
      redirect: 'manual',
      signal,
    });
  }

  #attempt(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    this.#attempts += 1;
    this.#nextAttemptAt = null;
    return (this.#settings.fetch ?? globalThis.fetch)(input, init);
  }

  #hear(event: RetryEvent): void {
    this.#nextAttemptAt = event.type === 'retry' ? event.nextAttemptAt : null;
    // What a listener throws or rejects with is the library's to bear.
    return this.#settings.onEvent?.(event);
  }

  #fail(error: unknown): void {
    const response = this.#response;
    this.#nextAttemptAt = null;
    if (response.destroyed || this.#request.socket.destroyed) return;
    if (response.headersSent) {
      breakOff(response);
      return;
    }
    // A header of the target's that Node would not send may have left others behind.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const isFinal = this.#settings.retry.markFinalResponse === true;
    const problem =
      error instanceof RefusedError ? problemOf(error, this.#attempts) : gatewayProblem(error, this.#attempts, isFinal);
    sendProblem(this.#request, response, problem, this.#isSending);
  }
}
