/**
 * Reads the beginning of a failed response, and discards responses. A failure is classified from a limited part of a
 * clone, so the original stays unread. A clone that was read to its end has also freed the connection for the next
 * attempt.
 */

import { get } from '../hints/json.ts';
import { startIdleTimer, startTimer } from '../runtime.ts';
import type { TransportResponse } from '../transport.ts';

/** The largest body that is read to keep its connection; a larger one is cancelled with its connection. */
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
  /** What broke the body before its end; undefined where nothing did. */
  readonly broken?: { readonly cause: unknown };
}

const NOTHING: Peek = { body: undefined, drained: true };

/**
 * Reads the beginning of the body of a failed response: at most 64 KiB and 250 ms, less if the signal aborts. Never
 * rejects.
 */
export function peekBody(response: Response | TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  if (isCloneable(response)) {
    const clone = isReadableTwice(response) ? bodyOfClone(response) : null;
    return clone === null ? Promise.resolve(NOTHING) : readStart(response, clone, signal, PEEK_BYTES, PEEK_MS);
  }
  const stream = nodeStreamOf(response);
  if (stream !== null) return peekNodeStream(stream, signal);
  // Not a `Response`: a custom transport's object, which has only `text()`.
  if (isBodiless(response) || typeof response.text !== 'function') return Promise.resolve(NOTHING);
  return peekText(response, signal);
}

/**
 * Reads the body of a success from a clone: at most 1 MiB, at most `maxMs`. What is longer or slower is not `drained`.
 * Never rejects.
 */
export function readWhole(response: Response, signal: AbortSignal | undefined, maxMs: number): Promise<Peek> {
  const clone = bodyOfClone(response);
  return clone === null
    ? Promise.resolve({ body: undefined, drained: false })
    : readStart(response, clone, signal, WHOLE_BYTES, maxMs);
}

/** Cancels the body of a response or request that is not needed any more. Never throws, never waits. */
export function discard(owner: unknown): void {
  const body = get(owner, 'body');
  const cancel = get(body, 'cancel');
  try {
    if (typeof cancel === 'function') Promise.resolve(cancel.call(body)).catch(() => {});
    else nodeStreamOf(owner)?.destroy();
  } catch {
    // A locked body is cancelled by its reader.
  }
}

