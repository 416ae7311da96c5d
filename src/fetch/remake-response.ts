/** Responses with another body: a new object where native code must see it, or the same object with other members. */

import { hasMethod, hide } from '../runtime/values.ts';

/**
 * A response with another body, and what `Response` cannot be given: the url, the type, and whether it was redirected.
 * Its clones have them too.
 */
export function remakeResponse(
  like: Response,
  body: ReadableStream<Uint8Array> | null,
  headers: Headers = like.headers,
): Response {
  const { status, statusText, url, type, redirected } = like;
  const response = new Response(body, { status, statusText, headers });
  const copy = (): Response => Response.prototype.clone.call(response);
  const clone = (): Response => remakeResponse(response, bodyOf(copy()));
  for (const [name, value] of Object.entries({ url, type, redirected, clone }))
    Object.defineProperty(response, name, { value, configurable: true });
  return response;
}

/**
 * The body of a response that is not needed itself. Node cancels the body of a fetched or cloned response when that is
 * garbage-collected, so it is kept as long as its body.
 */
export function bodyOf(response: Response): ReadableStream<Uint8Array> | null {
  const { body } = response;
  if (body !== null) hide(body, OWNER, response);
  return body;
}

const OWNER = /* @__PURE__ */ Symbol('owner');

export type UseBytes = (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>;

/** The body that takes the place of another. Either of its methods is called, once. */
export interface OtherBody {
  /** A stream of it. */
  open(): ReadableStream<Uint8Array>;
  /** Reads it whole, for `use`; undefined if it can only be read as a stream. */
  readonly readAll: ((use: UseBytes) => Promise<unknown>) | undefined;
  /** What the stream failed with. Chromium's readers reject with an error of their own. */
  readonly failure: { readonly error: unknown } | undefined;
}

const READERS = ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData'];
/** Bun does not know the type of a body that is a stream of JavaScript, so these get the bytes. */
const OF_BYTES = ['blob', 'formData'];

/**
 * Gives a response another body, which is made when it is first used. Native code that reads a response without its
 * members, as a Worker does with the one it returns, still gets the original body. So does a first read of a body that
 * was aborted, because how soon and how often it rejects is the runtime's own, and a method of a subclass or of the
 * object itself that overrides one of `Response`, because it may do something else.
 */
export function replaceBody(response: Response, makeBody: () => OtherBody, isAborted: () => boolean): void {
  const { headers } = response;
  const prototype: object = Object.getPrototypeOf(response);
  let other: OtherBody | undefined;
  let carrier: Response | undefined;
  /** Whether the original body is being read whole, so that its own members say what has become of it. */
  let isReadWhole = false;
  const carried = (): Response => (carrier ??= new Response((other = makeBody()).open(), { headers }));
  const original = (name: string): Promise<unknown> => Reflect.apply(Reflect.get(prototype, name), response, []);
  const members: PropertyDescriptorMap = {
    body: { get: () => (isReadWhole ? Reflect.get(prototype, 'body', response) : carried().body) },
    bodyUsed: { get: () => carrier?.bodyUsed ?? Reflect.get(prototype, 'bodyUsed', response) },
  };
  const base = baseOf(prototype);
  const replace = (name: string, value: () => unknown): void => {
    const own: unknown = Reflect.get(prototype, name);
    const isOverridden =
      own !== (Reflect.get(base, name) ?? own) || Object.prototype.propertyIsEnumerable.call(response, name);
    if (hasMethod(response, name) && !isOverridden) members[name] = { value, writable: true };
  };
  replace('clone', () => (isReadWhole ? original('clone') : remakeResponse(response, bodyOf(carried().clone()))));
  for (const name of READERS) {
    replace(name, () => {
      if (isReadWhole || (carrier === undefined && isAborted())) return original(name);
      if (carrier === undefined) {
        const body = makeBody();
        if (body.readAll !== undefined) {
          isReadWhole = true;
          return body.readAll((bytes) => call(new Response(bytes, { headers }), name));
        }
      }
      const owner = carried();
      const reading = OF_BYTES.includes(name)
        ? owner.arrayBuffer().then((bytes) => call(new Response(bytes, { headers }), name))
        : call(owner, name);
      return reading.catch((error: unknown) => {
        throw other?.failure === undefined ? error : other.failure.error;
      });
    });
  }
  for (const member of Object.values(members)) member.configurable = true;
  Object.defineProperties(response, members);
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

/** Whether a stream takes over the memory of its chunks. */
export function isByteStream(stream: ReadableStream<Uint8Array<ArrayBuffer>>): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
