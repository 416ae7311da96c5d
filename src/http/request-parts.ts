/** The parts of a request that a target rewrites: headers of any shape, and bodies of any kind. */

import { isOrdinaryHeader } from '../redact/credentials.ts';
import { canParseUrl, hasMethod } from '../runtime/values.ts';
import type { Fetch, HttpHeaders } from '../transport.ts';

/** A copy of the pairs, because the caller may change those of a list. */
export function entriesOf(headers: Iterable<readonly string[]>): [string, string][] {
  return Array.from(headers, ([name = '', value = '']): [string, string] => [name, value]);
}

/** A copy of headers as a record or as pairs, which later changes by the caller do not reach. */
export function copyHeaders<H extends HeadersInit | undefined>(headers: H): H;
export function copyHeaders(headers: HeadersInit | undefined): HeadersInit | undefined {
  if (typeof headers !== 'object' || headers === null) return headers ?? undefined;
  return Symbol.iterator in headers ? entriesOf(headers) : { ...headers };
}

/** `headers` with one more, in the same shape; a value that the caller has set is kept. */
export function withHeader(
  headers: Record<string, string> | undefined,
  name: string,
  value: string,
): Record<string, string>;
export function withHeader(headers: HeadersInit | undefined, name: string, value: string): HeadersInit;
export function withHeader(headers: HeadersInit | undefined, name: string, value: string): HeadersInit {
  const lower = name.toLowerCase();
  if (headers !== undefined && Symbol.iterator in headers) {
    const entries = entriesOf(headers);
    const all = entries.some(([key]) => key.toLowerCase() === lower) ? entries : [...entries, pairOf(name, value)];
    return headersLike(headers, all);
  }
  const record = { ...headers };
  if (!Object.keys(record).some((key) => key.toLowerCase() === lower)) record[name] = value;
  return record;
}

const pairOf = (name: string, value: string): [string, string] => [name, value];

/** Header classes whose constructor takes pairs. */
const HEADER_CLASSES: readonly string[] = ['Headers', 'Map'];

/** Headers in the shape of the given ones. */
export function headersLike(given: HeadersInit | undefined, headers: HeadersInit): HeadersInit {
  const isInstance = given !== undefined && HEADER_CLASSES.includes(tagOf(given));
  return isInstance ? construct(given.constructor, [headers], headers) : headers;
}

/** An instance of the class of the caller's object; `otherwise` if the constructor throws. */
export function construct<T>(constructor: Function, args: readonly unknown[], otherwise: T): T {
  try {
    return Reflect.construct(constructor, args);
  } catch {
    return otherwise;
  }
}

/** Headers of any shape as a record with names in lower case. */
export function recordOf(headers: HeadersInit | null | undefined): Record<string, string> {
  const given = headers ?? {};
  const entries = Symbol.iterator in given ? entriesOf(given) : Object.entries(given);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Calls a fetch with as many arguments as the caller passed. */
export function sendTo(fetch: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined): Promise<Response> {
  return init === undefined ? fetch(input) : fetch(input, init);
}

/** Whether the input is a `Request`, also one of another realm. */
export function isRequest(input: unknown): input is Request {
  return typeof input === 'object' && input !== null && 'url' in input && 'clone' in input;
}

/** Whether fetch accepts it as a body without conversion. */
export function isBodyInit(body: unknown): body is NonNullable<RequestInit['body']> | null {
  if (typeof body === 'string' || body === null || ArrayBuffer.isView(body)) return true;
  return ['ArrayBuffer', 'SharedArrayBuffer', 'Blob', 'File', 'FormData', 'URLSearchParams'].includes(tagOf(body));
}

/** Whether a body can be sent again: not a stream, an iterator or a generator. */
export function isReplayable(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body)) return true;
  // Functions only, because data that is sent as JSON may have a member `next`.
  return !ONE_SHOT_METHODS.some((name) => hasMethod(body, name));
}

const ONE_SHOT_METHODS: readonly PropertyKey[] = ['getReader', 'pipe', 'next', Symbol.asyncIterator];

/** The name of the class, also of an object of another realm. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/**
 * An init with some members changed, in the shape of the caller's: a plain object stays plain; an instance of a class,
 * or a `Request`, keeps its class and its getters, which are called on the caller's own object.
 *
 * @param hiddenSignal a signal that `fetch` reads, and that a copy of a plain init leaves out, because it cannot be sent
 *   to a worker
 */
export function changeInit(init: RequestInit, changes: RequestInit, hiddenSignal?: AbortSignal): RequestInit {
  const prototype: unknown = Object.getPrototypeOf(init);
  if (prototype === Object.prototype || prototype === null) {
    const copy = { ...init, ...changes };
    if (hiddenSignal === undefined) return copy;
    return Object.defineProperty(copy, 'signal', { value: hiddenSignal, enumerable: false, configurable: true });
  }
  if (hiddenSignal !== undefined) return changeInit(init, { ...changes, signal: hiddenSignal });
  const members = { ...Object.getOwnPropertyDescriptors(init), ...Object.getOwnPropertyDescriptors(changes) };
  return new Proxy<RequestInit>(Object.create(Object(prototype), members), {
    get: (_target, name) => Reflect.get(Object.hasOwn(changes, name) ? changes : init, name),
  });
}

/** The members of an init. `fetch` also finds inherited ones, which a spread does not copy. */
const INIT_MEMBERS: readonly string[] =
  /* @__PURE__ */ 'method headers body signal redirect mode credentials cache referrer referrerPolicy integrity keepalive priority window duplex dispatcher'.split(
    ' ',
  );

/** The members of an init as own properties, also of an instance of a class or of a `Request`. */
export function plainInit(init: RequestInit): RequestInit {
  const entries = INIT_MEMBERS.map((name): [string, unknown] => [name, Reflect.get(init, name)]);
  return { ...init, ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

const headersForElsewhere = /* @__PURE__ */ new WeakSet<object>();

/**
 * Marks the headers of a request that goes to another origin than the caller's URL: a `FetchTransport` that gets this
 * object does not add its own credentials.
 */
export function forElsewhere<H extends object>(headers: H): H {
  headersForElsewhere.add(headers);
  return headers;
}

/** Whether a request goes to another origin than the caller's URL. */
export const isForElsewhere = (headers: object): boolean => headersForElsewhere.has(headers);

/** A copy of headers in the same shape, which keeps the mark. */
export function copyMarked<H extends HeadersInit>(headers: H): H;
export function copyMarked(headers: HeadersInit): HeadersInit {
  const copy = headersLike(headers, copyHeaders(headers));
  return isForElsewhere(headers) ? forElsewhere(copy) : copy;
}

/** Whether two URLs have the same origin. In doubt, false. */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [originOf(one), originOf(other)];
  return a === b && a !== 'null';
}

/** The base for relative URLs, which have the origin of the page. */
export const RELATIVE = 'https://relative.invalid';

function originOf(url: string): string {
  return canParseUrl(url, RELATIVE) ? new URL(url, RELATIVE).origin : 'null';
}

/** The headers that may be sent to any origin, because they carry no secret. */
export function ordinaryHeaders(headers: HttpHeaders): HttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return isOrdinaryHeader(lower) && lower !== 'host' && lower !== 'origin';
  });
  return Object.fromEntries(kept);
}
