/**
 * Responses of the proxy itself: one line of JSON that says what is wrong. The SDKs of OpenAI and Anthropic both read it
 * as an error. A client that is still sending its request receives it too.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { classify, GateRefusedError, outcomeOf, type RetryConfig } from '../index.ts';

/** A request that the proxy refuses or ends itself. The message says what to do and repeats nothing of the request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The proxy has no room now, but may have some a second later. */
export function busy(message: string): RefusedError {
  return new RefusedError(503, 'busy', message, { 'retry-after': '1' });
}

export interface Problem {
  readonly status: number;
  /**
   * `proxy_refused`: the proxy ended the call; `attempts` says whether a request was sent. Else the type of the last
   * failure.
   */
  readonly type: string;
  readonly code?: string | undefined;
  readonly message: string;
  readonly attempts: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Tells SDKs not to retry. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };
/** How long the proxy goes on reading from a client that is still sending: a reset would lose the response. */
const LINGER_MS = 2_000;

/**
 * What happened to a call that got no response from its target, without secrets. `attempts`: the number of requests sent
 * to the target. `mark`: which problems of the target tell SDKs not to retry.
 */
export function problemOf(error: unknown, attempts: number = 0, mark: RetryConfig['exhausted'] = 'return'): Problem {
  if (error instanceof RefusedError) {
    const { status, code, message, headers } = error;
    return { status, type: 'proxy_refused', code, message, attempts, headers };
  }
  if (error instanceof GateRefusedError) {
    const { because, message, possibleAt } = error;
    // Without a `Retry-After`, clients retry within a second.
    const seconds = possibleAt === null ? 0 : Math.ceil((possibleAt - Date.now()) / 1_000);
    const headers = { ...(mark === 'mark' && NO_RETRY), ...(seconds > 0 && { 'retry-after': String(seconds) }) };
    return { status: 503, type: 'proxy_refused', code: because, message, attempts, headers };
  }
  // Secrets of the request are masked in the record of an attempt, but not in the error itself.
  const failure = outcomeOf(error)?.history.at(-1)?.failure ?? classify({ error });
  const { type = 'unknown', code, message: said = '', retryable = true } = failure ?? {};
  const reason = failure === null ? 'an error' : said === '' ? type : `${type} (${said.replace(/\.$/, '')})`;
  const isMarked = mark === 'mark' || (mark === 'mark-permanent' && !retryable && type !== 'unknown');
  return {
    status: type === 'timeout' ? 504 : 502,
    type,
    code,
    message: `The target gave no answer in ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}; the last ended in ${reason}.`,
    attempts,
    headers: isMarked ? NO_RETRY : {},
  };
}

/**
 * Sends a problem, and closes the connection if the rest of the request was not read. `isSending`: false for a client
 * that waits for `100 Continue`, and so will not send its body.
 */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  isSending: boolean = request.headers.expect === undefined,
): void {
  const line = lineOf(problem);
  for (const [name, value] of Object.entries(headersOf(problem, line))) response.setHeader(name, value);
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(problem.status);
  if (request.complete || !isSending) {
    response.end(line);
    return;
  }
  response.write(line);
  const end = (): void => void response.end();
  const timer = setTimeout(end, LINGER_MS);
  response.once('close', () => clearTimeout(timer));
  request.once('end', end);
  request.resume();
}

/**
 * Refuses what is no request to forward, such as bytes that the parser refuses. `isAnswering`: the words could be read as
 * part of another response, so nothing is sent.
 */
export function refuseSocket(socket: Duplex, refused: RefusedError, isAnswering: boolean): void {
  // The client may have gone already.
  socket.on('error', () => {});
  const line = lineOf(problemOf(refused));
  const headers = Object.entries({ ...headersOf(problemOf(refused), line), connection: 'close' });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const text = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? ''}\r\n${head}\r\n${line}`;
  socket.end(isAnswering ? '' : text, () => socket.destroy());
}

/** Why Node's parser refuses a request. */
export function refusalOfParser({ code, message }: NodeJS.ErrnoException): RefusedError {
  switch (code ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return new RefusedError(431, 'head_too_large', 'The headers of the request are too long.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new RefusedError(413, 'body_too_large', 'The chunk extensions of the request body are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RefusedError(408, 'request_timeout', 'The request took too long to arrive.');
    default: {
      // The parser's message names the rule and repeats nothing of the request.
      const why = message.replace(/^Parse Error: /, '');
      return new RefusedError(400, 'bad_request', `The request cannot be forwarded: ${why}.`);
    }
  }
}

function lineOf({ type, code, message, attempts }: Problem): string {
  return `${JSON.stringify({ type: 'error', error: { type, code, message }, attempts })}\n`;
}

function headersOf({ headers }: Problem, line: string): Readonly<Record<string, string>> {
  return { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(line)) };
}
