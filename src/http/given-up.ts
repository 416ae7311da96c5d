/**
 * Remembers the calls that were given up. A client with retries of its own sends such a request again. It then gets one
 * request, not before the moment that the server named, in place of a fresh set of retries. An SDK says in a header that
 * it repeats a request; behind a proxy, whose clients may be any, an equal request that comes afterwards is a repeat too.
 */

import { RetryExhaustedError } from '../failure/http-status-error.ts';
import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import { remakeResponse, type ResponseHead } from '../body/remake-response.ts';
import type { GaveUp, GivenUp } from '../loop/face.ts';
import { createCallerOf } from '../redact/caller.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { sha256 } from '../runtime/sha256.ts';
import { get, isObject, parseJson } from '../runtime/values.ts';
import { BODY_NAME } from './repeats.ts';
import { recordOf, tagOf } from './request-parts.ts';
import type { TransportResponse } from '../transport.ts';
import { isSuccess } from './response-like.ts';

interface Remembered extends Pick<GivenUp<Response>, 'isAccepted'> {
  readonly failure: Failure;
  readonly history: readonly AttemptRecord[];
  readonly kept: Kept;
  /** The next moment, and when the call is forgotten; each by the wall clock and by the monotonic one. */
  readonly notBefore: readonly [number, number];
  readonly until: readonly [number, number];
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

export class GivenUpCalls {
  /** By the hash of the request: the keys hold no credential and no text. */
  readonly #calls = new Map<string, Remembered>();
  readonly #clock: Required<Pick<Runtime, 'now' | 'monotonic'>>;
  readonly #callerOf = createCallerOf();
  /** Bodies that cannot be compared: each object is a body of its own. */
  readonly #objects = new WeakMap<object, string>();
  /** How many equal requests run, by the hash of the request. */
  readonly #running = new Map<string, number>();
  readonly takesEqual: boolean;
  #countOfObjects = 0;
  #bytes = 0;

  /** `takesEqual`: an equal request is a repeat without a header that says so, unless it has no body. */
  constructor(clock: Required<Pick<Runtime, 'now' | 'monotonic'>>, takesEqual = false) {
    this.#clock = clock;
    this.takesEqual = takesEqual;
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** A request that is equal to one which still runs is another call. The returned function is called when it has ended. */
  begin(request: SentBefore): () => void {
    const key = this.#keyOf(request);
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    };
  }

  /** Forgets a call after a success of the same request. */
  forget(request: SentBefore): void {
    if (!this.isEmpty) this.#forget(this.#keyOf(request));
  }

