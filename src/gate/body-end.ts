/**
 * Notices the end of a response body on the very same object. The methods that read it and its `body` are replaced on
 * the object; the bytes pass through untouched, keep backpressure, and are read only when the caller reads.
 */

import { type BodyController, bodyFrom, endBody, isByteStream } from '../fetch/remake-response.ts';
import type { BodyReader } from '../fetch/response-body.ts';

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

const READS_ALL = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Tells of responses that were collected before they were read; undefined: the runtime has none. */
let collected: FinalizationRegistry<BodyReaders> | undefined;

/** Tells `readers` when the body has ended, was cancelled or was collected; at once if there is none. */
export function watchEnd(response: unknown, readers: BodyReaders): void {
  if (isUnread(response)) watch(response, readers);
  else readers.release();
}

function isUnread(value: unknown): value is Response {
  if (typeof Response !== 'function' || !(value instanceof Response)) return false;
  return value.body !== null && !value.bodyUsed;
}

function watch(response: Response, readers: BodyReaders): void {
  // What reads the body now: a watch of streams may have replaced it before.
  const given = bodyReader(response);
  let passed: ReadableStream<Uint8Array> | undefined;
  whenCollected(response, readers);
  const replace = (name: string, value: unknown): void => {
    Object.defineProperty(response, name, { value, configurable: true, writable: true });
  };
  for (const name of READS_ALL) {
    const read: unknown = response[name];
    if (typeof read !== 'function') continue;
    replace(name, (...args: readonly unknown[]): Promise<unknown> => {
      const ended = readers.read();
      collected?.unregister(response);
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
    watch(copy, readers);
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
      readers.drop();
      return readerOf().cancel(reason);
    },
  };
  return bodyFrom(source, isByteStream(given()));
}
