/**
 * Remembers the calls that were given up. A client with retries of its own sends such a request again. It then gets one
 * request, not before the moment that the server named, in place of a fresh set of retries. An SDK says in a header that
 * it repeats a request.
 */

import { hasFailed } from '../events/outcome-of.ts';
import { RetryExhaustedError } from '../failure/http-status-error.ts';
import type { Failure } from '../failure/failure.ts';
import { remakeResponse, type ResponseHead } from '../body/remake-response.ts';
import type { GaveUp, GivenUp } from '../loop/face.ts';
import { isOrdinaryHeader } from '../redact/credentials.ts';
import { type Runtime, systemRuntime } from '../runtime/runtime.ts';
import { isObject, parseJson } from '../runtime/values.ts';
import { recordOf, tagOf } from './request-parts.ts';
import { bytesOf } from './request-words.ts';
import { latin1 } from './watched-events.ts';
import { isSuccess } from './response-like.ts';

interface Remembered extends Pick<GivenUp<Response>, 'failure' | 'history' | 'isAccepted' | 'notBefore'> {
  readonly kept: Kept;
  /** When it was given up, and when it is forgotten, in milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
  readonly bytes: number;
}

/** How long a call is remembered for which the server named no time, or a shorter one. SDKs wait 8 s at most. */
const MEMORY_MS = 15_000;
const MOST_CALLS = 100;
const MOST_BYTES = 1_048_576;

/** The parts of a request that tell whether it is the same as another. */
export interface SentBefore {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  readonly body: unknown;
}

/** How repeats are known without a header that says so; a proxy brings it. */
export interface EqualRequests {
  /** Names a request: two with one name are equal. */
  keyOf(request: SentBefore): string;
  /** Whether an equal request that comes afterwards is a repeat. */
  isCompared(request: SentBefore): boolean;
  /** Sends a request. `send` takes the call that it repeats, which the memory has. */
  send(
    memory: Pick<GivenUpCalls, 'before' | 'answered'>,
    request: SentBefore,
    throws: boolean,
    send: (before: GivenUp<Response> | undefined) => Promise<Response>,
  ): Promise<Response>;
}

export class GivenUpCalls {
  readonly #equal: EqualRequests | undefined;
  /** By the digest of the request: the keys hold no credential and no text. */
  readonly #calls = new Map<string, Remembered>();
  readonly #clock: Pick<Runtime, 'now'>;
  /** Bodies that cannot be compared: each object is a body of its own. */
  readonly #objects = new WeakMap<object, number>();
  /** So that no request can be made whose key is that of another. */
  readonly #seed = systemRuntime.random() * 2 ** 32;
  #countOfObjects = 0;
  #bytes = 0;

  constructor(clock: Pick<Runtime, 'now'>, equal?: EqualRequests) {
    this.#clock = clock;
    this.#equal = equal;
  }

  /** Whether no request can be a repeat. */
  get isEmpty(): boolean {
    return this.#calls.size === 0 && this.#equal === undefined;
  }

  /** Sends a request. `send` takes the call that it repeats. `throws`: with `exhausted: 'throw'`. */
  async send(
    request: SentBefore,
    throws: boolean,
    send: (before: GivenUp<Response> | undefined) => Promise<Response>,
  ): Promise<Response> {
    if (this.#equal !== undefined) return this.#equal.send(this, request, throws, send);
    return this.answered(request, await send(this.before(request, throws)));
  }

  /** Whether a repeat of a request would be known. */
  #knowsRepeats(request: SentBefore): boolean {
    return retryCountOf(request) !== undefined || this.#equal?.isCompared(request) === true;
  }

