/** Sends the target's response to the client: each piece as it comes, and no faster than the client reads. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isByteStream } from '../body/response-body.ts';
import { isJsonType, isUnpacked, responseHeaders } from './headers.ts';

export interface ResponseChanges {
  readonly headers: Readonly<Record<string, string>>;
  readonly keepsLength: boolean;
}

export function sendHead(from: Response, to: ServerResponse, { headers, keepsLength }: ResponseChanges): void {
  for (const [name, value] of responseHeaders(from)) to.setHeader(name, value);
  if (!keepsLength) to.removeHeader('content-length');
  for (const [name, value] of Object.entries(headers)) to.setHeader(name, value);
  // Node refuses other characters in a status text.
  if (/^[\t\x20-\x7e]+$/.test(from.statusText)) to.statusMessage = from.statusText;
  to.writeHead(from.status);
  // Sends the headers now, because the first event of a stream may come much later. `flushHeaders` would encode them as
  // UTF-8, and so change bytes above 127.
  to.write('', 'latin1');
}

/**
 * Sends the body; `onPiece` is called before each piece. Rejects when the body breaks, when JSON that fetch has unpacked
 * ends too early, or when the signal aborts; the pieces before that were sent.
 */
export async function sendBody(
  from: Response,
  to: ServerResponse,
  signal: AbortSignal,
  onPiece: () => void = () => {},
): Promise<void> {
  const end = isJsonType(from.headers.get('content-type')) && isUnpacked(from) ? new JsonEnd() : undefined;
  const ownsPieces = from.body !== null && isByteStream(from.body);
  for await (const piece of from.body ?? []) {
    onPiece();
    end?.feed(piece);
    // Its memory is given back at once: the collector looks for it only after many megabytes.
    const onWritten = (error?: Error | null): void => {
      if (ownsPieces && !error) piece.buffer.transfer(0);
    };
    if (!to.write(piece, onWritten)) await once(to, 'drain', { signal });
  }
  if (end?.isCut === true) throw new Error('The compressed answer ended before it was complete.');
  to.end();
}

/**
 * Ends a response early, so that it does not look complete; what was written before arrives. If the target's connection
 * was reset, the client's is reset too: some clients retry a reset, but not an early end. In HTTP/1.0 the end of the
 * connection may mark the end of the body, so every break is a reset there.
 */
export function breakOff(response: ServerResponse, error: unknown): void {
  const { httpVersion, socket } = response.req;
  if (httpVersion === '1.1' && !isReset(error)) socket.destroySoon();
  // A reset discards unsent bytes, so it waits until they are written.
  else socket.write('', () => socket.resetAndDestroy());
}

/** Whether the target's connection was reset, or closed before the end of its response. */
export function isBroken(error: unknown): boolean {
  return isReset(error) || hasCode(error, 'UND_ERR_SOCKET');
}

const isReset = (error: unknown): boolean => hasCode(error, 'ECONNRESET');

function hasCode(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === code) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: readonly (number | undefined)[] = [0x5b, 0x7b];
const CLOSING: readonly (number | undefined)[] = [0x5d, 0x7d];

/**
 * Whether JSON that is passed on is complete. fetch unpacks what a target compressed against the request, and takes a
 * compressed body that ends too early for a whole one.
 */
class JsonEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === QUOTE) this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = byte === BACKSLASH;
      else if (OPENING.includes(byte)) this.#depth += 1;
      else if (CLOSING.includes(byte)) this.#depth -= 1;
    }
  }

  get isCut(): boolean {
    return this.#isInText || this.#depth > 0;
  }
}
