/**
 * Reads the beginning of a failed response, and discards responses. A failure is classified from a limited part of a
 * clone, so the original stays unread. A clone that was read to its end has also freed the connection for the next
 * attempt.
 */

import { concat, isBytes } from './bytes.ts';
import { get, hasMethod } from '../runtime/values.ts';
import { doNothing, isNode22, startIdleTimer, startIoLimit } from '../runtime/runtime.ts';
import type { TransportResponse } from '../transport.ts';

/** The largest body that is read to keep its connection; a larger one is cancelled together with its connection. */
export const PEEK_BYTES = 65_536;
const PEEK_MS = 250;
/** A longer JSON body of a success is not held. */
export const WHOLE_BYTES = 1_048_576;

/** The beginning of a body. */
export interface Peek {
  /** undefined: there was nothing to read. */
  readonly body: Uint8Array | string | undefined;
  /** Whether the body was read to its end, so that the connection is free. */
  readonly drained: boolean;
  /** The error that broke the body before its end; undefined if there was none. */
  readonly broken?: { readonly cause: unknown } | undefined;
}

const NOTHING: Peek = { body: undefined, drained: true };

/**
 * Reads the beginning of the body of a failed response: at most 64 KiB and 250 ms, less if the signal aborts. Never
 * rejects.
 */
export async function peekBody(response: Response | TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  if (isCloneable(response)) return readStart(response, signal, PEEK_BYTES, PEEK_MS);
  const body = get(response, 'body');
  if (isNodeStream(body)) return peekNodeStream(body, signal);
  // The object of a custom transport may have `body: null` and still have a `text()`.
  const isBodiless = body === null && 'bodyUsed' in response;
  return isBodiless || !hasMethod(response, 'text') ? NOTHING : peekText(response, signal);
}

/** Cancels the body of a response or request that is no longer needed. Never throws, never waits. */
export function discard(owner: unknown, reason?: unknown): void {
  const body = get(owner, 'body');
  const cancel = get(body, 'cancel');
  try {
    if (typeof cancel === 'function') Promise.resolve(cancel.call(body, reason)).catch(doNothing);
    else if (isNodeStream(body)) body.destroy();
  } catch {
    // The reader of a locked body cancels it.
  }
}

/** The members of a Node stream that are used here; node-fetch has bodies of this type. */
interface NodeStream {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly readableLength: number;
  readonly readableHighWaterMark: number;
  read(size: number): unknown;
  unshift(chunk: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  destroy(): void;
}

function isNodeStream(body: unknown): body is NodeStream {
  return ['read', 'unshift', 'on', 'off', 'destroy'].every((name) => hasMethod(body, name));
}

const ENDS: readonly string[] = ['error', 'close'];

/**
 * Takes what a Node stream has buffered and puts it back, because the stream can be read only once and the caller gets
 * the response unread. A Node stream buffers only 16 to 64 KiB, so this may read less than from a clone.
 */
function peekNodeStream(stream: NodeStream, signal: AbortSignal | undefined): Promise<Peek> {
  if (stream.destroyed || stream.readableEnded) return Promise.resolve(NOTHING);
  return new Promise((resolve) => {
    const end = (): void => {
      clear();
      for (const event of ENDS) stream.off(event, end);
      stream.off('readable', look);
      const buffered = stream.read(stream.readableLength);
      // Synchronously, because nothing can be put back after the end of the stream.
      if (buffered !== null) stream.unshift(buffered);
      const bytes = typeof buffered === 'string' ? new TextEncoder().encode(buffered) : buffered;
      // A stream of objects is not a body.
      resolve({ body: isBytes(bytes) ? bytes.subarray(0, PEEK_BYTES) : '', drained: false });
    };
    const look = (): void => {
      // The state is not public API, but every Node stream has it.
      const hasWholeBody = get(get(stream, '_readableState'), 'ended') !== false;
      if (hasWholeBody || stream.readableLength >= stream.readableHighWaterMark) end();
    };
    const clear = startLimit(PEEK_MS, signal, end, () => stream.readableLength);
    for (const event of ENDS) stream.on(event, end);
    stream.on('readable', look);
  });
}

type Cloneable = Response & { readonly body: NonNullable<Response['body']> };

/** Whether it is a `Response`, of any realm, with an unread body, so that a clone can be read. */
export function isReadableTwice(response: unknown): response is Cloneable {
  return isCloneable(response) && !response.bodyUsed && !response.body.locked;
}

function isCloneable(response: unknown): response is Cloneable {
  return hasMethod(response, 'clone') && hasMethod(get(response, 'body'), 'getReader');
}

export type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
export type BodyPart = ReadableStreamReadResult<Uint8Array<ArrayBuffer>>;

/** Whether a stream takes over the memory of its chunks. */
export function isByteStream(stream: ReadableStream<Uint8Array<ArrayBuffer>>): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** How the reading of a body ended; `stopped`: before the end of the body. */
export type BodyEnd = 'end' | 'stopped' | { readonly cause: unknown };

/** Reads a body chunk by chunk, within limits. */
export class BodyReading {
  /** The read that was pending when the reading was stopped. */
  pending: Promise<BodyPart> | undefined;
  readonly #reader: BodyReader;
  #isStopped = false;
  #endWait: ((part: undefined) => void) | undefined;

