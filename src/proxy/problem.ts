/**
 * Responses of the proxy itself: one line of JSON that says what is wrong. A client that is still sending its request
 * receives them too.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { classify, type Failure, GateRefusedError, outcomeOf, type RetryConfig } from '../index.ts';
import type { RefusedError } from './refused-error.ts';

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
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tells SDKs not to retry. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };
/** How long the proxy goes on reading from a client that is still sending: a reset would lose the response. */
const LINGER_MS = 2_000;

export function problemOf({ status, code, message, headers }: RefusedError, attempts = 0): Problem {
  return { status, type: 'proxy_refused', code, message, attempts, headers };
}

/**
 * What happened to a call that got no response from its target, and how often, without secrets. `attempts`: the number of requests sent to the target. `mark`: which problems tell SDKs
 * not to retry.
 */
export function gatewayProblem(error: unknown, attempts: number, mark: RetryConfig['exhausted']): Problem {
  if (error instanceof GateRefusedError) {
    const { because, message, possibleAt } = error;
    // Without a `Retry-After`, clients retry within a second.
    const seconds = possibleAt === null ? 0 : Math.ceil((possibleAt - Date.now()) / 1_000);
    const headers = { ...markFor(mark, false), ...(seconds > 0 && { 'retry-after': String(seconds) }) };
    return { status: 503, type: 'proxy_refused', code: because, message, attempts, headers };
  }
  // Secrets of the request are masked in the record of an attempt, but not in the error itself.
  const end = outcomeOf(error);
  const failure = end?.history.at(-1)?.failure ?? classify({ error });
  const { type, code } = failure ?? { type: 'unknown' };
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `The target gave no answer in ${count}; the last ended in ${reasonOf(failure)}.`;
  const headers = markFor(mark, failure !== null && !failure.retryable && type !== 'unknown');
  return { status: type === 'timeout' ? 504 : 502, type, code, message, attempts, headers };
}

function markFor(mark: RetryConfig['exhausted'], isPermanent: boolean): Readonly<Record<string, string>> {
  return mark === 'mark' || (mark === 'mark-permanent' && isPermanent) ? NO_RETRY : {};
}

function reasonOf(failure: Failure | null): string {
  if (failure === null) return 'an error';
  const { type, message } = failure;
  return message === '' ? type : `${type} (${message.replace(/\.$/, '')})`;
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

/** The whole response as text, for a request that could not be parsed. */
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
