/**
 * The body of an answer as a stream: in the pieces in which a server would send it, at a pace, and, if asked, dying on
 * the way. Clients meet their worst bugs between two pieces, and a body that arrives whole never shows them.
 */

import { answerOf, bytesOf, responseOf, type Answer, type Recording } from './recording.ts';

/** A longer timer fires at once, so a longer delay is no different from one that never ends: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How the body of an answer is sent. */
export interface Pace {
  /**
   * Waited after each piece, in milliseconds. Infinity: nothing follows the first one, and the stream stays open.
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
   * The connection breaks after this many bytes of the body, at least 1, and no later than at its end. Where it is to
   * break before the head, the step is `'network-error'`.
   */
  readonly dieAfterBytes?: number | undefined;
}

/**
 * A `Response` whose body arrives in pieces.
 *
 * @throws {TypeError} for a delay or a size that means nothing
 */
export function streamOf(answer: Answer | Recording, pace: Pace = {}): Response {
  checkPace(pace);
  const whole = responseOf(answer);
  if (whole.body === null) return whole;
  // Without this header or a length the end of the connection is the end of the body, and a death looks like it.
  whole.headers.set('transfer-encoding', 'chunked');
  whole.headers.delete('content-length');
  return new Response(piecesAt(pace, piecesOf(answer, pace)), whole);
}

/** Waits; Infinity waits for the signal. When that fires the wait is over, without an error. */
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

/** Refuses a delay or a size that means nothing. */
export function checkPace(pace: Pace & { readonly delayMs?: number | undefined }): void {
  for (const name of ['chunkBytes', 'dieAfterBytes'] as const) {
    const bytes = pace[name] ?? 1;
    if (!Number.isInteger(bytes) || bytes < 1) {
      throw new TypeError(`Expected \`${name}\` to be an integer ≥ 1, got ${bytes}.`);
    }
  }
  for (const name of ['delayMs', 'chunkDelayMs'] as const) {
    const ms = pace[name] ?? 0;
    if (!(ms >= 0)) throw new TypeError(`Expected \`${name}\` to be a number ≥ 0, got ${ms}.`);
  }
}

function piecesAt(
  { chunkDelayMs = 0, dieAfterBytes }: Pace,
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
      if (dieAfterBytes === undefined) return controller.close();
      // A socket that breaks at once takes with it what was written just before.
      await nextTurn();
      controller.error(new TypeError(`The connection broke after ${dieAfterBytes} bytes, as this step says.`));
    },
    cancel() {
      cancelled.abort();
    },
  });
}

/** A turn of the event loop, also under fake timers. */
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

function piecesOf(answer: Answer | Recording, { chunkBytes, dieAfterBytes = Infinity }: Pace): readonly Uint8Array[] {
  const pieces = chunkBytes === undefined ? unitsOf(answerOf(answer)) : slicesOf(bytesOf(answer), chunkBytes);
  let left = dieAfterBytes;
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

/** What a server sends at a time: an event with the blank line after it, a line of NDJSON. */
function unitsOf(answer: Answer): readonly Uint8Array[] {
  const type = answer.headers['content-type'] ?? '';
  if (answer.encoding === 'base64') return [bytesOf(answer)];
  if (type.startsWith('text/event-stream')) return answer.body.split(/(?<=\n\n|\r\r|\r\n\r\n)/).map(encoded);
  if (/ndjson|jsonl|json-seq/.test(type)) return answer.body.split(/(?<=\n)/).map(encoded);
  return [bytesOf(answer)];
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