  constructor(reader: BodyReader) {
    this.#reader = reader;
  }

  /** Ends the reading before its next chunk. */
  readonly stop = (): void => {
    this.#isStopped = true;
    this.#endWait?.(undefined);
  };

  /**
   * Reads until the end of the body, until `take` returns true, until it has read more than `maxBytes`, until `maxMs`
   * and the time that `moreMs` then names have passed, or until the signal aborts. Never rejects.
   */
  async run(
    signal: AbortSignal | undefined,
    maxBytes: number,
    maxMs: number,
    take: (chunk: Uint8Array) => boolean,
    moreMs: () => number = () => 0,
  ): Promise<BodyEnd> {
    let clear: (() => void) | undefined;
    let bytes = 0;
    const limit = (ms: number): void => {
      clear?.();
      const onTime = (): void => {
        const more = moreMs();
        if (more > 0) limit(more);
        else this.stop();
      };
      clear = startLimit(ms, signal, this.stop, () => bytes, onTime);
    };
    try {
      // At exactly the limit one more read is needed, because only the read that sees the end frees the connection.
      while (bytes <= maxBytes) {
        const reading = this.#reader.read();
        this.pending = reading;
        if (clear === undefined && !(await isHere(reading))) limit(maxMs);
        const part = await this.#unlessStopped(reading);
        if (part === undefined) return 'stopped';
        this.pending = undefined;
        if (part.done) return 'end';
        // The caller's read fails on a stream that does not consist of bytes.
        if (!isBytes(part.value) || take(part.value)) return 'stopped';
        // An endless stream of empty chunks would leave no time for any timer.
        bytes += Math.max(part.value.byteLength, 1);
      }
      return 'stopped';
    } catch (cause) {
      return { cause };
    } finally {
      clear?.();
    }
  }

