/** The body of a request, whole, for it has to be sent again: up to a limit, because it is kept in memory. */

import type { IncomingMessage } from 'node:http';
import { RefusedError } from './refused-error.ts';

/** JSON as text, which a fallback chain can put another model into; anything else as bytes that all attempts share. */
export type Body = string | Blob;

/** @throws RefusedError for a body that is announced to be over the limit */
export function admitLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Reads a body to its end; undefined for an empty one. Rejects with a `RefusedError` as soon as it is over the limit, with
 * the signal's reason, and with the error of a connection that breaks.
 */
export function readBody(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Body | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (settled: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onError);
      signal.removeEventListener('abort', onAbort);
      settled();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > maxBytes) settle(() => reject(tooLarge(maxBytes)));
    };
    const onEnd = (): void => settle(() => resolve(bodyOf(chunks, request.headers['content-type'])));
    const onError = (error: Error): void => settle(() => reject(error));
    const onAbort = (): void => settle(() => reject(signal.reason));
    request.on('data', onData).on('end', onEnd).on('error', onError);
    signal.addEventListener('abort', onAbort);
  });
}

function bodyOf(chunks: readonly Buffer[], contentType: string | undefined): Body | undefined {
  if (chunks.length === 0) return undefined;
  const whole = Buffer.concat(chunks);
  if (contentType !== undefined && /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole);
    } catch {
      // Not what it says; it is sent on as it is.
    }
  }
  return new Blob([whole]);
}

function tooLarge(maxBytes: number): RefusedError {
  return new RefusedError(
    413,
    'body_too_large',
    `The request body is over ${maxBytes} bytes; raise maxBodyBytes (--max-body), or send it to the target itself.`,
  );
}