  remember(request: SentBefore, end: GaveUp<Response>): void {
    if (!this.#knowsRepeats(request)) return;
    const key = this.#keyOf(request);
    this.#forget(key);
    const since = this.#clock.now();
    const { failure, failed, history, notBefore } = end;
    const kept = keptOf(end);
    const until = Math.max(notBefore, since + MEMORY_MS);
    const bytes = 'body' in kept ? kept.body.length : 0;
    this.#bytes += bytes;
    this.#calls.set(key, { failure, isAccepted: failed === undefined, history, kept, notBefore, since, until, bytes });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MOST_CALLS && this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** The call that a request repeats; undefined for a new one. */
  before(request: SentBefore, throws: boolean): GivenUp<Response> | undefined {
    const now = this.#clock.now();
    // Before it was given up, the clock has been set back since.
    for (const [key, { since, until }] of this.#calls) if (until <= now || now < since) this.#forget(key);
    const isTold = Number(retryCountOf(request)) > 0;
    if (this.#calls.size === 0 || (!isTold && this.#equal?.isCompared(request) !== true)) return undefined;
    const call = this.#calls.get(this.#keyOf(request));
    return call && { ...call, isTold, answer: () => answerOf(call, throws) };
  }

  /** After a success a call is forgotten: what comes next repeats the one that has succeeded. */
  answered(request: SentBefore, response: Response): Response {
    const isSuccessful = isSuccess(response) && !hasFailed(response);
    if (isSuccessful && !this.isEmpty && this.#knowsRepeats(request)) this.#forget(this.#keyOf(request));
    return response;
  }

  #forget(key: string): void {
    this.#bytes -= this.#calls.get(key)?.bytes ?? 0;
    this.#calls.delete(key);
  }

  /** In two parts of 32 bits and with the length: the runtimes have no common SHA-256 that is synchronous. */
  #keyOf(request: SentBefore): string {
    if (this.#equal !== undefined) return this.#equal.keyOf(request);
    const { method, url, headers, body } = request;
    const lasting = Object.entries(recordOf(headers))
      .filter(([name]) => !isOrdinaryHeader(name) && !CHANGING_HEADER.test(name))
      .map(([name, value]) => [name, value.replace(SIGNATURE, '')]);
    const text = JSON.stringify([method, url, lasting, this.#comparable(body)]);
    let [one, two] = [this.#seed, 0x9e3779b9];
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      one = Math.imul(one ^ unit, 0x01000193);
      two = Math.imul(two ^ unit, 0x85ebca6b);
      two ^= two >>> 13;
    }
    return [text.length, one, two].join();
  }

  #comparable(body: unknown): unknown {
    if (!isObject(body)) return body;
    const bytes = bytesOf(body);
    if (bytes !== undefined) return [latin1(bytes)];
    if (tagOf(body) === 'URLSearchParams') return String(body);
    const number = this.#objects.get(body) ?? (this.#countOfObjects += 1);
    this.#objects.set(body, number);
    return number;
  }
}

/** Headers with a new value in every request, and the part of SigV4 that has one. */
const CHANGING_HEADER =
  /(?:^|-)(?:date|nonce|signature|baggage|idempotency-key|trace[\w-]*|(?:request|correlation|span)-?id)$/;
const SIGNATURE = /, *signature=.*/i;

const retryCountOf = ({ headers }: SentBefore): string | undefined => recordOf(headers)['x-stainless-retry-count'];

/** What is left of a call after its end: no response, because that would keep its body and its connection. */
type Kept = { readonly error: unknown } | { readonly like: ResponseHead; readonly body: string };

function keptOf({ failed, failure }: GaveUp<Response>): Kept {
  const {
    response,
    body = '',
    error,
  }: Partial<ReturnType<NonNullable<typeof failed>['result']>> = failed?.result() ?? {};
  if (failed !== undefined && response === undefined) return { error };
  // The members of a response of a custom fetch may be anything.
  const {
    status = 200,
    statusText = '',
    headers,
    url = '',
    type = 'default',
    redirected = false,
  }: Partial<Response> = response ?? {};
  const head = { url, type, redirected, headers: keptHeaders(headers) };
  if (status >= 400 && status < 600) return { like: { ...head, status, statusText }, body };
  const { type: failureType, message } = failure;
  // An error inside a success has the status of the success, which an SDK would take for an answer.
  return {
    like: { ...head, status: statusOf(failure), statusText: '' },
    body: isObject(parseJson(body)) ? body : JSON.stringify({ error: { type: failureType, message } }),
  };
}

function keptHeaders(given: unknown): Headers {
  const json = { 'content-type': 'application/json' };
  try {
    const headers = new Headers((given ?? json) as Headers);
    for (const name of PASSED_HEADERS) headers.delete(name);
    return headers;
  } catch {
    // Headers of another shape.
    return new Headers(json);
  }
}

function statusOf({ type, status = 0, retryable }: Failure): number {
  if (status >= 400 && status < 600) return status;
  if (type === 'rate_limit' || type === 'quota_exhausted') return 429;
  return retryable ? 503 : 400;
}

/** Headers that are about the body as it was sent, or about a time that has passed. */
const PASSED_HEADERS = ['content-length', 'content-encoding', 'transfer-encoding', 'retry-after', 'retry-after-ms'];

async function answerOf({ failure, history, kept, notBefore }: Remembered, throws: boolean): Promise<Response> {
  if ('error' in kept) throw kept.error;
  const headers = new Headers(kept.like.headers);
  // Without `x-should-retry: false` of our own: an SDK with retries left may still wait until that moment.
  headers.set('retry-after', new Date(notBefore).toUTCString());
  const response = remakeResponse(kept.like, kept.body, headers);
  if (!throws || !failure.retryable) return response;
  const because = 'retry-after-too-long';
  throw new RetryExhaustedError(response.status, response, history, { because, possibleAt: notBefore });
}
