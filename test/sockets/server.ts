/** A loopback server for what only sockets do. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface LoopbackServer {
  readonly url: string;
  readonly counts: { connections: number; requests: number };
  /** Closes all connections, even those that hang. */
  close(): Promise<void>;
}

/** Starts a server that reads each request to its end and then answers. */
export function startServer(answer: Answer): Promise<LoopbackServer> {
  const counts = { connections: 0, requests: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
    request.on('error', () => {});
  });
  server.on('connection', () => (counts.connections += 1));
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ url: `http://127.0.0.1:${port}/v1/messages`, counts, close });
    });
  });
}

/** Answers the first `failures` requests of each path with `failing`, and the rest with 200. */
export function failFirst(failures: number, failing: Answer): Answer {
  const seen = new Map<string, number>();
  return (request, response, body) => {
    const path = request.url ?? '';
    const count = (seen.get(path) ?? 0) + 1;
    seen.set(path, count);
    if (count <= failures) failing(request, response, body);
    else response.end('{"ok":true}');
  };
}
