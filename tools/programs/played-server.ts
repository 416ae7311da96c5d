/**
 * A server on the loopback that plays all APIs at once and fails according to a plan. It supports HTTP/1.1 and, for the
 * AWS SDK, HTTP/2 without TLS on the same port. It records each request: when it came, how it was answered, and whether
 * it came before a hint allowed it.
 */

import { createHash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure, Plan } from './plans.ts';
import {
  type Api,
  errorEvent,
  geminiRetryInfo,
  type ModelRequest,
  readModelRequest,
  refusal,
  resetHeaders,
  streamedReply,
  wholeReply,
} from './protocols.ts';

export interface SeenRequest {
  /** Since the first request. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** undefined for requests that do not call a model. */
  readonly api: Api | undefined;
  /** Equal for requests with the same question. */
  readonly conversation: string | undefined;
  readonly answered: 'reply' | Failure['kind'] | 'other';
  /** The wait in the hint of the answer, if there was one. */
  readonly hintMs?: number;
  /** How much earlier it came than the hint to the same conversation allowed. */
  readonly earlyByMs?: number;
  /** Whether its headers say that the client retries it. */
  readonly retryCount?: string;
  /** Its `user-agent`. */
  readonly client?: string;
}

export interface PlayedServer {
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  /** Resolves at the first request for a model. */
  readonly firstAsked: Promise<void>;
  close(): Promise<void>;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** The time for a client to read before a reset reaches it; a reset discards bytes that are still on the way. */
const READING_MS = 150;
const BETWEEN_EVENTS_MS = 10;
/** Timers may fire, and clocks may be read, this much too early. */
const TOLERANCE_MS = 25;

/** Listens on a free port of 127.0.0.1. */
export async function startPlayedServer(plan: Plan): Promise<PlayedServer> {
  const requests: SeenRequest[] = [];
  const failed = new Map<string, number>();
  const notBefore = new Map<string, number>();
  const sockets = new Set<Socket>();
  const { promise: firstAsked, resolve: askedFirst } = Promise.withResolvers<void>();
  let startedAt: number | undefined;

  async function answer(request: Request, response: Response, socket: Socket): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const now = performance.now();
    const body = await text(request);
    const asked = method === 'POST' ? readModelRequest(path, body) : undefined;
    if (asked === undefined) {
      requests.push({
        atMs: Math.round(now - (startedAt ?? now)),
        method,
        path,
        api: undefined,
        conversation: undefined,
        answered: 'other',
      });
      answerOther(method, path, response);
      return;
    }
    startedAt ??= now;
    askedFirst();
    const atMs = Math.round(now - startedAt);
    const conversation = conversationOf(body);
    const failure = failureFor(plan, asked, atMs, failed.get(conversation) ?? 0);
    if (failure !== undefined) failed.set(conversation, (failed.get(conversation) ?? 0) + 1);
    const hasHint = failure?.kind === 'rate-limit' && failure.hintIn !== 'nothing';
    const hintSeconds = hasHint ? Math.ceil((lastsMs(plan) - atMs) / 1000) : undefined;
    const earliest = notBefore.get(conversation);
    const earlyByMs = earliest === undefined ? 0 : earliest - atMs;
    if (hintSeconds !== undefined) notBefore.set(conversation, atMs + hintSeconds * 1000);
    const retryCount = request.headers['x-stainless-retry-count'] ?? request.headers['x-retry-count'];
    const client = request.headers['user-agent'];
    requests.push({
      atMs,
      method,
      path,
      api: asked.api,
      conversation,
      answered: failure?.kind ?? 'reply',
      ...(hintSeconds !== undefined && { hintMs: hintSeconds * 1000 }),
      ...(earlyByMs > TOLERANCE_MS && { earlyByMs: Math.round(earlyByMs) }),
      ...(typeof retryCount === 'string' && { retryCount }),
      ...(client !== undefined && { client }),
    });
    if (failure === undefined) await reply(response, asked);
    else await fail(failure, hintSeconds ?? 0, asked, response, socket);
  }

