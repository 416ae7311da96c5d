/** One call through the proxy, from the first byte of its request to the last byte of its response. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeWait } from '../events/describe-event.ts';
import { oneLine } from '../failure/failure-label.ts';
import {
  outcomeOf,
  type PendingRetry,
  type RetryConfig,
  RetryController,
  type RetryFetch,
  StalledStreamError,
  TruncatedStreamError,
} from '../index.ts';
import { publicUrl, secretsOf } from '../redact/redact.ts';
import { HOLD_BUDGET, type HoldBudget } from '../http/repeats.ts';
import { hide } from '../runtime/values.ts';
import type { ByteBudget } from './byte-budget.ts';
import { errorEvent, isStreamOf, KeepAlive, streamProtocolOf } from './keep-alive.ts';
import type { ProxySettings } from './options.ts';
import { gatewayProblem, NO_RETRY, type Problem, problemOf, sendProblem } from './problem.ts';
import { admitLength, type Body, readBody } from './read-body.ts';
import { RefusedError } from './refused-error.ts';
import { requestHeaders } from './headers.ts';
import { breakOff, isBroken, sendBody, sendHead } from './send-response.ts';
import { targetUrlOf } from './target-url.ts';

/** A wait in progress, for the status page. */
export interface Wait extends PendingRetry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** What all calls of a proxy share. */
export interface CallContext {
  readonly settings: ProxySettings;
  readonly budget: ByteBudget;
  /** One for all calls, because it remembers those that were given up. */
  readonly fetch: RetryFetch;
}

/** A client's request, read completely, as it is sent to the target. */
interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: empty. */
  readonly body: Body | undefined;
}

/** The share of a client's time limit that may be over when the last attempt begins. */
const USABLE_PART = 0.9;
/** Of a comment. */
const MOST_CHARACTERS = 500;

export class Call {
  readonly id: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #context: CallContext;
  readonly #abort = new AbortController();
  readonly #controller = new RetryController();
  readonly #startedAt = Date.now();
  /** False while the client waits for `100 Continue` before it sends the body. */
  #isSending: boolean;
  #bufferedBytes = 0;
  /** Those of them that the answer of the present attempt takes. */
  #heldBytes = 0;
  #isOver = false;
  #outgoing: Outgoing | undefined;
  /** Whether a request was sent to the target, as far as nothing else is known. */
  #isSent = false;
  /** How the retries ended; undefined if there were none. */
  #end: ReturnType<typeof outcomeOf>;
  #keepAlive: KeepAlive | undefined;
  /** Whether the body of the target's response has begun after keep-alive lines. */
  #isStreaming = false;

  /** `asksFirst`: the client waits for `100 Continue` before it sends the body. */
  constructor(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
    context: CallContext,
    asksFirst: boolean,
  ) {
    this.id = id;
    this.#request = request;
    this.#response = response;
    this.#context = context;
    this.#isSending = !asksFirst;
  }

  /** undefined if the call does not wait. */
  get wait(): Wait | undefined {
    const { state } = this.#controller;
    if (state.status !== 'waiting') return undefined;
    const { method = 'GET', url = '' } = this.#request;
    // A key may stand in the path as well as in a header.
    const path = publicUrl(url, this.#outgoing && secretsOf(this.#outgoing));
    return { ...state, id: this.id, method, path };
  }

  get #summary(): string {
    const { state } = this.#controller;
    if (state.status !== 'waiting') return 'waiting for the answer';
    const delayMs = Math.max(0, Math.ceil((state.nextAttemptAt - Date.now()) / 1_000) * 1_000);
    return oneLine(describeWait({ ...state, delayMs }), MOST_CHARACTERS);
  }

  /** Answers the request. Never rejects. */
  async run(): Promise<void> {
    try {
      this.#outgoing = await this.#read();
      const response = await this.#fetch(this.#outgoing);
      this.#end = outcomeOf(response);
      await this.#deliver(response);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#keepAlive?.end();
    }
  }

