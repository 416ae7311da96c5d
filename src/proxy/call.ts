/** One call through the proxy, from the first byte of its request to the last byte of its response. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describeWait } from '../events/describe-event.ts';
import { oneLine } from '../failure/failure-label.ts';
import { discard, peekBody } from '../body/response-body.ts';
import { HOLD_BUDGET } from '../http/repeats.ts';
import {
  classify,
  type Failure,
  outcomeOf,
  type PendingRetry,
  type RetryConfig,
  RetryController,
  type RetryFetch,
  StalledStreamError,
  TruncatedStreamError,
} from '../index.ts';
import { publicUrl, secretsOf } from '../redact/redact.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { hide } from '../runtime/values.ts';
import type { Share } from './byte-budget.ts';
import { requestHeaders } from './headers.ts';
import {
  createKeepAlive,
  errorEvent,
  isStreamOf,
  type KeepAlive,
  type StreamProtocol,
  streamProtocolOf,
} from './keep-alive.ts';
import type { ProxySettings } from './options.ts';
import { NO_RETRY, problemOf, RefusedError, sendProblem } from './problem.ts';
import { admitLength, type Body, readBody } from './read-body.ts';
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
  readonly share: () => Share;
  /** One for all calls, because it remembers those that were given up. */
  readonly fetch: RetryFetch;
}

export interface Call {
  readonly id: string;
  readonly socket: Socket;
  /** undefined if the call does not wait. */
  readonly wait: Wait | undefined;
  /** Ends the current wait and sends the next attempt. */
  readonly retryNow: () => void;
  /** Ends the current wait and returns the last failure. */
  readonly giveUp: () => void;
  /** Announces `Connection: close`, unless the headers were sent before. */
  readonly closeConnection: () => void;
  /** Ends the call: a response that has begun breaks off, any other becomes a 503. */
  readonly cancel: () => void;
  /** Cleans up when the response or the connection has ended, and stops a call that still runs. */
  readonly end: () => void;
}

/** A client's request, read completely, as it is sent to the target. */
interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: empty. */
  readonly body: Body | undefined;
  /** Of the stream that it asks for. */
  readonly protocol: StreamProtocol | undefined;
}

/** The share of a client's time limit that may be over when the last attempt begins. */
const USABLE_PART = 0.9;
/** Of a comment. */
const MOST_CHARACTERS = 500;

