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
import { latin1 } from '../body/bytes.ts';
import type { TransportResponse } from '../transport.ts';
import { isSuccess } from './response-like.ts';

interface Remembered extends Pick<GivenUp<Response>, 'failure' | 'history' | 'isAccepted'> {
  readonly kept: Kept;
  /** The next moment, and when the call is forgotten, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly until: number;
  /** How far the wall clock was ahead of the monotonic one. */
  readonly aheadMs: number;
  readonly bytes: number;
}

/** How long a call is remembered for which the server named no time, or a shorter one. SDKs wait 8 s at most. */
const MEMORY_MS = 15_000;
/** The clocks drift apart a little. */
const MOST_DRIFT_MS = 1_000;
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
  readonly #clock: Required<Pick<Runtime, 'now' | 'monotonic'>>;
  /** Bodies that cannot be compared: each object is a body of its own. */
  readonly #objects = new WeakMap<object, number>();
  /** So that no request can be made whose key is that of another. */
  readonly #seed = systemRuntime.random() * 2 ** 32;
  #countOfObjects = 0;
  #bytes = 0;

  constructor(clock: Required<Pick<Runtime, 'now' | 'monotonic'>>, equal?: EqualRequests) {
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
    const now = this.#clock.now();
    const aheadMs = now - this.#clock.monotonic();
    const { failure, failed, history, notBefore } = end;
    const kept = keptOf(end);
    const until = Math.max(notBefore, now + MEMORY_MS);
    const bytes = 'body' in kept ? kept.body.length : 0;
    this.#bytes += bytes;
    const isAccepted = failed === undefined;
    this.#calls.set(key, { failure, isAccepted, history, kept, notBefore, until, aheadMs, bytes });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MOST_CALLS && this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** The call that a request repeats; undefined for a new one. */
  before(request: SentBefore, throws: boolean): GivenUp<Response> | undefined {
    for (const [key, known] of this.#calls)
      if (known.until - this.#setBackMs(known) <= this.#clock.now()) this.#forget(key);
    if (this.isEmpty) return undefined;
    const isTold = Number(retryCountOf(request)) > 0;
    const call =
      isTold || this.#equal?.isCompared(request) === true ? this.#calls.get(this.#keyOf(request)) : undefined;
    if (call === undefined) return undefined;
    const { failure, history, isAccepted } = call;
    const notBefore = call.notBefore - this.#setBackMs(call);
    const answer = (): Promise<Response> => answerOf(call, notBefore, throws);
    return { isTold, failure, history, notBefore, isAccepted, answer };
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

  /** How far the wall clock was set back. It decides otherwise, because it counts while the machine sleeps. */
  #setBackMs({ aheadMs }: Remembered): number {
    const ms = this.#clock.monotonic() + aheadMs - this.#clock.now();
    return ms > MOST_DRIFT_MS ? ms : 0;
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
  const json = { headers: { 'content-type': 'application/json' } };
  const { response, body = '', error }: KeptResult = failed?.result() ?? { response: new Response('', json) };
  if (response === undefined) return { error };
  if (!isSuccess(response)) return { like: headOf(response, response.status), body };
  return { like: headOf(response, statusOf(failure)), body: errorOf(failure, body) };
}

type KeptResult = ReturnType<NonNullable<GaveUp<Response>['failed']>['result']>;

/** The members of a response of a custom fetch may be anything. */
function headOf(response: Response | TransportResponse, status: number): ResponseHead {
  const { statusText = '', headers, url = '', type = 'default', redirected = false }: Partial<Response> = response;
  const isUsable = status >= 400 && status < 600;
  let given = new Headers();
  try {
    given = new Headers(headers);
  } catch {
    // Headers of another shape.
  }
  const head = { url, type, redirected, headers: given };
  return isUsable ? { ...head, status, statusText } : { ...head, status: 503, statusText: '' };
}

/** An error inside a success has the status of the success, which an SDK would take for an answer. */
function statusOf({ type, status = 0, retryable }: Failure): number {
  if (status >= 400) return status;
  if (type === 'rate_limit' || type === 'quota_exhausted') return 429;
  return retryable ? 503 : 400;
}

function errorOf({ type, message }: Failure, body: string): string {
  return isObject(parseJson(body)) ? body : JSON.stringify({ error: { type, message } });
}

/** Headers that are about the body as it was sent, or about a time that has passed. */
const PASSED_HEADERS = ['content-length', 'content-encoding', 'transfer-encoding', 'retry-after', 'retry-after-ms'];

async function answerOf({ failure, history, kept }: Remembered, notBefore: number, throws: boolean): Promise<Response> {
  if ('error' in kept) throw kept.error;
  const headers = new Headers(kept.like.headers);
  for (const name of PASSED_HEADERS) headers.delete(name);
  // Without `x-should-retry: false` of our own: an SDK with retries left may still wait until that moment.
  headers.set('retry-after', new Date(notBefore).toUTCString());
  const response = remakeResponse(kept.like, kept.body, headers);
  if (!throws || !failure.retryable) return response;
  const because = 'retry-after-too-long';
  throw new RetryExhaustedError(response.status, response, history, { because, possibleAt: notBefore });
}
