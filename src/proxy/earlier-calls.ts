/**
 * Remembers calls that failed, so that a client's next request continues the same call.
 *
 * A client with a time limit may end a call during a wait and send the request again at once. Without a memory, that
 * request would be sent before the moment that the server named. And if a client retries a call that the proxy has
 * given up, each of its retries would become four requests.
 */

import { createHash } from 'node:crypto';
import { createCallerOf } from '../redact/caller.ts';
import { modelOf } from '../gate/key.ts';
import type { Failure, Runtime, WaitReason } from '../index.ts';

/** How far a call has come. */
export interface Progress {
  /** Requests sent to the target, including those of the calls that it continues. */
  readonly sent: number;
  /** When the next one may be sent, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** The same moment by the monotonic clock. */
  readonly notBeforeMonotonicMs: number;
  readonly because: WaitReason;
  /** Whether the server named a moment that is further away than a call may wait. */
  readonly isTooFar: boolean;
  readonly failure: Failure;
}

/** The wall clock may be set; the monotonic one may stop while the machine is asleep. */
type Clock = Required<Pick<Runtime, 'now' | 'monotonic'>>;

/** Recognises a call. Both values are hashes, so they hold no key and no text of the client. */
export interface Identity {
  /** Equal for the same caller, method, URL and body. undefined without a body, because a GET may be a poll. */
  readonly request: string | undefined;
  /** Equal for requests under the same limit: the same caller, method, path and model. */
  readonly limit: string;
}

/** The answer to a call that no wait can help, for a client that sends it again. */
export interface Refusal {
  /** Of the call that was answered by the target. */
  readonly requestId: string;
  readonly failure: Failure;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A running call, as other calls see it. */
export interface RunningCall {
  /** undefined before its first failure. */
  readonly progress: Progress | undefined;
  /** Ends the call in favour of a newer request of its client. */
  supersede(): void;
}

/** How long after `notBefore` a request still counts as a retry of the one before. SDKs wait 8 s at most. */
const MEMORY_MS = 15_000;
const MAX_REMEMBERED = 1_000;
/** How long a refusal is repeated: longer than quick retries take, and shorter than a person who pays. */
const REFUSAL_MS = 10_000;
/** The clocks drift apart a little; a larger difference means that the wall clock was set back. */
const MAX_DRIFT_MS = 1_000;

export class EarlierCalls {
  readonly #clock: Clock;
  readonly #requests = new Map<string, Progress>();
  readonly #limits = new Map<string, Progress>();
  readonly #running = new Map<string, Set<RunningCall>>();
  readonly #refusals = new Map<string, Refusal & { readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A moment of the wall clock, by both clocks. */
  momentOf(notBefore: number): Pick<Progress, 'notBefore' | 'notBeforeMonotonicMs'> {
    return { notBefore, notBeforeMonotonicMs: this.#clock.monotonic() + notBefore - this.#clock.now() };
  }

  /**
   * The progress that a new call continues; undefined if it is a first call. `isRetry`: the client says that this is a
   * retry. An equal request while the first one still runs is a second call, unless the client says that it is a retry.
   */
  progressFor({ request, limit }: Identity, isRetry: boolean): Progress | undefined {
    const now = this.#clock.now();
    const waited = this.#byClockNow(this.#limits.get(limit));
    const own = this.#progressOf(request, isRetry, now);
    if (waited === undefined || waited.notBefore <= now) {
      this.#limits.delete(limit);
      return own;
    }
    return own === undefined || own.notBefore >= waited.notBefore ? (own ?? waited) : { ...waited, sent: own.sent };
  }

  /** Registers a running call. Call the returned function once, when the call ends. */
  begin({ request }: Identity, call: RunningCall): () => void {
    if (request === undefined) return () => {};
    const running = this.#running.get(request) ?? new Set();
    this.#running.set(request, running.add(call));
    return () => {
      running.delete(call);
      if (running.size === 0) this.#running.delete(request);
    };
  }

  /** Remembers a call that ended without success. `isLimit`: its wait applies to every request under the same limit. */
  remember({ request, limit }: Identity, progress: Progress, isLimit: boolean): void {
    if (request !== undefined) put(this.#requests, request, progress);
    if (isLimit) put(this.#limits, limit, { ...progress, sent: 0 });
  }

  /** Forgets a call, after a success or after a person gave it up. */
  forget({ request, limit }: Identity): void {
    if (request !== undefined) this.#requests.delete(request);
    this.#limits.delete(limit);
  }

  /** Remembers the answer to a call that no wait can help. */
  refuse({ request }: Identity, refusal: Refusal): void {
    if (request === undefined) return;
    put(this.#refusals, request, { ...refusal, until: this.#clock.monotonic() + REFUSAL_MS });
  }

  /** The answer to the same request shortly before; undefined if it may be sent. */
  refusalFor({ request = '' }: Identity): Refusal | undefined {
    const refusal = this.#refusals.get(request);
    if (refusal === undefined || refusal.until > this.#clock.monotonic()) return refusal;
    this.#refusals.delete(request);
    return undefined;
  }

  #progressOf(request: string | undefined, isRetry: boolean, now: number): Progress | undefined {
    if (request === undefined) return undefined;
    const running = [...(this.#running.get(request) ?? [])];
    if (isRetry) {
      const before = running.find(({ progress }) => progress !== undefined);
      const progress = before?.progress;
      before?.supersede();
      if (progress !== undefined) return this.#byClockNow(progress);
    } else if (running.length > 0) return undefined;
    const progress = this.#byClockNow(this.#requests.get(request));
    if (progress === undefined || progress.notBefore + MEMORY_MS > now) return progress;
    this.#requests.delete(request);
    return undefined;
  }

  /**
   * The progress with its moment corrected if the wall clock was set back since. The monotonic clock alone would be too
   * late after the machine was asleep.
   */
  #byClockNow(progress: Progress | undefined): Progress | undefined {
    if (progress === undefined) return undefined;
    const notBefore = this.#clock.now() + progress.notBeforeMonotonicMs - this.#clock.monotonic();
    return progress.notBefore - notBefore > MAX_DRIFT_MS ? { ...progress, notBefore } : progress;
  }
}

function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_REMEMBERED) break;
    map.delete(oldest);
  }
}

const callerOf = /* @__PURE__ */ createCallerOf();

/** `headers`: names in lower case. `digest`: of the body. */
export function identityOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  digest: string,
): Identity {
  const common = JSON.stringify([method, url, callerOf({ url, headers })]);
  return {
    request: body === undefined ? undefined : hashOf(`${common}${digest}`),
    limit: hashOf(`${common}${modelOf({ url, body }) ?? ''}`),
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** How often the client has sent this request before, according to its headers. */
export function retryCountIn(headers: Readonly<Record<string, string>>, attemptHeader: string | undefined): number {
  const names = ['x-stainless-retry-count', 'x-retry-count', ...(attemptHeader === undefined ? [] : [attemptHeader])];
  const counts = names.map((name) => headers[name.toLowerCase()]).filter((value) => /^\d{1,4}$/.test(value ?? ''));
  return Math.max(0, ...counts.map(Number));
}
