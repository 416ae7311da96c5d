/** What a limiter forwards to: a server that answers after the time that the request names. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { SERVICE_MS } from './limiter.ts';

/** Longer than any run: a connection that ends while it is taken again would look like a failure of the limiter. */
const KEEP_ALIVE_MS = 3_600_000;

export interface Upstream {
  readonly port: number;
  stop(): void;
}

export async function startUpstream(): Promise<Upstream> {
  const server = createServer((request, response) => {
    const serviceMs = Number(request.headers['x-service-ms'] ?? SERVICE_MS);
    request.resume();
    setTimeout(() => response.end('{}'), serviceMs);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
