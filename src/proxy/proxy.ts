/**
 * A reverse proxy on the loopback for one API: a program in any language gets retries if it changes its base URL. The
 * proxy adds no key and has no other target. It forwards requests and responses, and retries a failed call as
 * `createRetryFetch` does.
 */

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { EQUAL_REQUESTS } from '../http/repeats.ts';
import { createRetryFetch } from '../index.ts';
import { admit, admitToTarget, hostsOf, isLoopback } from './admit.ts';
import { ByteBudget } from './byte-budget.ts';
import { Call, type CallContext, type Wait } from './call.ts';
import { ComparedRequests } from './compared-requests.ts';
import { type ProxyOptions, type ProxySettings, readOptions } from './options.ts';
import { problemOf, sendProblem } from './problem.ts';
import { busy, RefusedError } from './refused-error.ts';
import { isForStatusPage, StatusPage } from './status-page.ts';
import { refuseTunnel, refuseUnreadable } from './unreadable.ts';

export interface Proxy {
  /** The base URL for clients. */
  readonly url: string;
  /** The number of calls whose response is not complete. */
  readonly running: number;
  /** The number of calls that wait for their next attempt. */
  readonly waiting: number;
  /** When the earliest wait ends, in milliseconds since the epoch; null if no call waits. */
  readonly nextAttemptAt: number | null;
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
  return new RunningProxy(server, settings, port);
}

class RunningProxy implements Proxy {
  readonly url: string;
  readonly #server: Server;
  readonly #settings: ProxySettings;
  readonly #hosts: readonly string[] | undefined;
  readonly #sockets = new Set<Socket>();
  /** Unfinished responses of each connection; pipelining allows several. */
  readonly #responses = new WeakMap<object, Set<ServerResponse>>();
  readonly #calls = new Map<Call, Socket>();
  readonly #context: CallContext;
  readonly #page: StatusPage | undefined;
  #lastId = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(server: Server, settings: ProxySettings, port: number) {
    const { host } = settings;
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#server = server;
    this.#settings = settings;
    this.#hosts = hostsOf(host, port);
    const { retry, onEvent, fetch: inner } = settings;
    const fetch = createRetryFetch({
      ...retry,
      onEvent,
      fetch: inner,
      ...{ [EQUAL_REQUESTS]: new ComparedRequests() },
    });
    this.#context = { settings, budget: new ByteBudget(settings.maxBufferedBytes), fetch };
    // If other machines can use the proxy, they must not see or end the calls of this one.
    if (this.#hosts !== undefined) this.#page = this.#statusPage();
    server
      .on('connection', (socket: Socket) => this.#add(socket))
      .on('request', (request, response) => this.#receive(request, response, false))
      .on('checkContinue', (request, response) => this.#receive(request, response, true))
      .on('connect', (_request, socket) => refuseTunnel(socket, this.#isAnswering(socket)))
      .on('clientError', (error, socket) => refuseUnreadable(error, socket, this.#isAnswering(socket)))
      // A connection that could not be accepted must not end the others.
      .on('error', () => {});
  }

  get running(): number {
    return this.#calls.size;
  }

  get waiting(): number {
    return this.#waits().length;
  }

  get nextAttemptAt(): number | null {
    const waits = this.#waits();
    return waits.length === 0 ? null : Math.min(...waits.map(({ nextAttemptAt }) => nextAttemptAt));
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      // The last connection can close before its call ends.
      this.#server.close(() => (this.#calls.size === 0 ? resolve() : (this.#onIdle = resolve)));
    });
    for (const call of this.#calls.keys()) call.closeConnection();
    this.#closeUnused();
    return this.#closed;
  }

  async cancel(): Promise<void> {
    const closed = this.close();
    for (const call of this.#calls.keys()) call.cancel();
    const timer = setTimeout(() => this.#server.closeAllConnections(), LAST_WORDS_MS);
    await closed;
    clearTimeout(timer);
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    this.#responses.set(socket, new Set());
    socket.once('close', () => {
      this.#sockets.delete(socket);
      // Some versions of Node emit no `close` for a pipelined response whose turn has not come.
      for (const [call, used] of this.#calls) if (used === socket) this.#end(call);
    });
  }

  #receive(request: IncomingMessage, response: ServerResponse, asksFirst: boolean): void {
    const responses = this.#responses.get(request.socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
    // Ignores writes after the client has gone; `close` is handled.
    response.on('error', () => {});
    try {
      this.#answer(request, response, asksFirst);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      sendProblem(request, response, problemOf(error));
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, asksFirst: boolean): void {
    admit(request, this.#hosts);
    if (this.#page !== undefined && isForStatusPage(request)) {
      this.#page.answer(request, response);
      return;
    }
    if (this.#closed !== undefined) throw new RefusedError(503, 'stopped', 'The proxy accepts no more calls.');
    if (request.url === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')) {
      this.#answerHealth(response);
      return;
    }
    const { maxCalls } = this.#settings;
    admitToTarget(request);
    if (this.#calls.size >= maxCalls) {
      throw busy(`The limit of ${maxCalls} running calls is reached; raise maxCalls (--max-calls).`);
    }
    this.#lastId += 1;
    const call = new Call(String(this.#lastId), request, response, this.#context, asksFirst);
    this.#calls.set(call, request.socket);
    response.once('close', () => this.#end(call));
    void call.run();
  }

  #end(call: Call): void {
    if (!this.#calls.delete(call)) return;
    call.end();
    if (this.#closed !== undefined) this.#closeUnused();
    if (this.#calls.size === 0) this.#onIdle?.();
  }

  #answerHealth(response: ServerResponse): void {
    const { target } = this.#settings;
    const { running, waiting } = this;
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(`${JSON.stringify({ status: 'ok', target: target.origin + target.basePath, running, waiting })}\n`);
  }

  /** Whether an error response written now could be read as part of another response. */
  #isAnswering(socket: object): boolean {
    const [first, ...more] = this.#responses.get(socket) ?? [];
    return first?.headersSent === true || more.length > 0;
  }

  #waits(): readonly Wait[] {
    return [...this.#calls.keys()].map(({ wait }) => wait).filter((wait) => wait !== undefined);
  }

  #statusPage(): StatusPage {
    const { origin, basePath } = this.#settings.target;
    return new StatusPage(
      () => ({ target: origin + basePath, running: this.running, waits: this.#waits() }),
      (id, action) => {
        for (const call of this.#calls.keys()) {
          if (call.id !== id || call.wait === undefined) continue;
          if (action === 'retry-now') call.retryNow();
          else call.giveUp();
        }
      },
    );
  }

  /** Closes idle connections, because the proxy takes no more requests. */
  #closeUnused(): void {
    const used = new Set(this.#calls.values());
    for (const socket of this.#sockets) {
      if (used.has(socket)) continue;
      // `destroySoon` adds a listener at each call, so it is called once.
      this.#sockets.delete(socket);
      socket.destroySoon();
    }
  }
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
  const { hostname, port: given, protocol } = new URL(target.origin);
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
