/**
 * What a retry needs of the caller's request, taken at the call: `fetch` copies its arguments at once, callers reuse
 * their buffers the moment it returns, and so a copy made later would be a copy of something else. Strings, Blobs and
 * requests without a body cost nothing.
 */

import { entriesOf, isReplayable, tagOf } from '../fallback/request-parts.ts';
import type { Fetch } from '../transport.ts';

type FetchInput = Parameters<Fetch>[0];

/** The arguments of a fetch, as often as they are needed. */
export interface RequestCopy {
  /** False for a stream: it is gone after the first attempt, and an empty one must not take its place. */
  readonly replayable: boolean;
  /** As they were at the call. */
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  /** The arguments of the next retry; fresh copies of what an attempt may use up. `last`: no other will follow. */
  next(last: boolean): readonly [input: FetchInput, init: RequestInit | undefined];
  /** Lets go of what was kept for retries that will not happen. */
  release(): void;
}

/** Copies what a retry will need. Called synchronously with the caller's arguments, before the first attempt. */
export function copyRequest(input: FetchInput, init: RequestInit | undefined): RequestCopy {
  if (isRequest(input))
    return new RequestObjectCopy(input, init === undefined || init === null ? undefined : copyInit(init));
  // A URL object can be changed by its owner; its text cannot.
  return new ArgumentsCopy(typeof input === 'string' ? input : String(input), init ?? undefined);
}

/** Whether the input is a `Request`, of whichever realm. */
export function isRequest(input: FetchInput): input is Request {
  return typeof input === 'object' && input !== null && 'url' in input && 'clone' in input;
}

/**
 * Keeps what callers change between two calls; the rest of the init is looked up when it is needed. One is made for every
 * call: plain fields, for those with a # take twice as long to set.
 */
class ArgumentsCopy implements RequestCopy {
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  private readonly init: RequestInit | undefined;
  private readonly method: string | undefined;
  private readonly body: BodyInit | null | undefined;

  constructor(url: string, init: RequestInit | undefined) {
    const body = init?.body;
    this.url = url;
    this.headers = copyHeaders(init?.headers);
    this.init = init;
    this.method = init?.method;
    this.body = typeof body === 'object' && body !== null ? copyBody(body) : body;
  }

  get replayable(): boolean {
    return typeof this.body !== 'object' || isReplayable(this.body);
  }

  next(): readonly [FetchInput, RequestInit | undefined] {
    if (this.init === undefined) return [this.url, undefined];
    const init = plainInit(this.init);
    if (this.method !== undefined) init.method = this.method;
    if (this.headers !== undefined) init.headers = copyHeaders(this.headers);
    if (this.body !== undefined) init.body = this.body;
    return [this.url, freshInit(init)];
  }

  release(): void {}
}

class RequestObjectCopy implements RequestCopy {
  readonly replayable: boolean;
  readonly #init: RequestInit | undefined;
  #request: Request;
  #hasSpare: boolean;

  constructor(request: Request, init: RequestInit | undefined) {
    this.#init = init;
    const ownBody = init?.body ?? null;
    this.replayable = isReplayable(init?.body);
    // A used request is not cloned: it goes to fetch as it is, which refuses it with the right words.
    this.#hasSpare = ownBody === null && request.body !== null && !request.bodyUsed;
    this.#request = this.#hasSpare ? request.clone() : request;
  }

  get url(): string {
    return this.#request.url;
  }

  get headers(): HeadersInit | undefined {
    return this.#init?.headers ?? this.#request.headers;
  }

  next(last: boolean): readonly [FetchInput, RequestInit | undefined] {
    const request = this.#request;
    if (this.#hasSpare && !last) this.#request = request.clone();
    else this.#hasSpare = false;
    return [request, freshInit(this.#init)];
  }

  release(): void {
    if (this.#hasSpare) this.#request.body?.cancel().catch(() => {});
    this.#hasSpare = false;
  }
}

/** A header record of the caller's, safe from what its owner does to it later. */
export function copyHeaders<H extends HeadersInit | undefined>(headers: H): H;
export function copyHeaders(headers: HeadersInit | undefined): HeadersInit | undefined {
  if (headers === undefined || headers === null) return undefined;
  if (Symbol.iterator in headers) return entriesOf(headers);
  return { ...headers };
}

/** Whatever may be said in an init; `fetch` looks these up and so finds inherited ones, as a spread does not. */
const INIT_MEMBERS: readonly string[] =
  /* @__PURE__ */ 'method headers body signal redirect mode credentials cache referrer referrerPolicy integrity keepalive priority window duplex dispatcher'.split(
    ' ',
  );

/** The members of an init as its own, also where it is an instance of a class or another `Request`. */
export function plainInit(init: RequestInit): RequestInit {
  const prototype: unknown = Object.getPrototypeOf(init);
  if (prototype === Object.prototype || prototype === null) return { ...init };
  const entries = INIT_MEMBERS.map((name): [string, unknown] => [name, Reflect.get(init, name)]);
  return { ...init, ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

function copyInit(init: RequestInit): RequestInit {
  const copy = plainInit(init);
  if (copy.headers !== undefined) copy.headers = copyHeaders(copy.headers);
  if (typeof copy.body === 'object' && copy.body !== null) copy.body = copyBody(copy.body);
  return copy;
}

/** Buffers and forms may be used up or changed by an attempt, so each retry gets a copy of the copy. */
function freshInit(init: RequestInit | undefined): RequestInit | undefined {
  const body = init?.body;
  return typeof body === 'object' && body !== null ? { ...init, body: copyBody(body) } : init;
}

function copyBody<B extends object>(body: B & BodyInit): BodyInit {
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  }
  switch (tagOf(body)) {
    case 'ArrayBuffer':
      // Called on it, for its prototype may be another realm's.
      return ArrayBuffer.prototype.slice.call(body, 0);
    case 'URLSearchParams':
      return new URLSearchParams(String(body));
    case 'FormData':
      return body instanceof FormData ? copyForm(body) : body;
    default:
      return body;
  }
}

function copyForm(form: FormData): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value);
  return copy;
}
