/** The scripted server over sockets, for tests, the bench and the tools. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerOfStep, type Step } from '../mocks/steps.ts';

/** Answers a request that has been read to its end. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown;

/** A step of `mocks/steps.ts`; only a function gets Node's own request and response, to do what a step cannot say. */
export type SocketStep = Exclude<Step, (...args: never) => unknown> | Answer;

export type SocketSteps = readonly [SocketStep, ...(readonly SocketStep[])];

export interface Served {
  readonly port: number;
  /** Without a path. */
  readonly origin: string;
  /** The origin with the path of the Messages API. */
  readonly url: string;
  readonly counts: { readonly connections: number; readonly requests: number };
  readonly server: Server;
  /** Closes all connections, even those that hang. */
  readonly close: () => Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1 that answers each request with the next step; the last step repeats. */
export function serve(...steps: SocketSteps): Promise<Served> {
  return listen(playing(...steps));
}

/** Starts a server on a free port of `host`. */
export async function listen(answer: Answer, host = '127.0.0.1'): Promise<Served> {
  const counts = { connections: 0, requests: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
    request.on('error', () => {});
  });
  server.on('connection', () => (counts.connections += 1));
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { port: address.port, origin, url: `${origin}/v1/messages`, counts, server, close };
}

/** What a server answers once it is well again. */
export const OK = { status: 200, headers: {}, body: '{"ok":true}' };

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const served = await serve(200);
  await served.close();
  return served.port;
}

/** Answers each request with the next step; the last step repeats. */
export function playing(...steps: SocketSteps): Answer {
  const answers = steps.map((step) => (typeof step === 'function' ? step : sending(step)));
  let next = 0;
  return (request, response, body) => answers[Math.min(next++, answers.length - 1)]?.(request, response, body);
}

/** The same for each path on its own. */
export function playingEachPath(...steps: SocketSteps): Answer {
  const answers = new Map<string | undefined, Answer>();
  return (request, response, body) => {
    const answer = answers.get(request.url) ?? playing(...steps);
    answers.set(request.url, answer);
    return answer(request, response, body);
  };
}

/** By then a client on this machine has read what was written before. */
const UNTIL_READ_MS = 20;

function sending(step: Exclude<SocketStep, Answer>): Answer {
  const answer = answerOfStep(step);
  return async (_request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { signal } = gone;
    const { type, status, statusText, headers, body } = await answer(new Request('http://127.0.0.1/', { signal }));
    if (type === 'error') return response.socket?.resetAndDestroy();
    response.writeHead(status, statusText, [...headers].flat());
    if (body === null) return response.end();
    if (!headers.has('transfer-encoding')) return response.end(new Uint8Array(await new Response(body).arrayBuffer()));
    const write = (piece: Uint8Array): Promise<void> =>
      new Promise((resolve) => response.write(piece, () => resolve()));
    try {
      await body.pipeTo(new WritableStream({ write }), { signal });
      return response.end();
    } catch {
      return setTimeout(() => response.socket?.resetAndDestroy(), UNTIL_READ_MS);
    }
  };
}
