/**
 * Copies what a retry needs of the caller's request. `fetch` reads its arguments synchronously and callers may reuse
 * their buffers right after that, so the copy is made synchronously too. Strings, Blobs and requests without a body
 * cost nothing.
 */

import { changeInit, construct, copyHeaders, headersLike, isReplayable, isRequest, tagOf } from './request-parts.ts';
import { discard } from '../body/response-body.ts';
import { doNothing, startTimer } from '../runtime/runtime.ts';
import { hasMethod } from '../runtime/values.ts';
import type { Fetch } from '../transport.ts';

type FetchInput = Parameters<Fetch>[0];

/** The arguments of a fetch, for any number of attempts. */
export interface RequestCopy {
  /** False for a stream: the first attempt uses it up, and an empty body must not be sent in its place. */
  readonly replayable: boolean;
  /** Whether the headers were an iterator, which the copy has used up: the first attempt has to send the copy. */
  readonly usedUp: boolean;
  /** As at the time of the call. */
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  /** An unread `Request`, of which a clone may be read; undefined if there is none. */
  readonly spare?: Request | undefined;
  /** The arguments of the next attempt, with new copies of what an attempt may use up. */
  next(): readonly [input: FetchInput, init: RequestInit | undefined];
  /** Releases what was kept for retries. */
  release(): void;
}

/**
 * Copies the arguments of a fetch. Called synchronously, before the first attempt. Never throws: arguments that cannot
 * be copied are sent once, so that the inner fetch can refuse them.
 */
export function copyRequest(input: FetchInput, init: RequestInit | undefined): RequestCopy {
  try {
    if (isRequest(input)) return new RequestObjectCopy(input, init ?? undefined);
    return new ArgumentsCopy(input, init ?? undefined);
  } catch {
    return uncopied(input, init);
  }
}

/**
 * Copies what callers may change after the call; the rest of the init is read when it is needed. Created for every
 * call, so it has plain fields: private names (#) take twice as long to set.
 */
class ArgumentsCopy implements RequestCopy {
  readonly url: string;
  readonly headers: HeadersInit | undefined;
  private readonly input: Exclude<FetchInput, Request>;
  private readonly init: RequestInit | undefined;
  private readonly givenHeaders: HeadersInit | undefined;
  private readonly method: string | undefined;
  private readonly body: BodyInit | null | undefined;

  constructor(input: Exclude<FetchInput, Request>, init: RequestInit | undefined) {
    // The caller may change a URL object later, so its text is kept.
    this.url = typeof input === 'string' ? input : String(input);
    this.givenHeaders = init?.headers;
    this.headers = copyHeaders(this.givenHeaders);
    this.input = input;
    this.init = init;
    this.method = init?.method;
    this.body = copyBody(init?.body);
  }

  get replayable(): boolean {
    return typeof this.body !== 'object' || isReplayable(this.body);
  }

  get usedUp(): boolean {
    return isIterator(this.givenHeaders);
  }

  next(): readonly [FetchInput, RequestInit | undefined] {
    return [typeof this.input === 'string' ? this.url : copyUrl(this.input, this.url), this.nextInit()];
  }

  /** An attempt may use up or change buffers, forms and headers, so each retry gets a copy of the copy. */
  nextInit(): RequestInit | undefined {
    const { init, method, headers, givenHeaders, body } = this;
    if (init === undefined) return undefined;
    return changeInit(init, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers: headersLike(givenHeaders, copyHeaders(headers)) }),
      ...(body !== undefined && { body: copyBody(body) }),
    });
  }

  release(): void {}
}

/** A body that comes in parts is kept for retries up to this size. */
const LARGEST_SPARE_BYTES = 16_777_216;
/** Most bodies are sent by then, and a spare cannot have grown much. */
const MEASURED_AFTER_MS = 10;

class RequestObjectCopy implements RequestCopy {
  readonly usedUp: boolean;
  readonly #init: ArgumentsCopy | undefined;
  #request: Request;
  #hasSpare: boolean;
  #isTooLarge = false;
  #stopMeasuring = (): void => {};

