/**
 * The provider on the loopback: answers as its trouble says, and keeps a log of the requests. All its waits are virtual.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Served, serve } from '../../test/serve.ts';
import {
  errorEvent,
  type ModelRequest,
  PIECES,
  readCall,
  refusal,
  type Streamed,
  streamedAnswer,
  wholeAnswer,
} from './protocol.ts';
import type { Day, Reply } from './trouble.ts';
import { noteActivity, time } from './virtual-clock.ts';

/** One line of the log. */
export interface LoggedRequest {
  readonly call: number;
  readonly nth: number;
  readonly atMs: number;
  readonly answered: string;
  readonly hintMs?: number;
  /** How much earlier it came than the last hint to this call allowed. */
  readonly earlyByMs?: number;
  /** Whether an earlier request of this call was failed for good. */
  readonly isAfterPermanent: boolean;
  /** Pieces of output that the provider made for it, and bills. */
  readonly pieces: number;
}

export interface Provider extends Served {
  readonly log: readonly LoggedRequest[];
}

const TO_ANSWER_MS = 1_500;
const TO_HEADERS_MS = 400;
const BETWEEN_PIECES_MS = 250;
/** Waits are rounded to milliseconds. */
const TOLERANCE_MS = 2;

export async function startProvider(day: Day): Promise<Provider> {
  const log: LoggedRequest[] = [];
  const seen = new Map<number, number>();
  const notBefore = new Map<number, number>();
  const dead = new Set<number>();
  const beganAt = time.elapsedMs;

  const served = await serve(async (request, response, sent) => {
    noteActivity();
    // Node's own `date` has the real time, which would belie every moment in the other headers.
    response.setHeader('date', new Date().toUTCString());
    const body = sent.toString();
    const tool = /"method":\s*"tools\/call".*call number (\d+)\./.exec(body);
    const asked: ModelRequest | undefined =
      tool === null ? readCall(request.url ?? '', body) : { api: 'chat', isStreamed: false, call: Number(tool[1]) };
    if (asked === undefined)
      return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Not here."}}');
    const { call, isStreamed, api } = asked;
    const nth = (seen.get(call) ?? 0) + 1;
    seen.set(call, nth);
    const atMs = Math.round(time.elapsedMs - beganAt);
    const kind = tool === null ? (isStreamed ? 'stream' : 'json') : 'tool';
    const reply = day.reply({ call, kind, api, nth, atMs });
    const hintMs = reply.kind === 'refusal' ? reply.hintMs : undefined;
    const earlyByMs = (notBefore.get(call) ?? 0) - atMs;
    log.push({
      call,
      nth,
      atMs,
      answered: nameOf(reply),
      ...(hintMs !== undefined && { hintMs }),
      ...(earlyByMs > TOLERANCE_MS && { earlyByMs }),
      isAfterPermanent: dead.has(call),
      pieces: piecesMade(reply),
    });
    if (hintMs !== undefined) notBefore.set(call, atMs + hintMs);
    if (reply.kind === 'refusal' && (reply.reason === 'quota' || reply.reason === 'too-long')) dead.add(call);
    const { socket } = request;
    return kind === 'tool' ? answerTool(response, socket, reply) : answer(response, socket, reply, asked);
  });
  const { server, port } = served;
  if (day.isClosedForMs !== undefined) {
    server.close();
    void time.after(day.isClosedForMs).then(() => server.listen(port, '127.0.0.1'));
  }
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    noteActivity();
    for (const event of ['data', 'end', 'close', 'error', 'drain'] as const) socket.on(event, noteActivity);
  });
  return { ...served, log };
}

function nameOf(reply: Reply): string {
  switch (reply.kind) {
    case 'refusal':
      return reply.reason;
    case 'reset':
      return `reset ${reply.at.replace('-', ' ')}`;
    case 'body':
      return `JSON body ${reply.how}`;
    case 'stream':
      return `stream ${reply.how === 'cut' ? 'is cut' : reply.how === 'ends' ? 'ends early' : 'stalls'}`;
    case 'page':
      return `${reply.status ?? 502} page`;
    case 'error-event':
      return 'error in the stream';
    case 'answer':
      return 'answer';
  }
}

