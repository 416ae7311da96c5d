/**
 * Sends the body of an answer as a stream, in the pieces of a real server, at a pace, and broken off if wanted. A body
 * that arrives in one piece hides the bugs of a client between two pieces.
 */

import { answerOf, bytesOf, responseOf, type Answer, type Recording } from './recording.ts';

/** A longer timer would fire at once: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How the body of an answer is sent. */
export interface Pace {
  /**
   * The wait after each piece, in milliseconds. Infinity: nothing follows the first one, and the stream stays open.
   *
   * @default 0
   */
  readonly chunkDelayMs?: number | undefined;
  /**
   * Bytes per piece, at least 1.
   *
   * @default one event, one line of NDJSON, or the whole of any other body
   */
  readonly chunkBytes?: number | undefined;
  /**
   * The connection breaks after this many bytes of the body, at least 1, or at its end. To break it before the response
   * headers, use the step `'network-error'`.
   */
  readonly dieAfterBytes?: number | undefined;
  /** The server goes silent after this many bytes of the body, and keeps the connection open. */
  readonly stallAfterBytes?: number | undefined;
  /** The body ends after this many bytes, as if it were complete. */
  readonly endAfterBytes?: number | undefined;
}

/**
 * A `Response` whose body arrives in pieces.
 *
 * @throws {TypeError} if a delay or a size is invalid
 */
export function streamOf(answer: Answer | Recording, pace: Pace = {}): Response {
  checkPace(pace);
  const whole = responseOf(answer);
  if (whole.body === null) return whole;
  // Without this header or a length, a broken connection would look like the end of the body.
  whole.headers.set('transfer-encoding', 'chunked');
  whole.headers.delete('content-length');
  return new Response(piecesAt(pace, piecesOf(answer, pace)), whole);
}

/** Waits; with Infinity until the signal aborts. An abort ends the wait without an error. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0 || signal.aborted) return resolve();
    const timer = ms > LONGEST_TIMER_MS ? undefined : setTimeout(done, ms);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** How a body breaks: at most one of them. */
const BREAKS: readonly string[] = ['dieAfterBytes', 'stallAfterBytes', 'endAfterBytes'];

/** @throws {TypeError} if an option is unknown or invalid, or a body breaks in two ways */
export function checkPace(pace: Pace & { readonly delayMs?: number | undefined }): void {
  const given = Object.entries(pace).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (name === 'chunkBytes' || BREAKS.includes(name)) {
      if (!Number.isInteger(value) || value < 1)
        throw new TypeError(`Expected \`${name}\` to be an integer ≥ 1, got ${value}.`);
    } else if (name !== 'delayMs' && name !== 'chunkDelayMs')
      throw new TypeError(`Unknown option \`${name}\` of a step.`);
    else if (!(value >= 0)) throw new TypeError(`Expected \`${name}\` to be a number ≥ 0, got ${value}.`);
  }
  if (given.filter(([name]) => BREAKS.includes(name)).length > 1)
    throw new TypeError(`Expected at most one of ${BREAKS.join(', ')}.`);
}

function piecesAt(
  { chunkDelayMs = 0, dieAfterBytes, stallAfterBytes }: Pace,
  pieces: readonly Uint8Array[],
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const left = pieces.values();
  let first = true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!first) await pause(chunkDelayMs, cancelled.signal);
      first = false;
      if (cancelled.signal.aborted) return;
      const { value: piece } = left.next();
      if (piece !== undefined) return controller.enqueue(piece);
      if (stallAfterBytes !== undefined) return pause(Infinity, cancelled.signal);
      if (dieAfterBytes === undefined) return controller.close();
      // A socket that breaks at once would lose the previous piece.
      await nextTurn();
      controller.error(new TypeError(`The connection broke after ${dieAfterBytes} bytes, as this step says.`));
    },
    cancel() {
      cancelled.abort();
    },
  });
}

/** A turn of the event loop, even with fake timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

function piecesOf(answer: Answer | Recording, pace: Pace): readonly Uint8Array[] {
  const { chunkBytes, dieAfterBytes, stallAfterBytes, endAfterBytes } = pace;
  const pieces = chunkBytes === undefined ? unitsOf(answerOf(answer)) : slicesOf(bytesOf(answer), chunkBytes);
  let left = dieAfterBytes ?? stallAfterBytes ?? endAfterBytes ?? Infinity;
  return pieces.flatMap((piece) => {
    const sent = piece.subarray(0, left);
    left -= sent.length;
    return sent.length > 0 ? [sent] : [];
  });
}

function slicesOf(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** The pieces that a server sends: an event with the empty line after it, or a line of NDJSON. */
function unitsOf(answer: Answer): readonly Uint8Array[] {
  const type = answer.headers['content-type'] ?? '';
  if (answer.encoding === 'base64') return [bytesOf(answer)];
  if (type.startsWith('text/event-stream')) return answer.body.split(/(?<=\n\n|\r\r|\r\n\r\n)/).map(encoded);
  if (/ndjson|jsonl|json-seq/.test(type)) return answer.body.split(/(?<=\n)/).map(encoded);
  return [bytesOf(answer)];
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
