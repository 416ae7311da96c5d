/**
 * The server of the scenarios with sockets, in its own process, so that its work does not count as a subject's. It
 * listens on two ports, one for the baseline and one for the subject, and has separate counts for them.
 *
 * - `/ok`: a small JSON answer
 * - `/flaky/<id>`: 429 with 64 KiB, and the small answer from the second time on
 * - `/events/<count>`: that many server-sent events, one write each
 */

import type { ServerResponse } from 'node:http';
import { serve } from '../../test/serve.ts';
import { COMPLETION } from './request.ts';

/** The counts of one port. */
export interface PortCounts {
  readonly requests: number;
  readonly connections: number;
  readonly mostOpen: number;
}

export interface PerPort<T> {
  readonly baseline: T;
  readonly subject: T;
}

/** The first message contains the ports, each later one the counts. */
export interface ServerMessage {
  readonly ports: PerPort<number>;
  readonly counts: PerPort<PortCounts>;
}

const BIG_BODY = Buffer.alloc(65_536, 'r');
const EVENT = `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;
const YIELD_EVERY = 64;

interface Port {
  readonly port: number;
  readonly counts: () => PortCounts;
}

async function startPort(): Promise<Port> {
  const failedOnce = new Set<string>();
  let open = 0;
  let mostOpen = 0;
  const { port, server, counts } = await serve((request, response) => {
    const [, route, parameter = ''] = (request.url ?? '').split('/');
    if (route === 'events') return writeEvents(response, Number(parameter));
    if (route === 'flaky' && !failedOnce.has(parameter)) {
      failedOnce.add(parameter);
      const headers = { 'content-type': 'text/plain', 'content-length': BIG_BODY.length, 'retry-after-ms': '1' };
      return response.writeHead(429, headers).end(BIG_BODY);
    }
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(COMPLETION) };
    return response.writeHead(200, headers).end(COMPLETION);
  });
  server.keepAliveTimeout = 120_000;
  server.on('connection', (socket) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    // A client may cancel a body and with it the connection.
    socket.on('error', () => undefined).on('close', () => (open -= 1));
  });
  return { port, counts: () => ({ ...counts, mostOpen }) };
}

async function writeEvents(response: ServerResponse, count: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let written = 0; written < count && !response.destroyed; written += 1) {
    const hasRoom = response.write(EVENT);
    if (!hasRoom) await new Promise<void>((resolve) => response.once('drain', resolve).once('close', resolve));
    else if (written % YIELD_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end('data: [DONE]\n\n');
}

const baseline = await startPort();
const subject = await startPort();
const ports = { baseline: baseline.port, subject: subject.port };

function report(): void {
  const message: ServerMessage = { ports, counts: { baseline: baseline.counts(), subject: subject.counts() } };
  process.send?.(message);
}

process.on('message', report);
// The parent process has ended.
process.on('disconnect', () => process.exit());
report();
