/**
 * HTTP/2 without TLS, for clients that begin with it, such as the AWS SDK for Bedrock. The proxy sends each stream to
 * itself as an HTTP/1.1 request, so that every rule and limit applies to it.
 */

import { type ClientRequest, type IncomingMessage, request as requestHttp1 } from 'node:http';
import {
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { hopByHop } from './hop-by-hop.ts';
import { HEADERS_MS, IDLE_MS, MAX_HEADER_BYTES } from './limits.ts';
import { SET_BY_FETCH } from './request-headers.ts';

const PREFACE = 'PRI * HTTP/2.0';
const MAX_STREAMS = 100;

/** Calls one of the two when the first bytes show the protocol. Closes a connection that sends nothing. */
export function detectProtocol(socket: Socket, onHttp1: () => void, onHttp2: () => void): void {
  const close = (): void => void socket.destroy();
  const timer = setTimeout(close, HEADERS_MS);
  const onData = (bytes: Buffer): void => {
    clearTimeout(timer);
    socket.off('end', close).off('error', close).pause();
    socket.unshift(bytes);
    if (bytes.length > 1 && PREFACE.startsWith(bytes.toString('latin1', 0, PREFACE.length))) {
      // The session reads the bytes of `unshift` by itself.
      onHttp2();
      return;
    }
    onHttp1();
    socket.resume();
  };
  socket.once('data', onData).on('end', close).on('error', close);
  socket.once('close', () => clearTimeout(timer));
}

interface Session {
  readonly socket: Socket;
  /** The number of open streams. */
  streams: number;
}

export class Http2Side {
  readonly #server = createServer({
    settings: { enablePush: false, maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  });
  readonly #sessions = new Map<Http2Session, Session>();

  /** `hostname` and `port` of the proxy itself. */
  constructor(hostname: string, port: number) {
    this.#server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      const session = stream.session === undefined ? undefined : this.#sessions.get(stream.session);
      if (session === undefined) stream.destroy();
      else forward(stream, headers, session, { hostname, port });
    });
  }

  accept(socket: Socket): void {
    // An HTTP/1.1 server keeps half-closed connections open, but a client that closes its side has gone.
    socket.allowHalfOpen = false;
    this.#server.once('session', (session: ServerHttp2Session) => {
      this.#sessions.set(session, { socket, streams: 0 });
      session.once('close', () => this.#sessions.delete(session)).on('error', () => {});
      session.setTimeout(IDLE_MS, () => session.close());
    });
    this.#server.emit('connection', socket);
  }

  /** Takes no new streams; a connection ends when its streams have ended. */
  close(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  destroy(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }
}

function forward(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  session: Session,
  own: { readonly hostname: string; readonly port: number },
): void {
  const { ':method': method = 'GET', ':path': path = '/', ':authority': authority = '' } = headers;
  const fail = (error: NodeJS.ErrnoException): void => {
    // Passes a reset on, because SDKs retry it, but only if no other stream of the connection would suffer, and not
    // during an answer: the AWS SDK may take a reset for the end of it, and the error of a stream never.
    const isReset = error.syscall === 'read' && error.code === 'ECONNRESET';
    if (isReset && session.streams === 1 && !stream.headersSent) session.socket.resetAndDestroy();
    // `close` with a code would end the body before it resets the stream, and so look complete.
    stream.destroy(error);
  };
  session.streams += 1;
  stream.on('error', () => {}).once('close', () => (session.streams -= 1));
  let request: ClientRequest;
  try {
    request = requestHttp1({ ...own, method, path, headers: http1Headers(headers, authority), agent: false });
  } catch {
    // HTTP/1.1 cannot express this path or header.
    fail(new Error('No request of HTTP/1.1'));
    return;
  }
  let answering: IncomingMessage | undefined;
  // After a refusal the connection may be closed while the body is still being sent.
  request.on('error', (error) => (answering?.complete === true ? undefined : fail(error)));
  request.on('response', (response) => {
    answering = response;
    answer(stream, response, fail);
  });
  // There is no response to a CONNECT.
  request.once('close', () => (stream.headersSent ? undefined : fail(new Error('No response'))));
  stream.once('close', () => request.destroy());
  if (stream.endAfterHeaders) request.end();
  else {
    // A request may be refused before its body begins.
    request.flushHeaders();
    stream.pipe(request, { end: false });
    // Node ends a stream also when the client resets it, in the middle of its body.
    stream.once('end', () => (stream.closed ? request.destroy() : request.end()));
  }
}

function answer(stream: ServerHttp2Stream, response: IncomingMessage, fail: (error: Error) => void): void {
  response.on('error', fail);
  if (stream.destroyed) {
    response.destroy();
    return;
  }
  const isHop = hopByHop(response.headers.connection);
  const kept = Object.entries(response.headers).filter(([name]) => !isHop(name));
  // Without this, a stream stays open as long as its client goes on sending to a proxy that has refused it.
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
  stream.respond({ ':status': response.statusCode ?? 502, ...Object.fromEntries(kept) });
  response.pipe(stream);
}

/** The body is sent in chunks, even if the client announced its length. */
function http1Headers(headers: IncomingHttpHeaders, authority: string): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = { host: authority };
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || SET_BY_FETCH.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}
