/** The target's response as the client gets it: each piece when it comes, and no faster than the client takes them. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from './response-headers.ts';

/** What the client gets in place of the target's own. */
export interface ResponseChanges {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether `set-cookie` is handed on. */
  readonly cookies: boolean;
}

/** Sends status and headers at once. */
export function sendHead(from: Response, to: ServerResponse, { status, headers, cookies }: ResponseChanges): void {
  for (const [name, value] of responseHeaders(from, cookies)) to.setHeader(name, value);
  for (const [name, value] of Object.entries(headers)) to.setHeader(name, value);
  // Node refuses to send a phrase of other characters.
  if (status === from.status && /^[\t\x20-\x7e]+$/.test(from.statusText)) to.statusMessage = from.statusText;
  to.writeHead(status);
  // The first event of a stream may come much later.
  to.flushHeaders();
}

/**
 * Sends the body; `onPiece` is called before each piece. Rejects when the body breaks or the signal aborts; what has been
 * sent by then was sent.
 */
export async function sendBody(
  from: Response,
  to: ServerResponse,
  signal: AbortSignal,
  onPiece: () => void = () => {},
): Promise<void> {
  for await (const piece of from.body ?? []) {
    onPiece();
    if (!to.write(piece)) await once(to, 'drain', { signal });
  }
  to.end();
}

/**
 * Ends a response in the middle, so that it does not look whole. What was sent arrives. A reset of the target's
 * connection becomes a reset of the client's, which some clients retry and an early end not; any other break becomes an
 * early end. In HTTP/1.0 the end of the connection may be the end of the body, so there every break is a reset.
 */
export function breakOff(response: ServerResponse, error: unknown): void {
  const { httpVersion, socket } = response.req;
  if (httpVersion === '1.1' && !isReset(error)) socket.destroySoon();
  // A reset discards what is still to be sent.
  else socket.write('', () => socket.resetAndDestroy());
}

function isReset(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'ECONNRESET') return true;
  }
  return false;
}
