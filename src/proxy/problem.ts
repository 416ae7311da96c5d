/**
 * Answers of the proxy's own: one line of JSON that says what is wrong. They go out in a way that reaches also a client
 * that is still sending.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { RefusedError } from './refused-error.ts';

/** What went wrong, for a program and for a person. */
export interface Problem {
  readonly status: number;
  /** `proxy_refused`: the proxy ended it; `attempts` tells whether anything was sent. Anything else: the type of the last failure. */
  readonly type: string;
  readonly code?: string | undefined;
  readonly message: string;
  /** Requests that the target was sent. */
  readonly attempts: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long a client that is still sending is listened to. One that is cut off loses the answer in the reset. */
const LINGER_MS = 2_000;

export function problemOf({ status, code, message, headers }: RefusedError, attempts = 0): Problem {
  return { status, type: 'proxy_refused', code, message, attempts, headers };
}

/**
 * Answers a request, and closes the connection where the rest of the request was not read. `isSending`: false for a client
 * that asks before it sends its body, and sends nothing after a no.
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

/** The same where there is no request yet, for it could not be read. */
export function rawProblem(problem: Problem): string {
  const line = lineOf(problem);
  const headers = Object.entries({ ...headersOf(problem, line), connection: 'close' });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\n${head}\r\n${line}`;
}

function lineOf({ type, code, message, attempts }: Problem): string {
  return `${JSON.stringify({ type: 'error', error: { type, code, message }, attempts })}\n`;
}

function headersOf({ headers }: Problem, line: string): Readonly<Record<string, string>> {
  return { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(line)) };
}