const PIECES_OF_A_BROKEN_STREAM = 2;

function piecesMade(reply: Reply): number {
  if (reply.kind === 'answer' || reply.kind === 'body' || (reply.kind === 'page' && reply.status === 504))
    return PIECES;
  return reply.kind === 'stream' ? PIECES_OF_A_BROKEN_STREAM : 0;
}

const pageOf = (title: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

async function answerTool(response: ServerResponse, socket: Socket, reply: Reply): Promise<void> {
  await time.after(TO_HEADERS_MS);
  if (reply.kind === 'answer')
    response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
  else socket.resetAndDestroy();
}

async function answer(response: ServerResponse, socket: Socket, reply: Reply, asked: ModelRequest): Promise<void> {
  const { api, call, isStreamed } = asked;
  const stream = streamedAnswer(api, call);
  if ('afterMs' in reply) await time.after(reply.afterMs);
  switch (reply.kind) {
    case 'answer':
      if (isStreamed) await writeStream(response, stream, 'whole', reply.headers);
      else {
        await time.after(TO_ANSWER_MS);
        response.writeHead(200, { ...JSON_TYPE, ...reply.headers }).end(wholeAnswer(api, call));
      }
      return;
    case 'refusal': {
      const { status, body } = refusal(api, reply.reason);
      await time.after(TO_HEADERS_MS);
      const hint = reply.hintMs === undefined ? undefined : hintOf(api, reply.hintMs, body);
      response.writeHead(status, { ...JSON_TYPE, ...reply.headers, ...hint?.headers }).end(hint?.body ?? body);
      return;
    }
    case 'page':
      await time.after(TO_HEADERS_MS);
      response
        .writeHead(reply.status ?? 502, { 'content-type': 'text/html', server: 'nginx' })
        .end(pageOf(reply.status === 504 ? '504 Gateway Time-out' : '502 Bad Gateway'));
      return;
    case 'reset':
      await time.after(TO_HEADERS_MS);
      if (reply.at === 'after-headers') {
        response.writeHead(200, isStreamed ? STREAM_TYPE : JSON_TYPE);
        response.flushHeaders();
        await time.after(50);
      }
      socket.resetAndDestroy();
      return;
    case 'body': {
      const body = wholeAnswer(api, call);
      await time.after(TO_ANSWER_MS);
      response.writeHead(200, { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) });
      response.write(body.slice(0, body.length / 2));
      await time.after(50);
      if (reply.how === 'breaks') socket.resetAndDestroy();
      return;
    }
    case 'error-event':
      await time.after(TO_HEADERS_MS);
      response.writeHead(200, STREAM_TYPE).end(errorEvent(api, call));
      return;
    case 'stream': {
      await writeStream(response, stream, PIECES_OF_A_BROKEN_STREAM, undefined);
      if (reply.how === 'cut') socket.resetAndDestroy();
      else if (reply.how === 'ends') response.end();
      return;
    }
  }
}

async function writeStream(
  response: ServerResponse,
  { before, pieces, end }: Streamed,
  upTo: number | 'whole',
  headers: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  await time.after(TO_HEADERS_MS);
  response.writeHead(200, { ...STREAM_TYPE, ...headers });
  for (const event of before) response.write(event);
  for (const event of upTo === 'whole' ? pieces : pieces.slice(0, upTo)) {
    await time.after(BETWEEN_PIECES_MS);
    response.write(event);
  }
  await time.after(BETWEEN_PIECES_MS);
  if (upTo === 'whole') response.end(end.join(''));
}

/** Where each provider says how long to wait. */
function hintOf(api: ModelRequest['api'], ms: number, body: string): { headers: Record<string, string>; body: string } {
  const seconds = Math.ceil(ms / 1_000);
  const isExact = api === 'chat' || api === 'responses';
  if (api !== 'gemini')
    return { headers: { 'retry-after': String(seconds), ...(isExact && { 'retry-after-ms': String(ms) }) }, body };
  const { error } = JSON.parse(body);
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }];
  return { headers: {}, body: JSON.stringify({ error: { ...error, details } }) };
}
