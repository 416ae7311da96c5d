/**
 * What is read of a failed response, and how it is let go. A failure is classified by a bounded look at a clone, so
 * the original stays as the server sent it; a clone that was read to its end has drained the connection as well, so
 * that the next attempt can use it.
 */

import { startTimer } from '../runtime.ts';
import type { TransportResponse } from '../transport.ts';

/** A connection is kept by reading at most this much; more is cheaper to throw away with its connection. */
export const PEEK_BYTES = 65_536;
const PEEK_MS = 250;
/** A longer JSON body of a success is not held. */
export const WHOLE_BYTES = 1_048_576;

/** What a look at the body gave. */
export interface Peek {
  /** undefined: nothing could be read. */
  readonly body: Uint8Array | string | undefined;
  /** True when the body was read to its end, so that nothing is held on the wire. */
  readonly drained: boolean;
  /** What broke the body before its end; undefined where nothing did. */
  readonly broken?: { readonly cause: unknown };
}

const NOTHING: Peek = { body: undefined, drained: true };

/** Looks at the body of a failed response: at most 64 KiB, at most 250 ms, cut short by the signal. Never rejects. */
export function peekBody(response: Response | TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  if (isCloneable(response)) {
    const clone = isReadableTwice(response) ? bodyOfClone(response) : null;
    return clone === null ? Promise.resolve(NOTHING) : readStart(clone, signal, PEEK_BYTES, PEEK_MS);
  }
  const stream = nodeStreamOf(response);
  if (stream !== null) return peekNodeStream(stream, signal);
  // A `Response` without a body has nothing to say; anything else is a transport's own and is asked for its text.
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
    : readStart(clone, signal, WHOLE_BYTES, maxMs);
}

/** Lets go of a response, or a request, whose body is not read any more. Never throws, never waits. */
export function discard(owner: unknown): void {
  if (typeof owner !== 'object' || owner === null || !('body' in owner)) return;
  const { body } = owner;
  if (typeof body !== 'object' || body === null) return;
  try {
    if ('cancel' in body && typeof body.cancel === 'function') Promise.resolve(body.cancel()).catch(() => {});
    else nodeStreamOf(owner)?.destroy();
  } catch {
    // A locked body is its reader's to end.
  }
}

/** As much of a readable stream of Node as is needed here; node-fetch's bodies are such streams. */
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

function nodeStreamOf(response: object): NodeStream | null {
  const body: unknown = Reflect.get(response, 'body');
  return typeof body === 'object' && body !== null && isNodeStream(body) ? body : null;
}

function isNodeStream(body: object): body is NodeStream {
  return ['read', 'unshift', 'on', 'off', 'destroy'].every((name) => typeof Reflect.get(body, name) === 'function');
}

/**
 * Looks at what a stream of Node has buffered, and puts it back: it can be read only once, and the response goes to the
 * caller unread. A stream buffers little (16 KiB), so this reads less than a look at a clone.
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
        // A source may have more each time it is asked.
        while (stream.readableLength > 0 && seenLength < stream.readableHighWaterMark) {
          const chunk = stream.read();
          const { byteLength } = bytesOf(chunk);
          chunks.push(chunk);
          seenLength += byteLength;
          // Objects are no body.
          if (byteLength === 0) break;
        }
        // At once, before the stream notices that it is empty: after its end nothing can be put back.
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

/** Whether nothing more will come. The state is not public, but every such stream has it. */
function hasWholeBody(stream: NodeStream): boolean {
  const state: unknown = Reflect.get(stream, '_readableState');
  return typeof state !== 'object' || state === null || !('ended' in state) || state.ended !== false;
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  return chunk instanceof Uint8Array ? chunk : new Uint8Array();
}

const ENDS: readonly string[] = ['end', 'error', 'close'];

type Cloneable = Pick<Response, 'bodyUsed' | 'clone'> & { readonly body: ReadableStream<Uint8Array> };

/** A `Response` of any realm with an unread body, so that it can be read twice. */
export function isReadableTwice(response: object): response is Cloneable {
  return isCloneable(response) && !response.bodyUsed && !response.body.locked;
}

/** null: it says that it can be read twice, and cannot. */
export function bodyOfClone(response: Pick<Response, 'clone'>): ReadableStream<Uint8Array> | null {
  try {
    return response.clone().body;
  } catch {
    return null;
  }
}

function isCloneable(response: object): response is Cloneable {
  return (
    'clone' in response &&
    typeof response.clone === 'function' &&
    'body' in response &&
    typeof response.body === 'object' &&
    response.body !== null &&
    'getReader' in response.body
  );
}

/** A `Response` whose body is null, which a transport's own answer may claim while its `text()` says something. */
function isBodiless(response: object): boolean {
  return 'clone' in response && 'bodyUsed' in response && 'body' in response && response.body === null;
}

async function readStart(
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
  // Cancelling settles a pending read, which is what ends the loop below.
  const stop = (): void => {
    stopped = true;
    reader.cancel().catch(() => {});
  };
  const clearTimer = startTimer(maxMs, stop);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    // One more read at exactly the limit: only the read that sees the end gives the connection back.
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
    // Nothing more of it is on the wire.
    drained = true;
    broken = { cause };
  }
  clearTimer();
  signal?.removeEventListener('abort', stop);
  if (!drained) stop();
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

/** `text()` can be called once, so its answer is kept and the very object is handed on with methods that replay it. */
async function peekText(response: TransportResponse, signal: AbortSignal | undefined): Promise<Peek> {
  let reading: Promise<string>;
  try {
    reading = Promise.resolve(response.text());
  } catch (error) {
    reading = Promise.reject(error);
  }
  replayText(response, reading);
  const body = await soon(reading, signal);
  return { body: typeof body === 'string' ? body.slice(0, PEEK_BYTES) : undefined, drained: true };
}

/** What a promise gives within the limit of a look; undefined where it takes longer, fails, or the signal aborts. */
function soon(reading: Promise<string>, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (text?: string): void => {
      clearTimer();
      signal?.removeEventListener('abort', giveUp);
      resolve(text);
    };
    const giveUp = (): void => end();
    const clearTimer = startTimer(PEEK_MS, giveUp);
    if (signal?.aborted) {
      giveUp();
      return;
    }
    signal?.addEventListener('abort', giveUp);
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
    // Fails only on a sealed object, which then keeps its own methods.
    Reflect.defineProperty(response, name, {
      value: replay[name],
      configurable: true,
      writable: true,
      enumerable: false,
    });
  }
}