  constructor(request: Request, init: RequestInit | undefined) {
    this.#init = init && new ArgumentsCopy('', init);
    const ownBody = init?.body ?? null;
    this.usedUp = this.#init?.usedUp ?? false;
    // A used request is not cloned: fetch gets it as it is, and refuses it with its own error.
    this.#hasSpare = ownBody === null && request.body !== null && !request.bodyUsed;
    this.#request = this.#hasSpare ? request.clone() : request;
    if (this.#hasSpare) this.#stopMeasuring = startTimer(MEASURED_AFTER_MS, () => void this.#measure());
  }

  get replayable(): boolean {
    return !this.#isTooLarge && (this.#init?.replayable ?? true);
  }

  get url(): string {
    return this.#request.url;
  }

  get spare(): Request | undefined {
    return this.#hasSpare ? this.#request : undefined;
  }

  get headers(): HeadersInit | undefined {
    return this.#init?.headers ?? this.#request.headers;
  }

  next(): readonly [FetchInput, RequestInit | undefined] {
    const request = this.#request;
    if (this.#hasSpare) this.#request = request.clone();
    return [request, this.#init?.nextInit()];
  }

  release(): void {
    if (this.#hasSpare) discard(this.#request);
    this.#hasSpare = false;
    this.#stopMeasuring();
  }

  /**
   * Reads another clone of the body. Whether a body is a stream cannot be seen, and the spare of one would grow with all
   * that is sent: one that is too large is let go of.
   */
  async #measure(): Promise<void> {
    // The body of node-fetch is a stream of Node, which waits for its clones.
    if (!this.#hasSpare || !hasMethod(this.#request.body, 'getReader')) return;
    try {
      const reader = this.#request.clone().body?.getReader();
      this.#stopMeasuring = () => void reader?.cancel().catch(doNothing);
      let bytes = 0;
      // A text or a buffer is one part, which the spare shares with the request.
      for (let parts = 0; bytes <= LARGEST_SPARE_BYTES || parts < 2; parts += 1) {
        const part = await reader?.read();
        if (part === undefined || part.done) return;
        bytes += part.value.byteLength;
      }
      this.#isTooLarge = true;
      this.release();
    } catch {
      // The attempt fails with the same error.
    }
  }
}

/** Arguments that fetch will refuse. */
function uncopied(input: FetchInput, init: RequestInit | undefined): RequestCopy {
  const url = isRequest(input) ? input.url : typeof input === 'string' ? input : '';
  return { replayable: false, usedUp: false, url, headers: undefined, next: () => [input, init], release: doNothing };
}

/** Keeps the class of the caller's URL, because an inner fetch may read its members. */
function copyUrl(url: URL, text: string): URL | string {
  return tagOf(url) === 'URL' ? construct(url.constructor, [text], text) : text;
}

function isIterator(headers: HeadersInit | undefined): boolean {
  return typeof headers === 'object' && headers !== null && typeof Reflect.get(headers, 'next') === 'function';
}

/** A copy of the same class. A detached buffer is not copied: fetch sends an empty body, and so does a retry. */
function copyBody<B extends BodyInit | null | undefined>(body: B): B | BodyInit {
  if (typeof body !== 'object' || body === null) return body;
  try {
    if (ArrayBuffer.isView(body)) return copyView(body);
    switch (tagOf(body)) {
      case 'ArrayBuffer':
        // Not `body.slice`: the buffer may be of another realm.
        return ArrayBuffer.prototype.slice.call(body, 0);
      case 'URLSearchParams':
        return construct(body.constructor, [String(body)], body);
      case 'FormData':
        return copyForm(body);
      default:
        return body;
    }
  } catch {
    return body;
  }
}

const TypedArray: { readonly prototype: Uint8Array } = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array);

function copyView(view: ArrayBufferView & BodyInit): BodyInit {
  const { buffer, byteOffset, byteLength } = view;
  // What another thread may change is sent as it is.
  if (tagOf(buffer) === 'SharedArrayBuffer') return view;
  if (tagOf(view) === 'DataView')
    return new DataView(ArrayBuffer.prototype.slice.call(buffer, byteOffset, byteOffset + byteLength));
  // `slice` of `TypedArray` keeps the class. That of a Buffer would share the memory.
  return TypedArray.prototype.slice.call(view);
}

/** A form of a class that we cannot construct is sent itself, because sending does not use it up. */
function copyForm(form: BodyInit): BodyInit {
  const copy: unknown = construct(form.constructor, [], form);
  if (copy === form || !isForm(copy) || !isForm(form)) return form;
  for (const [name, value] of form) copy.append(name, value);
  return copy;
}

function isForm(value: unknown): value is FormData & Iterable<[string, string]> {
  return typeof value === 'object' && value !== null && 'append' in value && Symbol.iterator in value;
}