/** The members of a Node stream that are used here; the bodies of node-fetch are such streams. */
interface NodeStream {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly readableLength: number;
  readonly readableHighWaterMark: number;
  read(): unknown;
  unshift(chunk: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  destroy(): void;
}

function nodeStreamOf(response: unknown): NodeStream | null {
  const body = get(response, 'body');
  return isNodeStream(body) ? body : null;
}

function isNodeStream(body: unknown): body is NodeStream {
  return ['read', 'unshift', 'on', 'off', 'destroy'].every((name) => typeof get(body, name) === 'function');
}

/**
 * Reads what a Node stream has buffered, and puts it back, because the stream can be read only once and the caller gets
 * the response unread. A Node stream buffers only 16 KiB, so this reads less than from a clone.
 */
function peekNodeStream(stream: NodeStream, signal: AbortSignal | undefined): Promise<Peek> {
  if (stream.destroyed || stream.readableEnded) return Promise.resolve(NOTHING);
  return new Promise((resolve) => {
    let seen: readonly Uint8Array[] = [];
    let seenLength = 0;
    const end = (): void => {
      clearTimer();
      signal?.removeEventListener('abort', end);
      for (const event of ENDS) stream.off(event, end);
      stream.off('readable', look);
      resolve({ body: concat(seen, Math.min(seenLength, PEEK_BYTES)), drained: false });
    };
    const look = (): void => {
      if (stream.readableLength > seenLength) {
        const chunks: unknown[] = [];
        seenLength = 0;
        // The source may add more at each read.
        while (stream.readableLength > 0 && seenLength < stream.readableHighWaterMark) {
          const chunk = stream.read();
          const { byteLength } = bytesOf(chunk);
          chunks.push(chunk);
          seenLength += byteLength;
          // A stream of objects is not a body.
          if (byteLength === 0) break;
        }
        // Synchronously, because nothing can be put back after the end of the stream.
        for (const chunk of chunks.toReversed()) if (chunk !== null) stream.unshift(chunk);
        seen = chunks.map(bytesOf);
      }
      if (stream.readableLength >= stream.readableHighWaterMark || hasWholeBody(stream)) end();
    };
    const clearTimer = startTimer(PEEK_MS, end);
    for (const event of ENDS) stream.on(event, end);
    stream.on('readable', look);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

/** Whether the whole body has arrived. The state is not public API, but every Node stream has it. */
function hasWholeBody(stream: NodeStream): boolean {
  return get(get(stream, '_readableState'), 'ended') !== false;
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  return chunk instanceof Uint8Array ? chunk : new Uint8Array();
}

const ENDS: readonly string[] = ['end', 'error', 'close'];

type Cloneable = Pick<Response, 'bodyUsed' | 'clone'> & { readonly body: ReadableStream<Uint8Array> };

/** Whether it is a `Response`, of any realm, with an unread body, so that a clone can be read. */
export function isReadableTwice(response: object): response is Cloneable {
  return isCloneable(response) && !response.bodyUsed && !response.body.locked;
}

/** null: the clone failed. */
export function bodyOfClone(response: Pick<Response, 'clone'>): ReadableStream<Uint8Array> | null {
  try {
    return response.clone().body;
  } catch {
    return null;
  }
}

function isCloneable(response: object): response is Cloneable {
  return typeof get(response, 'clone') === 'function' && typeof get(get(response, 'body'), 'getReader') === 'function';
}

/**
 * Whether it is a `Response` without a body. A custom transport's object may have `body: null` and a `text()` all the
 * same.
 */
function isBodiless(response: object): boolean {
  return 'clone' in response && 'bodyUsed' in response && 'body' in response && response.body === null;
}

/** What tells whether a body is being read. */
interface ReadableBody {
  readonly bodyUsed: boolean;
  readonly body: { readonly locked: boolean } | null;
}

/**
 * Cancels the clone of a response that the caller gets. Node 22 ends the process with an unhandled rejection if a fetch
 * is aborted whose clone was cancelled and whose body nothing reads yet. There, the clone is kept until the body is
 * read; a clone costs no more than a chunk until then.
 */
export function cancelClone(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: ReadableBody,
  signal: AbortSignal | undefined,
): void {
  const cancel = (): void => void reader.cancel().catch(() => {});
  const undici = get(get(get(globalThis, 'process'), 'versions'), 'undici');
  if (signal === undefined || typeof undici !== 'string' || !undici.startsWith('6.')) {
    cancel();
    return;
  }
  const owner = new WeakRef(response);
  const look = (laterMs: number): void => {
    const kept = owner.deref();
    if (kept === undefined || kept.bodyUsed || kept.body?.locked === true) cancel();
    else if (!signal.aborted) startIdleTimer(laterMs, () => look(Math.min(2 * laterMs, LONGEST_LOOK_MS)));
  };
  startIdleTimer(0, () => look(1));
}

const LONGEST_LOOK_MS = 1_000;

async function readStart(
  response: ReadableBody,
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  maxBytes: number,
  maxMs: number,
): Promise<Peek> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let drained = false;
  let stopped = false;
  let broken: Peek['broken'];
  // Cancelling settles a pending read, and that ends the loop below.
  const stop = (): void => {
    stopped = true;
    reader.cancel().catch(() => {});
  };
  // As in the guard: after fetch has made the body fail.
  const onAbort = (): void => queueMicrotask(stop);
  const clearTimer = startTimer(maxMs, stop);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    // One more read at exactly the limit, because only the read that sees the end frees the connection.
    while (bytes <= maxBytes) {
      const { done, value } = await reader.read();
      if (done) {
        drained = !stopped;
        break;
      }
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch (cause) {
    // After a broken connection nothing is left to read.
    drained = true;
    broken = { cause };
  }
  clearTimer();
  signal?.removeEventListener('abort', onAbort);
  if (!drained) cancelClone(reader, response, signal);
  const body = concat(chunks, Math.min(bytes, maxBytes));
  return broken === undefined ? { body, drained } : { body, drained, broken };
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined && first.byteLength === length) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, length - offset), offset);
    offset += Math.min(chunk.byteLength, length - offset);
  }
  return whole;
}

/** `text()` can be called once, so its result is kept, and the same object gets methods that return it again. */
async function peekText(response: TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  // A custom `text()` may throw.
  const reading = (async () => response.text())();
  replayText(response, reading);
  const body = await soon(reading, signal);
  return { body: typeof body === 'string' ? body.slice(0, PEEK_BYTES) : undefined, drained: true };
}

/** The result of a promise within 250 ms; undefined if it takes longer, rejects, or the signal aborts. */
function soon(reading: Promise<string>, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (text?: string): void => {
      clearTimer();
      signal?.removeEventListener('abort', giveUp);
      resolve(text);
    };
    const giveUp = (): void => end();
    const clearTimer = startTimer(PEEK_MS, giveUp);
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp);
    reading.then(end, giveUp);
  });
}

function replayText(response: TransportResponse, reading: Promise<string>): void {
  reading.catch(() => {});
  const replay = {
    text: () => reading,
    json: async () => JSON.parse(await reading),
  };
  for (const name of ['text', 'json'] as const) {
    // Fails on a sealed object, which keeps its own methods.
    Reflect.defineProperty(response, name, {
      value: replay[name],
      configurable: true,
      writable: true,
      enumerable: false,
    });
  }
}
