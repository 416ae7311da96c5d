/**
 * The server of the scenarios with sockets, in its own process, so that its work does not count as a subject's. It
 * listens on two ports, one for the baseline and one for the subject, and has separate counts for them.
 *
 * - `/ok`: a small JSON answer
 * - `/flaky/<id>`: 429 with 64 KiB, and the small answer from the second time on
 * - `/events/<count>`: that many server-sent events, one write each
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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

class Port {
  readonly server: Server;
  readonly #failedOnce = new Set<string>();
  #requests = 0;
  #connections = 0;
  #open = 0;
  #mostOpen = 0;

  constructor() {
    this.server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
      this.#requests += 1;
      request.resume().on('end', () => void this.#answer(request, response));
    });
    this.server.on('connection', (socket) => {
      this.#connections += 1;
      this.#open += 1;
      this.#mostOpen = Math.max(this.#mostOpen, this.#open);
      // A client may cancel a body and with it the connection.
      socket.on('error', () => undefined).on('close', () => (this.#open -= 1));
    });
  }

  get counts(): PortCounts {
    return { requests: this.#requests, connections: this.#connections, mostOpen: this.#mostOpen };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, route, parameter = ''] = (request.url ?? '').split('/');
    if (route === 'events') {
      await writeEvents(response, Number(parameter));
    } else if (route === 'flaky' && !this.#failedOnce.has(parameter)) {
      this.#failedOnce.add(parameter);
      const headers = { 'content-type': 'text/plain', 'content-length': BIG_BODY.length, 'retry-after-ms': '1' };
      response.writeHead(429, headers).end(BIG_BODY);
    } else {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(COMPLETION) };
      response.writeHead(200, headers).end(COMPLETION);
    }
  }
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

function listen({ server }: Port): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address.port);
    });
  });
}

const baseline = new Port();
const subject = new Port();
const ports = { baseline: await listen(baseline), subject: await listen(subject) };

function report(): void {
  const message: ServerMessage = { ports, counts: { baseline: baseline.counts, subject: subject.counts } };
  process.send?.(message);
}

process.on('message', report);
// The parent process has ended.
process.on('disconnect', () => process.exit());
report();
