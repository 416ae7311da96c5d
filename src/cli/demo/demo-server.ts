/**
 * An LLM server on the loopback for the demo. It answers each request with the next step of a script, over real
 * sockets.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** The server's reaction to one request. */
export type DemoStep =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** The connection is reset once the request has arrived. */
  | { readonly kind: 'reset' }
  /** A streamed completion as the Anthropic Messages API sends it. */
  | { readonly kind: 'completion'; readonly text: string }
  /** The beginning of one, and then a reset, an end that looks regular, or nothing more. */
  | { readonly kind: 'beginning'; readonly text: string; readonly ending: 'reset' | 'end' | 'silence' };

export interface DemoServer {
  /** The URL for the requests. */
  readonly url: string;
  /** The number of requests that have used a step of the script. */
  readonly requests: number;
  /** Closes every connection. */
  close(): Promise<void>;
}

const PATH = '/v1/messages';

/** Listens on a free port of 127.0.0.1. The last step of the script is repeated. */
export async function startDemoServer(
  steps: readonly [DemoStep, ...DemoStep[]],
  { tokenIntervalMs }: { readonly tokenIntervalMs: number },
): Promise<DemoServer> {
  const queue = [...steps];
  let [next] = steps;
  let requests = 0;
  const server = createServer((request, response) => {
    const known = request.method === 'POST' && request.url === PATH;
    if (known) {
      requests += 1;
      next = queue.shift() ?? next;
    }
    const step = known ? next : NOT_FOUND;
    request.resume();
    request.once('end', () => void play(step, request, response, tokenIntervalMs));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NOT_FOUND: DemoStep = {
  kind: 'response',
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    type: 'error',
    error: { type: 'not_found_error', message: `Only POST ${PATH} is answered here.` },
  }),
};

async function play(
  step: DemoStep,
  request: IncomingMessage,
  response: ServerResponse,
  tokenIntervalMs: number,
): Promise<void> {
  switch (step.kind) {
    case 'response':
      response.writeHead(step.status, { ...step.headers }).end(step.body);
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'completion':
    case 'beginning':
      await stream(step, response, tokenIntervalMs);
  }
}

async function stream(
  step: Extract<DemoStep, { readonly kind: 'completion' | 'beginning' }>,
  response: ServerResponse,
  tokenIntervalMs: number,
): Promise<void> {
  const { text } = step;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const tokens = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  try {
    for (const event of opening()) send(response, event);
    for (const token of tokens) {
      await pause(tokenIntervalMs, undefined, { signal: gone.signal });
      send(response, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: token } });
    }
    if (step.kind === 'completion') for (const event of closing(tokens.length)) send(response, event);
    if (step.kind === 'completion' || step.ending === 'end') response.end();
    else if (step.ending === 'reset') response.req.socket.resetAndDestroy();
  } catch {
    // The client has gone.
    response.destroy();
  }
}

interface StreamEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

function opening(): StreamEvent[] {
  const message = {
    id: 'msg_demonstration',
    type: 'message',
    role: 'assistant',
    model: 'demonstration',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 1 },
  };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
  ];
}

function closing(outputTokens: number): StreamEvent[] {
  return [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  ];
}

function send(response: ServerResponse, event: StreamEvent): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
