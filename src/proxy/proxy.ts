/**
 * A reverse proxy on the loopback for one API: a program in any language gets retries if it changes its base URL. The
 * proxy adds no key and has no other target. It forwards requests and responses, and retries a failed call as
 * `createRetryFetch` does.
 */

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { EQUAL_REQUESTS } from '../http/repeats.ts';
import { createRetryFetch } from '../index.ts';
import { admit, admitToTarget, hostsOf, isLoopback } from './admit.ts';
import { createByteBudget } from './byte-budget.ts';
import { type Call, type CallContext, startCall, type Wait } from './call.ts';
import { ComparedRequests } from './compared-requests.ts';
import { type ProxyOptions, type ProxySettings, readOptions } from './options.ts';
import { busy, problemOf, refusalOfParser, RefusedError, refuseSocket, sendProblem } from './problem.ts';
import { createStatusPage, isForStatusPage } from './status-page.ts';

export interface Proxy {
  /** The base URL for clients. */
  readonly url: string;
  /** The number of calls whose response is not complete. */
  readonly running: number;
  /** The number of calls that wait for their next attempt. */
  readonly waiting: number;
  /** Accepts no more calls, and resolves when the running ones have ended, waits included. */
  close(): Promise<void>;
  /** Ends all calls at once, waits included. Also allowed after `close`. */
  cancel(): Promise<void>;
}

const LIMITS: ServerOptions = {
  // Together these limit what a connection can cost before its first call.
  maxHeaderSize: 16_384,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  // By default Node checks only every 30 s, which would double the first limit.
  connectionsCheckingInterval: 5_000,
  // Clients close theirs sooner, so none is closed just as it is used.
  keepAliveTimeout: 75_000,
  insecureHTTPParser: false,
  // `admit` refuses it with a message of the proxy.
  requireHostHeader: false,
};

/** How long a client may take to read the last response after `cancel`. */
const LAST_WORDS_MS = 1_000;

/** Resolves when the proxy listens. @throws TypeError if an option is invalid; rejects if it cannot listen */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const settings = readOptions(options);
  const server = createServer(LIMITS);
  // By default Node drops headers after the 2,000th without an error.
  server.maxHeadersCount = 0;
  const port = await listen(server, settings);
  if (await isItself(settings, port)) {
    server.close();
    throw new TypeError(`Expected \`target\` to be another server than the proxy on port ${port} itself.`);
  }
  return run(server, settings, port);
}