  /** Announces `Connection: close`, unless the headers were sent before. */
  closeConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader('connection', 'close');
  }

  /** Ends the current wait and sends the next attempt. */
  retryNow(): void {
    this.#controller.retryNow();
  }

  /** Ends the current wait and returns the last failure. */
  giveUp(): void {
    this.#controller.giveUp();
  }

  /** Cleans up when the response or the connection has ended, and stops a call that still runs. */
  end(): void {
    if (!this.#response.writableFinished) this.#abort.abort(new DOMException('The client has gone', 'AbortError'));
    this.#isOver = true;
    this.#giveBack(this.#bufferedBytes);
  }

  /** Ends the call: a response that has begun breaks off, any other becomes a 503. */
  cancel(): void {
    this.#abort.abort(new RefusedError(503, 'stopped', 'The proxy was stopped before there was an answer.'));
  }

  #giveBack(bytes: number): void {
    this.#context.budget.give(bytes);
    this.#bufferedBytes -= bytes;
  }

  /** A held answer is in memory twice: for the hold, and for the client. */
  readonly #held: HoldBudget = {
    take: (bytes) => {
      const isTaken = !this.#isOver && this.#context.budget.hold(2 * bytes);
      if (!isTaken) return false;
      this.#bufferedBytes += 2 * bytes;
      this.#heldBytes += 2 * bytes;
      return true;
    },
    giveBack: () => {
      if (!this.#isOver) this.#giveBack(this.#heldBytes);
      this.#heldBytes = 0;
    },
  };

  /** Rejects with a `RefusedError` if the request cannot be sent, and as {@link readBody} does. */
  async #read(): Promise<Outgoing> {
    const request = this.#request;
    const { settings, budget } = this.#context;
    const url = targetUrlOf(request.url ?? '', settings.target);
    admitLength(request, settings.maxBodyBytes);
    if (!this.#isSending) this.#response.writeContinue();
    this.#isSending = true;
    const take = (bytes: number): void => {
      budget.take(bytes);
      this.#bufferedBytes += bytes;
    };
    const { method = 'GET' } = request;
    const body = await readBody(request, settings.maxBodyBytes, take, this.#abort.signal);
    if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
      const message = `A ${method} with a body cannot be forwarded; leave the body out.`;
      throw new RefusedError(400, 'body_not_allowed', message);
    }
    return { url, method, headers: requestHeaders(request.rawHeaders), body };
  }

  async #fetch(outgoing: Outgoing): Promise<Response> {
    const { url, method, headers, body } = outgoing;
    const { settings, fetch } = this.#context;
    const { retry, keepAliveAfterMs } = settings;
    const protocol = keepAliveAfterMs === undefined ? undefined : streamProtocolOf(url, body);
    // A client with a time limit before the first keep-alive line would never see one.
    if (protocol !== undefined && keepAliveAfterMs !== undefined && keepAliveAfterMs < this.#clientTimeoutMs(headers)) {
      const afterMs = keepAliveAfterMs - (Date.now() - this.#startedAt);
      this.#keepAlive = new KeepAlive(this.#response, protocol, afterMs, () => this.#summary);
      // A healthy stream is a long wait too, if it is held.
      if (isHeldLong(retry)) this.#keepAlive.wait();
    }
    const { signal } = this.#abort;
    const limitMs = this.#clientLimitMs(headers);
    const retrying = fetch.with({
      maxElapsedMs: Math.min(retry.maxElapsedMs ?? Infinity, Math.max(1, limitMs)),
      controller: this.#controller,
      callId: this.id,
      onEvent: ({ type }) => {
        if (type === 'retry' || type === 'delayed') this.#keepAlive?.wait();
      },
    });
    this.#isSent = true;
    const init: RequestInit = {
      method,
      headers,
      ...(body !== undefined && { body }),
      // The client decides whether to follow: it sees where the redirect leads.
      redirect: 'manual',
      signal,
    };
    hide(init, HOLD_BUDGET, this.#held);
    return retrying(url, init);
  }

  /** The milliseconds that waits may still take before the client's time limit. */
  #clientLimitMs(headers: Outgoing['headers']): number {
    // Keep-alive lines keep the client from timing out.
    if (this.#keepAlive !== undefined) return Infinity;
    return this.#clientTimeoutMs(headers) * USABLE_PART - (Date.now() - this.#startedAt);
  }

  #clientTimeoutMs(headers: Outgoing['headers']): number {
    const announcedMs = timeoutIn(headers);
    const { clientTimeoutMs = Infinity } = this.#context.settings;
    return Math.min(clientTimeoutMs, announcedMs ?? Infinity);
  }

  async #deliver(response: Response): Promise<void> {
    const { signal } = this.#abort;
    const keepAlive = this.#keepAlive;
    if (keepAlive?.hasBegun === true) {
      if (this.#end?.type === 'failed' || !keepAlive.canGoOnWith(response))
        await keepAlive.failWith(response, this.#end?.type === 'failed' ? this.#end.failure : undefined, signal);
      else
        await sendBody(response, this.#response, signal, () => {
          keepAlive.end();
          this.#isStreaming = true;
        });
      return;
    }
    keepAlive?.end();
    const headers = this.#isFinal ? NO_RETRY : {};
    sendHead(response, this.#response, { headers, keepsLength: !this.#mayEndEarly(response) });
    await sendBody(response, this.#response, signal);
  }

  #fail(error: unknown): void {
    const response = this.#response;
    this.#end = outcomeOf(error) ?? this.#end;
    if (response.destroyed || this.#request.socket.destroyed) return;
    const problem = this.#problemOf(error);
    if (this.#keepAlive?.hasBegun === true && !this.#isStreaming) {
      this.#keepAlive.fail(problem);
      return;
    }
    const event = response.headersSent ? this.#eventFor(error) : undefined;
    if (event !== undefined) {
      response.end(event);
      return;
    }
    if (response.headersSent || this.#isHandedOn(error)) {
      breakOff(response, error);
      return;
    }
    // If Node refuses one of the target's headers, those before it are set already.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    sendProblem(this.#request, response, problem, this.#isSending);
  }

  /**
   * What the watch over a stream has found, as an error event of its protocol; a stalled line ends before it. Cohere's
   * SDK does not report its own, so there the connection breaks.
   */
  #eventFor(error: unknown): string | undefined {
    const isFound = error instanceof StalledStreamError || error instanceof TruncatedStreamError;
    if (!isFound || this.#response.hasHeader('content-length')) return undefined;
    const protocol = this.#protocol;
    if (protocol === undefined || protocol === 'cohere') return undefined;
    const { type, message } = error.failure;
    return `\n\n${errorEvent(protocol, { status: type === 'timeout' ? 504 : 502, type, message })}`;
  }

  /** Whether an error event may have to follow the body of this stream, although it has a length. */
  #mayEndEarly(response: Response): boolean {
    const protocol = response.headers.has('content-length') ? this.#protocol : undefined;
    return protocol !== undefined && isStreamOf(protocol, response);
  }

  get #protocol(): ReturnType<typeof streamProtocolOf> {
    return this.#outgoing && streamProtocolOf(this.#outgoing.url, this.#outgoing.body);
  }

  /**
   * Whether the client's connection breaks as the target's did. Some clients retry that and no 502. A 502 comes where
   * it has to carry a mark.
   */
  #isHandedOn(error: unknown): boolean {
    return isBroken(error) && this.#mark !== 'mark';
  }

  #problemOf(error: unknown): Problem {
    const attempts = this.#end?.attempts ?? Number(this.#isSent);
    if (error instanceof RefusedError) return problemOf(error, attempts);
    return gatewayProblem(error, attempts, this.#mark);
  }

  get #mark(): RetryConfig['exhausted'] {
    return this.#isFinal ? 'mark' : this.#context.settings.retry.exhausted;
  }

  /**
   * Whether the client must not repeat the request: a person has given it up, it may have run a tool already, or it got
   * what is remembered of a failure that no wait can help.
   */
  get #isFinal(): boolean {
    if (this.#end?.type !== 'failed') return false;
    const { attempts, because } = this.#end;
    const isRemembered = because === 'not-retryable' && attempts === 0;
    return isRemembered || because === 'given-up' || because === 'irreversible-operation';
  }
}

/** Whether a stream is held for longer than until its first content. */
function isHeldLong({ answers = {} }: RetryConfig): boolean {
  return answers !== false && (answers.holdUntil === 'text' || answers.holdUntil === 'end');
}

/** The time limit that the SDKs of OpenAI and Anthropic announce in a header. */
function timeoutIn(headers: Outgoing['headers']): number | undefined {
  const seconds = headers['x-stainless-timeout'] ?? '';
  return /^\d{1,6}(?:\.\d+)?$/.test(seconds) && Number(seconds) > 0 ? Number(seconds) * 1_000 : undefined;
}
