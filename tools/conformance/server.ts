/** The server for the observations: each path has one behaviour, and a path returns the received request. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, type Served, serve } from '../../test/serve.ts';

/** Headers that depend on the connection, or that differ from call to call. */
const OF_THE_CONNECTION = ['connection', 'host', 'keep-alive'];

function echo(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers = Object.entries(request.headers)
    .filter(([name]) => !OF_THE_CONNECTION.includes(name))
    .map(([name, value]) => [name, String(value).replace(/boundary=.*/, 'boundary=')]);
  const isForm = String(request.headers['content-type']).startsWith('multipart/');
  // The boundary differs from request to request, and so does the length.
  const boundary = /boundary=(\S+)/.exec(String(request.headers['content-type']))?.[1] ?? '\n';
  const text = body.toString('latin1').replaceAll(boundary, 'boundary');
  const shown = isForm ? headers.filter(([name]) => name !== 'content-length') : headers;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      method: request.method,
      url: request.url,
      headers: shown.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      bytes: isForm ? text.length : body.length,
      hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
    }),
  );
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/page': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A page</p>'),
  '/echo': echo,
  '/ok': (_request, response) => {
    response.writeHead(200, 'Fine', { 'content-type': 'application/json', 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] });
    response.end('{"ok":true}');
  },
  '/empty': (_request, response) => response.writeHead(204).end(),
  '/unchanged': (_request, response) => response.writeHead(304, { etag: '"x"' }).end(),
  '/missing': (_request, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('not here'),
  '/busy': (_request, response) => response.writeHead(503, { 'x-a': '1' }).end('busy'),
  '/busy-json': (_request, response) =>
    response.writeHead(529, { 'content-type': 'application/json' }).end('{"error":{"type":"overloaded_error"}}'),
  '/busy-empty': (_request, response) => response.writeHead(503).end(),
  '/busy-endless': (_request, response) => {
    response.writeHead(503);
    response.on('drain', () => response.write(Buffer.alloc(65_536, 65)));
    response.write(Buffer.alloc(1_048_576, 65));
  },
  '/strange-status': (_request, response) => response.writeHead(999).end('strange'),
  '/redirect': (_request, response) => response.writeHead(302, { location: '/echo' }).end(),
  '/redirect-kept': (_request, response) => response.writeHead(307, { location: '/echo' }).end(),
  '/redirect-round': (_request, response) => response.writeHead(302, { location: '/redirect-round' }).end(),
  '/redirect-away': (_request, response) => response.writeHead(302, { location: 'ftp://127.0.0.1/' }).end(),
  '/reset': (request) => request.socket.destroy(),
  '/broken': (request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('part');
    setTimeout(() => request.socket.destroy(), 20);
  },
  '/hang': () => {},
  '/head-only': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
  },
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of ['one', 'two']) response.write(`data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`);
    response.end('data: [DONE]\n\n');
  },
};

/** Starts it on a free port of this machine. */
export const startServer = (): Promise<Served> =>
  serve((request, response, body) => {
    response.on('error', () => {});
    const answer = ANSWERS[new URL(request.url ?? '/', 'http://x').pathname];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response, body);
  });