function run(server: Server, settings: ProxySettings, port: number): Proxy {
  const { host, retry, onEvent, maxCalls, target } = settings;
  const hosts = hostsOf(host, port);
  const calls = new Set<Call>();
  /** The unfinished responses of each open connection; pipelining allows several. */
  const connections = new Map<Socket, Set<ServerResponse>>();
  const context: CallContext = {
    settings,
    share: createByteBudget(settings.maxBufferedBytes),
    fetch: createRetryFetch({
      ...retry,
      onEvent,
      fetch: settings.fetch,
      ...{ [EQUAL_REQUESTS]: new ComparedRequests() },
    }),
  };
  let lastId = 0;
  let closed: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;

  const waits = (): readonly Wait[] => [...calls].map(({ wait }) => wait).filter((wait) => wait !== undefined);

  // If other machines can use the proxy, they must not see or end the calls of this one.
  const page =
    hosts &&
    createStatusPage(
      () => ({ target, running: calls.size, waits: waits() }),
      (id, action) => {
        const call = [...calls].find((each) => each.id === id && each.wait !== undefined);
        if (action === 'retry-now') call?.retryNow();
        else call?.giveUp();
      },
    );

  const answer = (request: IncomingMessage, response: ServerResponse, asksFirst: boolean): void => {
    admit(request, hosts);
    if (page !== undefined && isForStatusPage(request)) return page(request, response);
    if (closed !== undefined) throw new RefusedError(503, 'stopped', 'The proxy accepts no more calls.');
    if (request.url === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')) {
      const health = { status: 'ok', target, running: calls.size, waiting: waits().length };
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(health)}\n`);
      return;
    }
    admitToTarget(request);
    if (calls.size >= maxCalls)
      throw busy(`The limit of ${maxCalls} running calls is reached; raise maxCalls (--max-calls).`);
    lastId += 1;
    const call = startCall(String(lastId), request, response, context, asksFirst);
    calls.add(call);
    response.once('close', () => end(call));
  };

  const receive = (request: IncomingMessage, response: ServerResponse, asksFirst: boolean): void => {
    const responses = connections.get(request.socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
    // Ignores writes after the client has gone; `close` is handled.
    response.on('error', () => {});
    try {
      answer(request, response, asksFirst);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      sendProblem(request, response, problemOf(error));
    }
  };

  const end = (call: Call): void => {
    if (!calls.delete(call)) return;
    call.end();
    if (closed !== undefined) closeUnused();
    if (calls.size === 0) onIdle?.();
  };

  /** Closes idle connections, because the proxy takes no more requests. */
  const closeUnused = (): void => {
    const used = new Set([...calls].map(({ socket }) => socket));
    for (const socket of connections.keys()) {
      if (used.has(socket)) continue;
      // `destroySoon` adds a listener at each call, so it is called once.
      connections.delete(socket);
      socket.destroySoon();
    }
  };

  /** Whether an error response written now could be read as part of another response. */
  const isAnswering = (socket: Duplex): boolean => {
    const [, responses = []] = [...connections].find(([each]) => each === socket) ?? [];
    const [first, ...more] = responses;
    return first?.headersSent === true || more.length > 0;
  };

  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      // The last connection can close before its call ends.
      server.close(() => (calls.size === 0 ? resolve() : (onIdle = resolve)));
    });
    for (const call of calls) call.closeConnection();
    closeUnused();
    return closed;
  };

  server
    .on('connection', (socket: Socket) => {
      connections.set(socket, new Set());
      socket.once('close', () => {
        connections.delete(socket);
        // Some versions of Node emit no `close` for a pipelined response whose turn has not come.
        for (const call of calls) if (call.socket === socket) end(call);
      });
    })
    .on('request', (request, response) => receive(request, response, false))
    .on('checkContinue', (request, response) => receive(request, response, true))
    .on('connect', (_request, socket) => {
      const message = 'CONNECT is not forwarded: this proxy has one target.';
      refuseSocket(socket, new RefusedError(405, 'method_not_allowed', message), isAnswering(socket));
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
      else refuseSocket(socket, refusalOfParser(error), isAnswering(socket));
    })
    // A connection that could not be accepted must not end the others.
    .on('error', () => {});

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    get running() {
      return calls.size;
    },
    get waiting() {
      return waits().length;
    },
    close,
    cancel: async () => {
      const ended = close();
      for (const call of calls) call.cancel();
      const timer = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function listen(server: Server, { host, port }: ProxySettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** A proxy whose target is itself would forward a request to itself without end. */
async function isItself({ target, host }: ProxySettings, port: number): Promise<boolean> {
  const { hostname, port: given, protocol } = new URL(target);
  if (Number(given === '' ? DEFAULT_PORTS[protocol] : given) !== port) return false;
  if (isLoopback(hostname)) return true;
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8);
  // What a machine connects to for these is itself.
  for (const address of ['::1', '0.0.0.0', '::']) own.addAddress(address, familyOf(address));
  const isEverywhere = /^(?:0\.0\.0\.0|\[?::\]?)$/.test(host);
  const listening = isEverywhere ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : [];
  for (const { address } of [...listening, { address: host }])
    if (isIP(address) !== 0) own.addAddress(address, familyOf(address));
  const named = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  return named.some(({ address }) => own.check(address, familyOf(address)));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
