/** What a limiter forwards to: a server that answers after the time that the request names. */

import { listen, type Served } from '../../../test/serve.ts';
import { SERVICE_MS } from './limiter.ts';

/** Longer than any run: a connection that ends while it is taken again would look like a failure of the limiter. */
const KEEP_ALIVE_MS = 3_600_000;

export async function startUpstream(): Promise<Served> {
  // At all addresses: each run of Caddy has one of its own.
  const served = await listen(({ headers }, response) => {
    setTimeout(() => response.end('{}'), Number(headers['x-service-ms'] ?? SERVICE_MS));
  }, '0.0.0.0');
  served.server.keepAliveTimeout = KEEP_ALIVE_MS;
  return served;
}
