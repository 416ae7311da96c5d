/** A client's request, read completely, as it is sent to the target. */

import type { IncomingMessage } from 'node:http';
import type { ProxySettings } from './options.ts';
import { admitLength, type Body, readBody } from './read-body.ts';
import { RefusedError } from './refused-error.ts';
import { requestHeaders } from './request-headers.ts';
import { targetUrlOf } from './target-url.ts';

export interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: empty. */
  readonly body: Body | undefined;
}

export interface Reading {
  /** Called with the number of bytes of each piece; may throw. */
  readonly take: (bytes: number) => void;
  /** Sends `100 Continue` to a client that waits for it. */
  readonly letSend: () => void;
  readonly signal: AbortSignal;
}

/** Rejects with a `RefusedError` if the request cannot be sent, and as {@link readBody} does. */
export async function readOutgoing(
  request: IncomingMessage,
  { target, maxBodyBytes }: ProxySettings,
  { take, letSend, signal }: Reading,
): Promise<Outgoing> {
  const url = targetUrlOf(request.url ?? '', target);
  admitLength(request, maxBodyBytes);
  letSend();
  const { method = 'GET' } = request;
  const body = await readBody(request, maxBodyBytes, take, signal);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new RefusedError(400, 'body_not_allowed', `A ${method} with a body cannot be forwarded; leave the body out.`);
  }
  return { url, method, headers: requestHeaders(request.rawHeaders), body };
}
