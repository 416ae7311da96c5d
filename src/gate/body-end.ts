/**
 * Notices the end of a response body on the very same object. The methods that read it and its `body` are replaced on
 * the object; the bytes pass through untouched, keep backpressure, and are read only when the caller reads. A response
 * that cannot be changed (it is frozen, or a Proxy), and one that is read by native code, can only be looked at.
 */

import { type BodyController, bodyFrom, endBody } from '../body/remake-response.ts';
import { type BodyReader, isByteStream } from '../body/response-body.ts';
import { get, hasMethod } from '../runtime/values.ts';

/** What is told of the reading of a body. */
export interface BodyReaders {
  /** The caller reads. Returns a function to call when the read has ended. */
  read(): () => void;
  /** The body has one more reader. */
  share(): void;
  /** A reader has gone without having read to the end. */
  drop(): void;
  /** The body has ended. */
  release(): void;
}

/** What can be seen of a body: it has ended, native code or an unchanged response reads it, or nothing is to be seen. */
export type SeenBody = 'ended' | 'read-elsewhere' | 'unknown';

const READS_ALL = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Tells of responses that were collected before they were read; undefined: the runtime has none. */
let collected: FinalizationRegistry<BodyReaders> | undefined;

/** What a body looks like now. `isReadHere`: its readers have been told that it is read. */
export type LookAtBody = (isReadHere: boolean) => SeenBody;

/**
 * Tells `readers` when the body has ended, was cancelled or was collected; at once if there is none. Never throws.
 * Returns a function that looks at the body, for what the response itself does not tell.
 */
export function watchEnd(response: unknown, readers: BodyReaders): LookAtBody {
  try {
    if (isUnread(response)) {
      const look = lookAt(response);
      watchIfPossible(response, readers);
      return look;
    }
  } catch {
    // What cannot even be looked at must not keep others waiting.
  }
  readers.release();
  return () => 'ended';
}

/** A `Response` of any realm and any package; not the value of an operation that has a body too. */
function isUnread(value: unknown): value is Response {
  return get(value, 'bodyUsed') === false && hasMethod(value, 'clone') && hasMethod(get(value, 'body'), 'getReader');
}

/** A frozen response cannot be changed; a Proxy is refused by the getters of `Response`. */
function watchIfPossible(response: Response, readers: BodyReaders): void {
  try {
    watch(response, readers);
  } catch {
    // Its body is in use for longer than the response.
    const { body } = response;
    if (body !== null) whenCollected(body, readers);
  }
}

/** Node tells with it, for its own `stream.isReadable`, whether a stream has neither ended nor failed. */
const IS_READABLE = /* @__PURE__ */ Symbol.for('nodejs.stream.readable');

/** Keeps neither the response nor its body in memory. */
function lookAt(response: Response): LookAtBody {
  const { body } = response;
  if (typeof WeakRef !== 'function' || body === null) return () => 'unknown';
  const tells = typeof get(body, IS_READABLE) === 'boolean';
  const [ofResponse, ofBody] = [new WeakRef(response), new WeakRef(body)];
  return (isReadHere) => {
    const stream = ofBody.deref();
    if (tells) {
      if (stream === undefined || get(stream, IS_READABLE) === false) return 'ended';
      return !isReadHere && get(stream, 'locked') === true ? 'read-elsewhere' : 'unknown';
    }
    const owner = ofResponse.deref();
    if (owner === undefined) return stream === undefined ? 'ended' : 'unknown';
    // Such a runtime does not tell when native code has read the body, and the next call must not wait for ever.
    return !isReadHere && get(owner, 'bodyUsed') === true ? 'ended' : 'unknown';
  };
}

function watch(response: Response, readers: BodyReaders): void {
  // What reads the body now: a watch of streams may have replaced it before.
  const given = bodyReader(response);
  let passed: ReadableStream<Uint8Array> | undefined;
  // Throws before anything is replaced.
  if (!Object.isExtensible(response) || given().locked) throw new TypeError('The response cannot be watched');
  const replace = (name: string, value: unknown): void => {
    Object.defineProperty(response, name, { value, configurable: true, writable: true });
  };
  for (const name of READS_ALL) {
    const read: unknown = response[name];
    if (typeof read !== 'function') continue;
    replace(name, (...args: readonly unknown[]): Promise<unknown> => {
      const ended = readers.read();
      collected?.unregister(response);
      if (passed !== undefined) collected?.unregister(passed);
      // A body that is being read elsewhere is refused in the words of the runtime.
      if (passed?.locked === true && !given().locked) given().getReader();
      const isElsewhere = given().locked || response.bodyUsed;
      const reading: Promise<unknown> = Reflect.apply(read, response, args);
      const end = (): void => {
        ended();
        if (!isElsewhere) readers.release();
      };
      void reading.then(end, end);
      return reading;
    });
  }
  const clone: unknown = Reflect.get(response, 'clone');
  replace('clone', (): Response => {
    const copy: Response = Reflect.apply(clone as () => Response, response, []);
    readers.share();
    watchIfPossible(copy, readers);
    return copy;
  });
  Object.defineProperty(response, 'body', {
    configurable: true,
    get: () => {
      if (passed !== undefined) return passed;
      if (response.bodyUsed || given().locked) return given();
      passed = passOn(given, readers);
      collected?.unregister(response);
      whenCollected(passed, readers);
      return passed;
    },
  });
  whenCollected(response, readers);
}

/** Reads `body` as it was before it was replaced. A clone replaces the inner stream, so it is read each time. */
function bodyReader(response: Response): () => ReadableStream<Uint8Array<ArrayBuffer>> {
  let owner: object | null = response;
  while (owner !== null && !Object.hasOwn(owner, 'body')) owner = Object.getPrototypeOf(owner);
  const property = owner === null ? undefined : Object.getOwnPropertyDescriptor(owner, 'body');
  return () => property?.value ?? property?.get?.call(response);
}

function whenCollected(target: object, readers: BodyReaders): void {
  if (typeof FinalizationRegistry !== 'function') return;
  collected ??= new FinalizationRegistry((dropped) => dropped.drop());
  collected.register(target, readers, target);
}

function passOn(
  given: () => ReadableStream<Uint8Array<ArrayBuffer>>,
  readers: BodyReaders,
): ReadableStream<Uint8Array> {
  let reader: BodyReader | undefined;
  const readerOf = (): BodyReader => (reader ??= given().getReader());
  const source = {
    async pull(controller: BodyController): Promise<void> {
      const ended = readers.read();
      try {
        const { done, value } = await readerOf().read();
        if (!done) return controller.enqueue(value);
        readers.release();
        endBody(controller);
      } catch (error) {
        readers.release();
        controller.error(error);
      } finally {
        ended();
      }
    },
    cancel(reason: unknown): Promise<void> {
      // It has dropped once, and is collected later.
      collected?.unregister(stream);
      readers.drop();
      return readerOf().cancel(reason);
    },
  };
  const stream = bodyFrom(source, isByteStream(given()));
  return stream;
}