  const http = createHttpServer((request, response) => {
    answer(request, response, request.socket).catch(ignore);
  });
  // Web sockets are refused with the status after which a client uses HTTP at once.
  http.on('upgrade', (request, socket) => {
    requests.push({
      atMs: startedAt === undefined ? 0 : Math.round(performance.now() - startedAt),
      method: 'UPGRADE',
      path: request.url ?? '/',
      api: undefined,
      conversation: undefined,
      answered: 'other',
    });
    socket.end('HTTP/1.1 426 Upgrade Required\r\nupgrade: HTTP/1.1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  const http2 = createHttp2Server();
  http2.on('session', (session) => session.on('error', ignore));
  const socketOfSession = new WeakMap<object, Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', ignore);
    socket.once('data', (first) => {
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString('latin1', 0, 3) === 'PRI';
      if (isHttp2) http2.once('session', (session) => socketOfSession.set(session, socket));
      (isHttp2 ? http2 : http).emit('connection', socket);
      if (!isHttp2) socket.resume();
    });
  });
  http2.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { session } = request.stream;
    const socket = session === undefined ? undefined : socketOfSession.get(session);
    if (socket !== undefined) answer(request, response, socket).catch(ignore);
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    firstAsked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function ignore(): void {
  // A client may go away; that is expected.
}

function failureFor(plan: Plan, { isStreamed }: ModelRequest, atMs: number, failedBefore: number): Failure | undefined {
  const isHit = plan.hits === 'any' || (plan.hits === 'streamed') === isStreamed;
  if (!isHit) return undefined;
  if (plan.lasts === 'always') return plan.failure;
  const isOver = 'ms' in plan.lasts ? atMs >= plan.lasts.ms : failedBefore >= plan.lasts.requests;
  return isOver ? undefined : plan.failure;
}

function lastsMs({ lasts }: Plan): number {
  return typeof lasts === 'object' && 'ms' in lasts ? lasts.ms : 0;
}

/** A retry has the same question, even if identifiers, times, counts or the model change. */
function conversationOf(body: string): string {
  let asked: unknown;
  try {
    const request: Record<string, unknown> = JSON.parse(body);
    asked = request['messages'] ?? request['input'] ?? request['contents'] ?? request['prompt'];
  } catch {
    asked = undefined;
  }
  return createHash('sha256')
    .update(asked === undefined ? body : JSON.stringify(asked))
    .digest('hex')
    .slice(0, 8);
}

async function reply(response: Response, { api, isStreamed }: ModelRequest): Promise<void> {
  if (!isStreamed) {
    const body = wholeReply(api);
    writeHead(response, 200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) });
    response.end(body);
    return;
  }
  const { contentType, preamble, firstContent, rest } = streamedReply(api);
  writeHead(response, 200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  for (const event of [...preamble, firstContent, ...rest]) {
    write(response, event);
    await sleep(BETWEEN_EVENTS_MS);
  }
  response.end();
}

async function fail(
  failure: Failure,
  hintSeconds: number,
  asked: ModelRequest,
  response: Response,
  socket: Socket,
): Promise<void> {
  const { api, isStreamed } = asked;
  switch (failure.kind) {
    case 'rate-limit': {
      const { status, headers, body } = refusal(api, 'rate-limit');
      const inHeaders = hintHeaders(failure.hintIn, api, hintSeconds);
      const isInBody = failure.hintIn === 'reset-headers' && api === 'gemini';
      writeHead(response, status, { ...headers, ...inHeaders });
      response.end(isInBody ? geminiRetryInfo(hintSeconds) : body);
      return;
    }
    case 'overloaded':
    case 'quota': {
      const { status, headers, body } = refusal(api, failure.kind);
      writeHead(response, status, headers);
      response.end(body);
      return;
    }
    case 'bad-gateway-page':
      writeHead(response, 502, { 'content-type': 'text/html', server: 'nginx' });
      response.end(
        '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n',
      );
      return;
    case 'error-event':
      writeHead(response, 200, { 'content-type': streamedReply(api).contentType });
      response.end(errorEvent(api));
      return;
    case 'empty-stream': {
      const { contentType, preamble } = streamedReply(api);
      writeHead(response, 200, { 'content-type': contentType });
      for (const event of preamble) write(response, event);
      response.end();
      return;
    }
    case 'reset-after-head':
      writeHead(response, 200, { 'content-type': isStreamed ? streamedReply(api).contentType : 'application/json' });
      if ('flushHeaders' in response) response.flushHeaders();
      await sleep(READING_MS);
      socket.resetAndDestroy();
      return;
    case 'reset-after-content':
    case 'end-after-content':
    case 'stalled-content': {
      const { contentType, preamble, firstContent } = streamedReply(api);
      writeHead(response, 200, { 'content-type': contentType });
      for (const event of [...preamble, firstContent]) write(response, event);
      await sleep(READING_MS);
      if (failure.kind === 'end-after-content') response.end();
      if (failure.kind === 'reset-after-content') socket.resetAndDestroy();
      return;
    }
    case 'broken-json': {
      const body = Buffer.from(wholeReply(api));
      writeHead(response, 200, { 'content-type': 'application/json', 'content-length': String(body.length) });
      write(response, body.subarray(0, body.length / 2));
      await sleep(READING_MS);
      socket.resetAndDestroy();
      return;
    }
    case 'broken-chunks':
    case 'stalled-json': {
      const body = Buffer.from(wholeReply(api));
      writeHead(response, 200, { 'content-type': 'application/json' });
      write(response, body.subarray(0, body.length / 2));
      await sleep(READING_MS);
      if (failure.kind === 'broken-chunks') socket.resetAndDestroy();
      return;
    }
    case 'stalled-preamble': {
      const { contentType, preamble } = streamedReply(api);
      writeHead(response, 200, { 'content-type': contentType });
      if ('flushHeaders' in response) response.flushHeaders();
      for (const event of preamble) write(response, event);
      return;
    }
    case 'white-space': {
      writeHead(response, 200, { 'content-type': 'application/json' });
      const endsAt = performance.now() + failure.ms;
      while (performance.now() < endsAt && !response.destroyed) {
        write(response, Buffer.from('\n'));
        await sleep(1_000);
      }
      response.end(wholeReply(api));
      return;
    }
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'hang':
      return;
  }
}

function hintHeaders(
  hintIn: 'retry-after' | 'reset-headers' | 'nothing',
  api: Api,
  seconds: number,
): Readonly<Record<string, string>> {
  switch (hintIn) {
    case 'retry-after':
      return { 'retry-after': String(seconds) };
    case 'reset-headers':
      return resetHeaders(api, seconds);
    case 'nothing':
      return {};
  }
}

function answerOther(method: string, path: string, response: Response): void {
  const [pathname = ''] = path.split('?');
  const answer = pathname.endsWith('/count_tokens')
    ? { input_tokens: 9 }
    : pathname.endsWith(':countTokens')
      ? { totalTokens: 9 }
      : pathname.endsWith('/models') && method === 'GET'
        ? { object: 'list', data: [], models: [] }
        : undefined;
  if (method === 'HEAD') {
    writeHead(response, 200, {});
    response.end();
    return;
  }
  writeHead(response, answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? { error: { message: 'Not played here.', type: 'not_found' } }));
}

/** HTTP/2 has its own overloads of these two, which are equal for the arguments used here. */
function writeHead(response: Response, status: number, headers: Readonly<Record<string, string>>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function write(response: Response, chunk: Uint8Array): void {
  if ('stream' in response) response.write(chunk);
  else response.write(chunk);
}