  /** Not a race with one promise for all reads, in whose memory each of them would stay. */
  #unlessStopped(reading: Promise<BodyPart>): Promise<BodyPart | undefined> {
    return new Promise((resolve, reject) => {
      this.#endWait = resolve;
      if (this.#isStopped) resolve(undefined);
      reading.then(resolve, reject);
    });
  }
}

/** A reader of a clone; null if it cannot be cloned. */
export function readerOfClone(response: Pick<Request | Response, 'clone'>): BodyReader | null {
  try {
    return response.clone().body?.getReader() ?? null;
  } catch {
    return null;
  }
}

/** A chunk that came with the headers arrives within a few microtasks, which cost less than a timer. */
const PROMPT_TURNS = 8;

async function isHere(reading: Promise<unknown>): Promise<boolean> {
  const seen = { isSettled: false };
  const settle = (): void => void (seen.isSettled = true);
  reading.then(settle, settle);
  for (let turn = 0; turn < PROMPT_TURNS && !seen.isSettled; turn += 1) await Promise.resolve();
  return seen.isSettled;
}

/**
 * Calls back when the time is over, and when the signal aborts, after fetch has made the body fail. `seen`: what has
 * arrived so far. The returned function clears the timer and removes the listener from the signal.
 */
function startLimit(
  maxMs: number,
  signal: AbortSignal | undefined,
  onEnd: () => void,
  seen?: () => unknown,
  onTime = onEnd,
): () => void {
  const clearTimer = maxMs === Infinity ? undefined : startIoLimit(maxMs, onTime, seen);
  // A signal that has already aborted calls no listeners.
  if (signal?.aborted === true) queueMicrotask(onEnd);
  signal?.addEventListener('abort', onEnd);
  return () => {
    clearTimer?.();
    signal?.removeEventListener('abort', onEnd);
  };
}

/**
 * Cancels the clone of a response that the caller gets. Node 22 ends the process with an unhandled rejection if a fetch
 * is aborted after its clone was cancelled and before its body is read. There, the clone is kept until the body is
 * read; it buffers no more than a chunk until then.
 */
export function cancelClone(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: Request | Response,
  signal: AbortSignal | undefined,
): void {
  const cancel = (): void => void reader.cancel().catch(doNothing);
  if (signal === undefined || !isNode22()) return cancel();
  const owner = new WeakRef(response);
  const look = (laterMs: number): void => {
    const kept = owner.deref();
    if (kept === undefined || kept.bodyUsed || kept.body?.locked === true) cancel();
    else if (!signal.aborted) startIdleTimer(laterMs, () => look(Math.min(2 * laterMs, LONGEST_LOOK_MS)));
  };
  startIdleTimer(0, () => look(1));
}

const LONGEST_LOOK_MS = 1_000;

/** `arrive`: called at each chunk; true ends the reading. `moreMs`: called when the time is over; how long to go on. */
interface ReadHooks {
  readonly arrive?: (chunk: Uint8Array) => boolean;
  readonly moreMs?: (chunks: readonly Uint8Array[]) => number;
}

/**
 * Reads the beginning of a body from a clone, or by a reader. A longer or slower body is not `drained`. Never rejects.
 */
export async function readStart(
  source: Request | Response | BodyReader,
  signal: AbortSignal | undefined,
  maxBytes: number,
  maxMs: number,
  { arrive, moreMs }: ReadHooks = {},
): Promise<Peek> {
  const isReader = 'read' in source;
  const reader = isReader ? source : readerOfClone(source);
  if (reader === null) return NOTHING;
  const chunks: Uint8Array[] = [];
  const take = (chunk: Uint8Array): boolean => {
    chunks.push(chunk);
    return arrive?.(chunk) === true;
  };
  const end = await new BodyReading(reader).run(signal, maxBytes, maxMs, take, () => moreMs?.(chunks) ?? 0);
  if (end === 'stopped')
    if (isReader) reader.cancel().catch(doNothing);
    else cancelClone(reader, source, signal);
  const body = concat(chunks, maxBytes);
  // After a broken connection there is nothing left to read.
  return { body, drained: end !== 'stopped', broken: typeof end === 'object' ? end : undefined };
}

/**
 * `text()` can be called once, so its result is kept, and the object gets methods that return it again. A frozen object
 * cannot get them, so its body is left for the caller.
 */
async function peekText(response: TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  if (!Object.isExtensible(response)) return NOTHING;
  // A custom `text()` may throw.
  const reading = (async () => response.text())();
  const replay = { text: () => reading, json: async () => JSON.parse(await reading) };
  for (const [name, value] of Object.entries(replay)) {
    Object.defineProperty(response, name, { value, configurable: true, writable: true });
  }
  const body: unknown = await new Promise<unknown>((resolve) => {
    const end = (text: unknown): void => {
      clear();
      resolve(text);
    };
    const clear = startLimit(PEEK_MS, signal, () => end(undefined));
    reading.then(end, () => end(undefined));
  });
  return { body: typeof body === 'string' ? body.slice(0, PEEK_BYTES) : undefined, drained: true };
}
