/** Answers data that is not a request to forward: bytes that the parser refuses, and CONNECT. */

import type { Duplex } from 'node:stream';
import { problemOf, rawProblem } from './problem.ts';
import { RefusedError } from './refused-error.ts';

/** Answers a parser error, unless the answer could be read as part of another response. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else endWith(socket, refusalOf(error), isAnswering);
}

/** Refuses CONNECT, which asks for a tunnel to any address. */
export function refuseTunnel(socket: Duplex, isAnswering: boolean): void {
  // The client may have gone already.
  socket.on('error', () => {});
  const refused = new RefusedError(405, 'method_not_allowed', 'CONNECT is not forwarded: this proxy has one target.');
  endWith(socket, refused, isAnswering);
}

function endWith(socket: Duplex, refused: RefusedError, isAnswering: boolean): void {
  socket.end(isAnswering ? '' : rawProblem(problemOf(refused)), () => socket.destroy());
}

function refusalOf({ code, message }: NodeJS.ErrnoException): RefusedError {
  switch (code ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return new RefusedError(431, 'head_too_large', 'The headers of the request are too long.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new RefusedError(413, 'body_too_large', 'The chunk extensions of the request body are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RefusedError(408, 'request_timeout', 'The request took too long to arrive.');
    default:
      // The parser's message names the rule and repeats nothing of the request.
      return new RefusedError(
        400,
        'bad_request',
        `The request cannot be forwarded: ${message.replace(/^Parse Error: /, '')}.`,
      );
  }
}
