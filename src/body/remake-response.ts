/** Responses with another body: a new object where native code must see it, or the same object with other members. */

import { hasMethod, hide } from '../runtime/values.ts';
import { concat, isBytes } from './bytes.ts';

/** What a response is made from again, beside its body. */
export type ResponseHead = Pick<Response, 'status' | 'statusText' | 'headers' | 'url' | 'type' | 'redirected'>;

/**
 * A response with another body, and what `Response` cannot be given: the url, the type, and whether it was redirected.
 * Its clones have them too. `owner`: the response whose body it is.
 */
export function remakeResponse(
  like: ResponseHead,
  body: ReadableStream<Uint8Array> | string | null,
  headers: Headers = like.headers,
  owner: ResponseHead = like,
): Response {
  const { status, statusText, url, type, redirected } = like;
  const response = keeping(owner, new Response(body, { status, statusText, headers }));
  const copy = (): Response => Response.prototype.clone.call(response);
  const clone = (): Response => remakeClone(response, copy());
  for (const [name, value] of Object.entries({ url, type, redirected, clone }))
    Object.defineProperty(response, name, { value, configurable: true });
  return response;
}

function remakeClone(like: Response, clone: Response, body: Response['body'] = clone.body): Response {
  return remakeResponse(like, body, like.headers, clone);
}

/**
 * Keeps the owner of a body as long as what the body is read by: Node cancels the unread body of a fetched or cloned
 * response when that is garbage-collected. The body itself must not keep it, because a connection keeps the body of a
 * response that the program drops unread.
 */
function keeping<T extends object>(owner: object, reader: T): T {
  hide(reader, OWNER, owner);
  return reader;
}

const OWNER = /* @__PURE__ */ Symbol('owner');

const READERS = ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData'];

/**
 * Gives a response another body, which is made when it is first used. Native code that reads a response without its
 * members, as a Worker does with the one it returns, still gets the original body. So does a first read of a body that
 * was aborted, because how soon and how often it rejects is the runtime's own, and a method of a subclass or of the
 * object itself that overrides one of `Response`, because it may do something else.
 *
 * `excuse` is called before the other body fails where the original would not: a read that the program does not wait for
 * must not end the process then.
 */
export function replaceBody(
  response: Response,
  open: (excuse: () => void) => ReadableStream<Uint8Array>,
  isAborted: () => boolean,
): void {
  const { headers } = response;
  const prototype: object = Object.getPrototypeOf(response);
  if (!isReplaceable(response, prototype)) return;
  let carrier: Response | undefined;
  const reads: Promise<unknown>[] = [];
  const started = <T extends Promise<unknown>>(read: T): T => {
    reads.push(read);
    return read;
  };
  const excuse = (): void => {
    for (const read of reads) read.catch(() => {});
  };
  const carried = (): Response => (carrier ??= new Response(keeping(response, open(excuse))));
  const members: PropertyDescriptorMap = {
    body: { get: () => pipesOf(carried().body, started) },
    bodyUsed: { get: () => carrier?.bodyUsed ?? Reflect.get(prototype, 'bodyUsed', response) },
  };
  const base = baseOf(prototype);
  const replace = (name: string, value: () => unknown): void => {
    const own: unknown = Reflect.get(prototype, name);
    const isOverridden =
      own !== (Reflect.get(base, name) ?? own) || Object.prototype.propertyIsEnumerable.call(response, name);
    if (hasMethod(response, name) && !isOverridden) members[name] = { value, writable: true };
  };
  replace('clone', () => {
    const clone = carried().clone();
    return remakeClone(response, clone, pipesOf(clone.body, started));
  });
  for (const name of READERS) {
    const use = (bytes: Uint8Array<ArrayBuffer>): Promise<unknown> => call(new Response(bytes, { headers }), name);
    replace(name, () => {
      if (carrier === undefined && isAborted()) return Reflect.apply(Reflect.get(prototype, name), response, []);
      const { body, bodyUsed } = carried();
      return started(body === null || bodyUsed || body.locked ? call(carried(), name) : readWhole(body, use));
    });
  }
  for (const member of Object.values(members)) member.configurable = true;
  Object.defineProperties(response, members);
}

/** Not a frozen response, nor one with a member that cannot be replaced, nor a Proxy, which the getters of `Response` refuse. */
function isReplaceable(response: Response, prototype: object): boolean {
  const isFixed = (name: string): boolean => Object.getOwnPropertyDescriptor(response, name)?.configurable === false;
  if (!Object.isExtensible(response) || ['body', 'bodyUsed', 'clone', ...READERS].some(isFixed)) return false;
  try {
    return Reflect.get(prototype, 'bodyUsed', response) !== undefined;
  } catch {
    return false;
  }
}

/** Tells of each pipe that starts at a stream, and at what it is piped through. */
function pipesOf<S extends ReadableStream | null>(stream: S, started: (pipe: Promise<unknown>) => unknown): S {
  if (stream === null || Object.hasOwn(stream, 'pipeTo')) return stream;
  const prototype: object = Object.getPrototypeOf(stream);
  hide(stream, 'pipeTo', (...given: unknown[]) =>
    started(Reflect.apply(Reflect.get(prototype, 'pipeTo'), stream, given)),
  );
  const pipeThrough: ReadableStream['pipeThrough'] = Reflect.get(prototype, 'pipeThrough');
  hide(stream, 'pipeThrough', (...given: Parameters<typeof pipeThrough>) =>
    pipesOf(pipeThrough.apply(stream, given), started),
  );
  return stream;
}

function call(owner: Response, name: string): Promise<unknown> {
  return Reflect.apply(Reflect.get(owner, name), owner, []);
}

/** The prototype of the class that all others extend, of any realm. */
function baseOf(prototype: object): object {
  const parent: object | null = Object.getPrototypeOf(prototype);
  const isBase = parent === null || Object.getPrototypeOf(parent) === null;
  return isBase ? prototype : baseOf(parent);
}

/**
 * Reads a stream whole. Not by its reader, and without a promise of an object, because a program that changes the
 * prototype of objects could change the bytes. The runtime's own readers forget the type of a body that is a stream (Bun),
 * or replace its error (Chromium).
 */
function readWhole(
  stream: ReadableStream<Uint8Array>,
  use: (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  const write = (chunk: unknown): void => {
    if (!isBytes(chunk)) throw new TypeError('Received non-Uint8Array chunk');
    chunks.push(chunk);
  };
  // Without prototypes, like the source and the strategy in `bodyFrom`.
  const sink = { write, __proto__: null };
  const strategy = { __proto__: null, highWaterMark: 1 };
  return stream.pipeTo(new WritableStream(sink, strategy)).then(() => use(concat(chunks, Infinity)));
}

export type BodyController = ReadableStreamController<Uint8Array<ArrayBuffer>>;

/** What a body is read from. */
export interface BodySource {
  readonly pull: (controller: BodyController) => Promise<void>;
  readonly cancel: (reason: unknown) => Promise<void> | undefined;
}

/** A body that is read only when its reader reads: a stream of bytes, or of any chunks. */
export function bodyFrom(source: BodySource, isOfBytes: boolean): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Without a prototype, because a program may have changed that of objects.
  const given = { ...source, ...(isOfBytes && { type: 'bytes' as const }), __proto__: null };
  const strategy = { __proto__: null, highWaterMark: 0 };
  return new ReadableStream(given, strategy);
}

/** Ends a stream that is made here, also for a reader that waits with its own buffer. */
export function endBody(controller: BodyController): void {
  controller.close();
  if ('byobRequest' in controller) controller.byobRequest?.respond(0);
}
