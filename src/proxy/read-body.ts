/** Reads the whole body of a request into memory, up to a limit, because a retry needs it again. */

import { createHash } from 'node:crypto';
import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { nameBody } from './compared-requests.ts';
import { isJsonType } from './headers.ts';
import { RefusedError } from './problem.ts';

/** Text if it is JSON, because a fallback chain may change the model in it; else bytes that all attempts share. */
export type Body = string | Blob;

/** @throws RefusedError if `Content-Length` is over the limit */
export function admitLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Reads a body to its end; undefined if it is empty. Rejects with a `RefusedError` as soon as it is over the limit, with
 * the error that `keep` throws, with the signal's reason, or with the error of a broken connection.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  keep: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Body | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const events: AsyncIterable<readonly Buffer[]> = on(request, 'data', { signal, close: ['end'] });
  try {
    for await (const [chunk = Buffer.of()] of events) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      keep(chunk.byteLength);
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return bodyOf(chunks, request.headers['content-type']);
}

function bodyOf(chunks: readonly Buffer[], contentType: string | undefined): Body | undefined {
  if (chunks.length === 0) return undefined;
  if (isJsonType(contentType)) {
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
