/** Reads the whole body of a request into memory, up to a limit, because a retry needs it again. */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { nameBody } from './compared-requests.ts';
import { RefusedError } from './refused-error.ts';

/** Text if it is JSON, because a fallback chain may change the model in it; else bytes that all attempts share. */
export type Body = string | Blob;

/** @throws RefusedError if `Content-Length` is over the limit */
export function admitLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Reads a body to its end; undefined if it is empty. Rejects with a `RefusedError` as soon as it is over the limit, with
 * the error that `take` throws, with the signal's reason, or with the error of a broken connection.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  take: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Body | undefined> {
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
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        take(chunk.byteLength);
      } catch (error) {
        settle(() => reject(error));
        return;
      }
      chunks.push(chunk);
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
  if (contentType !== undefined && /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) {
    try {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      // Malloc keeps the memory of large buffers after they are free, so the chunks are not joined as bytes.
      return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
    } catch {
      // Not JSON; the bytes are sent as they are.
    }
  }
  const bytes = Buffer.concat(chunks);
  return nameBody(new Blob([bytes]), createHash('sha256').update(bytes).digest('base64url'));
}

function tooLarge(maxBytes: number): RefusedError {
  return new RefusedError(
    413,
    'body_too_large',
    `The request body is over ${maxBytes} bytes; raise maxBodyBytes (--max-body), or send it to the target itself.`,
  );
}