  /** Remembers a call, unless its repeat would not be known. */
  remember(request: SentBefore, end: GaveUp<Response>): void {
    if (retryCountOf(request) === undefined && !this.#mayBeEqual(request)) return;
    const key = this.#keyOf(request);
    this.#forget(key);
    const [now, monotonicMs] = this.#times();
    const both = (atMs: number): readonly [number, number] => [atMs, monotonicMs + atMs - now];
    const { failure, failed, history, notBefore } = end;
    const kept = keptOf(end);
    const until = both(Math.max(notBefore, now + MEMORY_MS));
    const bytes = 'body' in kept ? kept.body.length : 0;
    this.#bytes += bytes;
    const isAccepted = failed === undefined;
    this.#calls.set(key, { failure, isAccepted, history, kept, notBefore: both(notBefore), until, bytes });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MOST_CALLS && this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** The call that a request repeats; undefined for a new one. `throws`: with `exhausted: 'throw'` */
  before(request: SentBefore, throws: boolean): GivenUp<Response> | undefined {
    const times = this.#times();
    for (const [key, { until }] of this.#calls) if (leftOf(until, times) <= 0) this.#forget(key);
    const isMarked = Number(retryCountOf(request)) > 0;
    if (!isMarked && !this.#mayBeEqual(request)) return undefined;
    const key = this.#keyOf(request);
    const call = this.#calls.get(key);
    if (call === undefined || (!isMarked && (this.#running.get(key) ?? 0) > 1)) return undefined;
    const { failure, history, isAccepted } = call;
    const notBefore = times[0] + leftOf(call.notBefore, times);
    // A client that does not read `x-should-retry` would ask for ever.
    const isFinal = this.takesEqual && !failure.retryable && failure.status === 429;
    return {
      isTold: isMarked,
      failure,
      history,
      notBefore,
      isAccepted,
      isFinal,
      answer: () => answerOf(call, notBefore, throws),
    };
  }

  /** A request without a body may be a poll. */
  #mayBeEqual({ body }: SentBefore): boolean {
    return this.takesEqual && body !== undefined;
  }

  #times(): readonly [number, number] {
    return [this.#clock.now(), this.#clock.monotonic()];
  }

  #forget(key: string): void {
    this.#bytes -= this.#calls.get(key)?.bytes ?? 0;
    this.#calls.delete(key);
  }

  #keyOf({ method, url, headers, body }: SentBefore): string {
    return sha256(JSON.stringify([method, url, this.#callerOf({ url, headers }), this.#bodyOf(body)]));
  }

  #bodyOf(body: unknown): string {
    if (typeof body === 'string') return digestOf(body);
    if (!isObject(body)) return String(body);
    if (ArrayBuffer.isView(body)) return digestOf(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
    if (body instanceof ArrayBuffer) return digestOf(new Uint8Array(body));
    if (tagOf(body) === 'URLSearchParams') return digestOf(String(body));
    const given = get(body, BODY_NAME);
    const name =
      typeof given === 'string' ? given : (this.#objects.get(body) ?? `object ${(this.#countOfObjects += 1)}`);
    this.#objects.set(body, name);
    return name;
  }
}

/** By the wall clock, which counts while the machine sleeps; by the monotonic one if the other was set back. */
function leftOf(
  [atMs, atMonotonicMs]: readonly [number, number],
  [now, monotonicMs]: readonly [number, number],
): number {
  const [left, monotonicLeft] = [atMs - now, atMonotonicMs - monotonicMs];
  return left - monotonicLeft > MOST_DRIFT_MS ? monotonicLeft : left;
}

/** The clocks drift apart a little. */
const MOST_DRIFT_MS = 1_000;

const retryCountOf = ({ headers }: SentBefore): string | undefined => recordOf(headers)['x-stainless-retry-count'];

/**
 * Tells two bodies of one caller apart. In two parts of 32 bits and with the length, because SHA-256 of a long body would
 * block the event loop.
 */
function digestOf(body: string | Uint8Array): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < body.length; index += 1) {
    const unit = typeof body === 'string' ? body.charCodeAt(index) : (body[index] ?? 0);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x85ebca6b);
    two ^= two >>> 13;
  }
  return `${typeof body} ${body.length} ${one} ${two}`;
}

/** What is left of a call after its end: no response, because that would keep its body and its connection. */
type Kept = { readonly error: unknown } | { readonly like: ResponseHead; readonly body: string };

function keptOf({ failed, failure }: GaveUp<Response>): Kept {
  const outcome = failed?.result();
  if (outcome === undefined) return { like: jsonHead(statusOf(failure)), body: errorOf(failure, '') };
  const { response, body = '' } = outcome;
  if (response === undefined) return { error: outcome.error };
  if (!isSuccess(response)) return { like: headOf(response, response.status), body };
  return { like: headOf(response, statusOf(failure)), body: errorOf(failure, body) };
}

/** The members of a response of a custom fetch may be anything. */
function headOf(response: Response | TransportResponse, status: number): ResponseHead {
  const { statusText = '', headers, url = '', type = 'default', redirected = false }: Partial<Response> = response;
  const isUsable = status >= 400 && status < 600;
  const head = { status: isUsable ? status : 503, statusText: isUsable ? statusText : '', url, type, redirected };
  try {
    return { ...head, headers: new Headers(headers) };
  } catch {
    return { ...head, headers: new Headers() };
  }
}

function jsonHead(status: number): ResponseHead {
  const headers = new Headers({ 'content-type': 'application/json' });
  return { status, statusText: '', headers, url: '', type: 'default', redirected: false };
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
