/**
 * What the proxy remembers of calls that failed, so that a client which comes back goes on where it left.
 *
 * A client may end a call in the middle of a wait, by a time limit of its own, and send the request again at once: without
 * a memory that request would come before the moment that the server named. Or it retries by itself what the proxy has
 * given up: without a memory each retry of the client would become four requests.
 */

import { createHash } from 'node:crypto';
import type { Failure, WaitReason } from '../index.ts';

/** What a call has met so far. */
export interface Progress {
  /** Requests sent to the target, those of the calls before it included. */
  readonly sent: number;
  /** When the next one may be sent, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly because: WaitReason;
  /** Whether the server named a moment that is further away than a call may wait. */
  readonly isTooFar: boolean;
  readonly failure: Failure;
}

/** By what a call is recognised. Both are hashes: they hold no key and no text of the client's. */
export interface Identity {
  /** The same request: credential, method, URL and body. Without a body: undefined, for a GET may be a poll. */
  readonly request: string | undefined;
  /** Requests that fall under the same limit: credential, method, path and model. */
  readonly limit: string;
}

/** A call that runs, as far as others need to know it. */
export interface RunningCall {
  /** undefined before its first failure. */
  readonly progress: Progress | undefined;
  /** Ends it in favour of one that its client has sent in its place. */
  supersede(): void;
}

/** How long after `notBefore` a request still counts as a retry of the one before. SDKs wait 8 s at most. */
const MEMORY_MS = 15_000;
const MAX_REMEMBERED = 1_000;

export class EarlierCalls {
  readonly #requests = new Map<string, Progress>();
  readonly #limits = new Map<string, Progress>();
  readonly #running = new Map<string, Set<RunningCall>>();

  /**
   * What a new call goes on from; undefined for a first one. `isRetry`: its client says that it is a retry. A request
   * beside an equal one that still runs is a second call, unless its client says so.
   */
  progressFor({ request, limit }: Identity, isRetry: boolean, now: number): Progress | undefined {
    const waited = this.#limits.get(limit);
    const own = this.#progressOf(request, isRetry, now);
    if (waited === undefined || waited.notBefore <= now) {
      this.#limits.delete(limit);
      return own;
    }
    return own === undefined || own.notBefore >= waited.notBefore ? (own ?? waited) : { ...waited, sent: own.sent };
  }

  /** A call begins; the returned function is called once, at its end. */
  begin({ request }: Identity, call: RunningCall): () => void {
    if (request === undefined) return () => {};
    const running = this.#running.get(request) ?? new Set();
    this.#running.set(request, running.add(call));
    return () => {
      running.delete(call);
      if (running.size === 0) this.#running.delete(request);
    };
  }

  /** A call ended without success. `isLimit`: the wait concerns every request under the same limit. */
  remember({ request, limit }: Identity, progress: Progress, isLimit: boolean): void {
    if (request !== undefined) put(this.#requests, request, progress);
    if (isLimit) put(this.#limits, limit, { ...progress, sent: 0 });
  }

  /** A call succeeded, or a person wants no more of it. */
  forget({ request, limit }: Identity): void {
    if (request !== undefined) this.#requests.delete(request);
    this.#limits.delete(limit);
  }

  #progressOf(request: string | undefined, isRetry: boolean, now: number): Progress | undefined {
    if (request === undefined) return undefined;
    const running = [...(this.#running.get(request) ?? [])];
    if (isRetry) {
      const before = running.find(({ progress }) => progress !== undefined);
      const progress = before?.progress;
      before?.supersede();
      if (progress !== undefined) return progress;
    } else if (running.length > 0) return undefined;
    const progress = this.#requests.get(request);
    if (progress === undefined || progress.notBefore + MEMORY_MS > now) return progress;
    this.#requests.delete(request);
    return undefined;
  }
}

function put(map: Map<string, Progress>, key: string, progress: Progress): void {
  map.delete(key);
  map.set(key, progress);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_REMEMBERED) break;
    map.delete(oldest);
  }
}

const CREDENTIAL = /^(?:authorization|cookie)$|api-?key|token|secret/;
/** Gemini and Azure name the model in the path, others in the body. */
const MODEL_IN_JSON = /"model"\s*:\s*"([^"\\]{1,128})"/;
const SEARCHED_CHARACTERS = 4_096;

/** `headers`: names in lower case. `digest`: of the body. */
export function identityOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  digest: string,
): Identity {
  const credentials = Object.entries(headers).filter(([name]) => CREDENTIAL.test(name));
  const model = typeof body === 'string' ? MODEL_IN_JSON.exec(body.slice(0, SEARCHED_CHARACTERS))?.[1] : undefined;
  const common = JSON.stringify([method, url, credentials]);
  return {
    request: body === undefined ? undefined : hashOf(`${common}${digest}`),
    limit: hashOf(`${common}${model ?? ''}`),
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** How often its client has sent this request before, where it says so. */
export function retryCountIn(headers: Readonly<Record<string, string>>, attemptHeader: string | undefined): number {
  const names = ['x-stainless-retry-count', 'x-retry-count', ...(attemptHeader === undefined ? [] : [attemptHeader])];
  const counts = names.map((name) => headers[name.toLowerCase()]).filter((value) => /^\d{1,4}$/.test(value ?? ''));
  return Math.max(0, ...counts.map(Number));
}