/** Answers a request. `asksFirst`: the client waits for `100 Continue` before it sends the body. */
export function startCall(
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  context: CallContext,
  asksFirst: boolean,
): Call {
  const { settings, fetch } = context;
  const { retry, keepAliveAfterMs } = settings;
  const { socket } = request;
  const share = context.share();
  const abort = new AbortController();
  const { signal } = abort;
  const controller = new RetryController();
  const startedAt = performance.now();
  /** False while the client waits for `100 Continue`. */
  let isSending = !asksFirst;
  /** undefined: nothing was sent to the target. */
  let outgoing: Outgoing | undefined;
  /** How the retries ended; undefined if there were none. */
  let outcome: ReturnType<typeof outcomeOf>;
  let keepAlive: KeepAlive | undefined;
  /** Whether the body of the target's response has begun after keep-alive lines. */
  let isStreaming = false;

  const run = async (): Promise<void> => {
    try {
      outgoing = await read();
      const answer = await send(outgoing);
      outcome = outcomeOf(answer);
      await deliver(answer, outgoing.protocol);
    } catch (error) {
      fail(error);
    } finally {
      keepAlive?.end();
    }
  };

  /** Rejects with a `RefusedError` if the request cannot be sent, and as {@link readBody} does. */
  const read = async (): Promise<Outgoing> => {
    const url = targetUrlOf(request.url ?? '', settings.target);
    admitLength(request, settings.maxBodyBytes);
    if (!isSending) response.writeContinue();
    isSending = true;
    const { method = 'GET' } = request;
    const body = await readBody(request, settings.maxBodyBytes, share.keep, signal);
    if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
      const message = `A ${method} with a body cannot be forwarded; leave the body out.`;
      throw new RefusedError(400, 'body_not_allowed', message);
    }
    return { url, method, headers: requestHeaders(request.rawHeaders), body, protocol: streamProtocolOf(url, body) };
  };

  const send = ({ url, method, headers, body, protocol }: Outgoing): Promise<Response> => {
    const timeoutMs = Math.min(settings.clientTimeoutMs ?? Infinity, timeoutIn(headers));
    // A client with a time limit before the first keep-alive line would never see one.
    if (protocol !== undefined && keepAliveAfterMs !== undefined && keepAliveAfterMs < timeoutMs) {
      keepAlive = createKeepAlive(response, protocol, startedAt + keepAliveAfterMs, comment);
      // A healthy stream is a long wait too, if it is held.
      if (isHeldLong(retry)) keepAlive.wait();
    }
    // Keep-alive lines keep the client from timing out.
    const leftMs = keepAlive ? Infinity : timeoutMs * USABLE_PART - (performance.now() - startedAt);
    const retrying = fetch.with({
      maxElapsedMs: Math.min(retry.maxElapsedMs ?? Infinity, Math.max(1, leftMs)),
      controller,
      callId: id,
      onEvent: ({ type }) => {
        if (type === 'retry' || type === 'delayed') keepAlive?.wait();
      },
    });
    // The client decides whether to follow a redirect: it sees where it leads.
    const init: RequestInit = { method, headers, ...(body !== undefined && { body }), redirect: 'manual', signal };
    hide(init, HOLD_BUDGET, share);
    return retrying(url, init);
  };

  const comment = (): string => {
    const { state } = controller;
    if (state.status !== 'waiting') return 'waiting for the answer';
    const delayMs = Math.max(0, Math.ceil((state.nextAttemptAt - Date.now()) / 1_000) * 1_000);
    return oneLine(describeWait({ ...state, delayMs }), MOST_CHARACTERS);
  };

  const deliver = async (answer: Response, protocol: StreamProtocol | undefined): Promise<void> => {
    const isStream = protocol !== undefined && isStreamOf(protocol, answer);
    if (protocol === undefined || keepAlive?.hasBegun !== true) {
      keepAlive?.end();
      // An error event may have to follow the body of a stream.
      sendHead(answer, response, { headers: isFinal() ? NO_RETRY : {}, keepsLength: !isStream });
      return sendBody(answer, response, signal);
    }
    const failure = outcome?.type === 'failed' ? outcome.failure : undefined;
    if (failure !== undefined || !answer.ok || !isStream) {
      const text = await errorOf(answer, protocol, failure);
      keepAlive.end();
      response.end(text);
      return undefined;
    }
    return sendBody(answer, response, signal, () => {
      keepAlive?.end();
      isStreaming = true;
    });
  };

  /** The target's response as an error event; only the beginning of its body is read. */
  const errorOf = async (answer: Response, protocol: StreamProtocol, known: Failure | undefined): Promise<string> => {
    const text = textOf((await peekBody(answer, signal)).body) ?? '';
    discard(answer);
    const { status, headers, ok } = answer;
    const shown = classify({ status, headers, body: text });
    // The error is part of the stream, which may have been cut within the line.
    if (ok && isStreamOf(protocol, answer) && shown !== null) return `${text}\n\n`;
    const type = headers.get('content-type') ?? 'no content type';
    const message = `The target answered HTTP ${status} with ${type}, which cannot follow a stream that has begun; without keep-alive it is passed on.`;
    const failure = shown ?? known ?? { type: 'unknown', message };
    // A success that cannot be passed on is a gateway failure.
    return errorEvent(protocol, { ...failure, status: status >= 400 ? status : 502, body: text });
  };

  const fail = (error: unknown): void => {
    outcome = outcomeOf(error) ?? outcome;
    if (response.destroyed || socket.destroyed) return;
    const mark = isFinal() ? 'mark' : retry.exhausted;
    const problem = problemOf(error, outcome?.attempts ?? Number(outgoing !== undefined), mark);
    if (response.headersSent) {
      const event = eventFor(error, problem);
      if (event === undefined) breakOff(response, error);
      else response.end(event);
      return;
    }
    // Some clients retry a broken connection and no 502. A 502 comes where it has to carry a mark.
    if (isBroken(error) && mark !== 'mark') return breakOff(response, error);
    // If Node refuses one of the target's headers, those before it are set already.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    sendProblem(request, response, problem, isSending);
  };

  /** The error event for a response that has begun; undefined if its connection has to break. */
  const eventFor = (error: unknown, problem: ReturnType<typeof problemOf>): string | undefined => {
    const protocol = outgoing?.protocol;
    if (protocol === undefined) return undefined;
    if (keepAlive?.hasBegun === true && !isStreaming) return errorEvent(protocol, problem);
    // What the watch over a stream has found; a stalled line ends before it. Cohere's SDK does not report its own.
    const isFound = error instanceof StalledStreamError || error instanceof TruncatedStreamError;
    if (!isFound || protocol === 'cohere' || response.hasHeader('content-length')) return undefined;
    const { type, message } = error.failure;
    return `\n\n${errorEvent(protocol, { status: type === 'timeout' ? 504 : 502, type, message })}`;
  };

  /**
   * Whether the client must not repeat the request: a person has given it up, it may have run a tool already, or it got
   * what is remembered of a failure that no wait can help.
   */
  const isFinal = (): boolean => {
    if (outcome?.type !== 'failed') return false;
    const { attempts, because } = outcome;
    const isRemembered = because === 'not-retryable' && attempts === 0;
    return isRemembered || because === 'given-up' || because === 'irreversible-operation';
  };

  void run();
  return {
    id,
    socket,
    get wait() {
      const { state } = controller;
      if (state.status !== 'waiting') return undefined;
      const { method = 'GET', url = '' } = request;
      // A key may stand in the path as well as in a header.
      return { ...state, id, method, path: publicUrl(url, outgoing && secretsOf(outgoing)) };
    },
    retryNow: () => controller.retryNow(),
    giveUp: () => controller.giveUp(),
    closeConnection: () => {
      if (!response.headersSent) response.setHeader('connection', 'close');
    },
    cancel: () => abort.abort(new RefusedError(503, 'stopped', 'The proxy was stopped before there was an answer.')),
    end: () => {
      if (!response.writableFinished) abort.abort(new DOMException('The client has gone', 'AbortError'));
      share.end();
    },
  };
}

/** Whether a stream is held for longer than until its first content. */
function isHeldLong({ answers = {} }: RetryConfig): boolean {
  return answers !== false && (answers.holdUntil === 'text' || answers.holdUntil === 'end');
}

/** The time limit in milliseconds that the SDKs of OpenAI and Anthropic announce in a header. */
function timeoutIn(headers: Outgoing['headers']): number {
  const seconds = headers['x-stainless-timeout'] ?? '';
  return /^\d{1,6}(?:\.\d+)?$/.test(seconds) && Number(seconds) > 0 ? Number(seconds) * 1_000 : Infinity;
}
