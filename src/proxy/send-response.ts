/** The target's response as the client gets it: each piece when it comes, and no faster than the client takes them. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from './response-headers.ts';

/** Rejects when the body breaks or the signal aborts; what has been sent by then was sent. */
export async function sendResponse(from: Response, to: ServerResponse, signal: AbortSignal): Promise<void> {
  for (const [name, value] of responseHeaders(from.headers)) to.setHeader(name, value);
  // A phrase of other characters is one that Node would not send.
  if (/^[\t\x20-\x7e]+$/.test(from.statusText)) to.statusMessage = from.statusText;
  to.writeHead(from.status);
  // A stream's first event may be long in coming.
  to.flushHeaders();
  for await (const piece of from.body ?? []) {
    if (!to.write(piece)) await once(to, 'drain', { signal });
  }
  to.end();
}

/**
 * Ends a response in the middle so that nobody takes it for a whole one: what was sent arrives, the end of the body does
 * not. In HTTP/1.0 a body may end where the connection does, so there the connection has to fail.
 */
export function breakOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.1') response.req.socket.destroySoon();
  else response.req.socket.resetAndDestroy();
}
