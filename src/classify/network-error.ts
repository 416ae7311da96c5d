/**
 * Reads what was thrown instead of a response. Runtimes and libraries put the reason in many places: the name, a status,
 * a code somewhere along `cause` and `errors`, or nothing but words; they are asked in the order of how far they can be
 * trusted. What nobody recognises is not retried: a bug in the caller's own code must not be run again for hours.
 */

import isNetworkErrorOfFetch from 'is-network-error';
import { FAILURES, type Failure, type FailureType } from '../failure/failure.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { systemNow } from '../hints/retry-after.ts';
import { findHint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { failedStatus, readEvidence } from './envelope.ts';
import { makeFailure } from './make-failure.ts';
import { fieldsOfProviders, readEvidenceType } from './rules.ts';
import { isRetryableStatusCode } from './status.ts';

/** How many errors along `cause` and `errors` are looked at. */
const MAX_ERRORS = 16;

/** Whether a request may have reached the server: after `unsent` nothing of it can have, so sending again repeats nothing. */
type Reach = 'unsent' | 'sent';

/** What codes mean: the first row that fits. A code that fits none says nothing, and the next one is asked. */
const CODES: readonly (readonly [codes: RegExp, type: FailureType, retryable: boolean, reach: Reach])[] = [
  [/^(?:UND_ERR_CONNECT|ERR_TLS_HANDSHAKE)_TIMEOUT$/, 'timeout', true, 'unsent'],
  // The last two are Bun's.
  [
    /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|E(?:NET|HOST)(?:UNREACH|DOWN)|EADDRNOTAVAIL|UND_ERR_PRX_CONN|ConnectionRefused|FailedToOpenSocket)$/,
    'connection_error',
    true,
    'unsent',
  ],
  [/^E(?:SOCKET)?TIMEDOUT$|^UND_ERR_\w+_TIMEOUT$|^ERR_SOCKET_CONNECTION_TIMEOUT$/, 'timeout', true, 'sent'],
  [/^(?:UND_ERR_ABORT(?:ED)?|ABORT_ERR|ERR_CANCELED)$/, 'aborted', false, 'sent'],
  [
    /^(?:ERR_(?:INVALID|UNSUPPORTED)_\w+|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH))$/,
    'invalid_request',
    false,
    'sent',
  ],
  // A certificate stays as wrong as it is.
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(?:TLS|SSL)_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_/,
    'connection_error',
    false,
    'sent',
  ],
  [
    /^(?:E(?:CONN(?:RESET|ABORTED)|PIPE|PROTO|NETRESET|NOTCONN)|ERR_(?:STREAM_PREMATURE_CLOSE|SOCKET_CLOSED\w*|NETWORK\w*|HTTP2_(?:STREAM|SESSION|GOAWAY|PING|INVALID_S)\w*)|HPE_\w+|Z_BUF_ERROR|ZlibError|Malformed_HTTP_Response|UND_ERR_(?:SOCKET|INFO|HEADERS_OVERFLOW|PRX_\w+|SOCKS5\w*|RES_CONTENT_LENGTH_MISMATCH)|Connection(?:Closed|Reset))$/,
    'connection_error',
    true,
    'sent',
  ],
];

const meaningOf = (code: string): (typeof CODES)[number] | undefined => CODES.find(([codes]) => codes.test(code));

/** What fetch itself refuses, in the words of Node's causes: the same request will be refused again. */
const REFUSALS =
  /redirect|scheme|^bad port|^integrity|^invalid (?:method|URL)|data URL|^not implemented|^local URLs|^only if cached|^blocked|^cors|^cross origin|^request mode|^proxy auth|^range start/i;

const FINAL_WORDS =
  /\b(?:invalid|unauthori[sz]ed|forbidden|not found|bad request|api key|authentication|permission|invalid_api_key|insufficient_quota)\b/i;
const TIMEOUT_WORDS = /\b(?:timed out|timeout)\b/i;
const NETWORK_WORDS =
  /\b(?:econnrefused|enotfound|etimedout|econnreset|epipe|eai_again|fetch failed|failed to fetch|load failed|socket hang up|other side closed|premature close|socket connection was closed|did not get a response|ended without sending any chunks|stream has been aborted|error in (?:input|body) stream|received rst_stream|connect timeout|connection (?:error|reset|refused|closed|lost|timed out|terminated|aborted)|aborted due to connection closure|network (?:error|failure|timeout|connection|request failed|socket|changed|(?:is )?(?:down|unreachable|lost))|(?:unable to connect|cannot connect to api))\b|^(?:TypeError: )?terminated\b|^network$|^client error \((?:connect|sendrequest)\)|^14 unavailable:|^net::err_(?!aborted|access|blocked|cert|cleartext|disallowed|file|insufficient|invalid|ssl|too_many|unknown_url|unsafe)/i;

/** node-fetch's and its agents', some of which have a final word in them. */
const NODE_FETCH_WORDS =
  /^(?:invalid response body while .*premature close|response timeout while|request to \S+ failed, reason:|proxy connection ended)/i;

/** Google's JavaScript SDKs say it nowhere else. */
const STATUS_WORDS = /^(?:\[[\w.]+\]: )?got status: ([45]\d\d)\b/;

/** How a proxy answered a CONNECT, in the words of undici and of tunnel-agent: both hide it behind a code of something else. */
const TUNNEL = /^(?:Proxy response \(|tunneling socket could not be established, statusCode=)(\d{3})\b/;
/** What fetch calls ERR_SSL_WRONG_VERSION_NUMBER, and others EPROTO: the port speaks no TLS. */
const NO_TLS = /wrong.version.number/i;

const attemptTimeouts = /* @__PURE__ */ new WeakSet<object>();

/** Marks the error with which we ended an attempt ourselves, so that it is told from a caller's abort. */
export function markAttemptTimeout(error: object): void {
  attemptTimeouts.add(error);
}

/** Whether nothing can have reached the server, so that even what must not be repeated may be sent again. */
export function wasNotSent(failure: Failure): boolean {
  return failure.phase === 'connect' && meaningOf(failure.code ?? '')?.[3] === 'unsent';
}

/** Reads anything that can be thrown. Never throws itself. */
export function readError(error: unknown, secrets?: readonly string[]): Failure {
  try {
    return read(error, secrets);
  } catch {
    return makeFailure({ type: 'unknown', phase: 'connect', message: 'An error that cannot be read' });
  }
}

function read(error: unknown, secrets: readonly string[] | undefined): Failure {
  const marked = failureIn(error);
  if (marked !== null) return marked;
  const message = messageOf(error);
  const found = (type: FailureType, retryable: boolean, code?: string, detail?: string): Failure =>
    makeFailure(
      {
        type,
        retryable,
        code,
        phase: 'connect',
        message: detail === undefined || detail === message ? message : `${message}: ${detail}`,
      },
      secrets,
    );
  if (typeof error === 'object' && error !== null && attemptTimeouts.has(error)) return found('timeout', true);
  const chain = chainOf(error);
  const refusal = chain.map((link) => TUNNEL.exec(messageOf(link))?.[1]).find((digits) => digits !== undefined);
  if (refusal !== undefined) return found('connection_error', isRetryableStatusCode(Number(refusal)));
  if (isAbort(error)) return found('aborted', false);

  const status = statusOf(error);
  if (status !== null) return readThrownStatus(error, status, message, secrets);

  for (const link of chain) {
    const code = get(link, 'code');
    const meaning = typeof code === 'string' ? meaningOf(code) : undefined;
    if (meaning !== undefined && typeof code === 'string') {
      const words = messageOf(link);
      return found(meaning[1], meaning[2] && !NO_TLS.test(words), code, words);
    }
    if (link !== error && isAbort(link)) return found('aborted', false);
  }
  for (const link of chain) {
    const words = messageOf(link);
    const cause = messageOf(get(link, 'cause'));
    if (words === 'fetch failed' && REFUSALS.test(cause)) return found('invalid_request', false, undefined, cause);
    if (/certificate/i.test(words + cause)) return found('connection_error', false);
    if (isNetworkErrorOfFetch(link)) return found('connection_error', true, undefined, cause || undefined);
    const isNodeFetch = NODE_FETCH_WORDS.test(words);
    if (!isNodeFetch && FINAL_WORDS.test(words)) break;
    if (isNodeFetch || NETWORK_WORDS.test(words))
      return found(TIMEOUT_WORDS.test(words) ? 'timeout' : 'connection_error', true);
    if (/^(?:request|operation) timed out\b/i.test(words)) return found('timeout', true);
  }
  return found('unknown', false);
}

/** An error that names a status was a response once; what it kept of its body and headers is read like one. */
function readThrownStatus(
  error: unknown,
  status: number,
  message: string,
  secrets: readonly string[] | undefined,
): Failure {
  const response = get(error, 'response');
  const header = readHeaders(
    [get(error, 'headers'), get(error, 'responseHeaders'), get(response, 'headers')].find(isHeaders),
  );
  const code = get(error, 'code');
  const value = {
    // An error that kept nothing of the body says in its message what the body said.
    error: firstObject(get(error, 'error'), get(error, 'data'), get(response, 'data')) ?? {
      message,
      raw: get(error, 'responseBody'),
    },
    details: get(error, 'errorDetails'),
    code,
    type: get(error, 'type'),
  };
  // The AWS SDK's errors are called by their exception, and blame somebody.
  const name = get(error, '$fault') === undefined ? null : get(error, 'name');
  const fields = fieldsOfProviders();
  const evidence = readEvidence(status, value, '', typeof name === 'string' ? name : null, fields);
  const hint = findHint(header, systemNow(), status, () => evidence.words, fields.waits);
  const { type, retryable, action } = readEvidenceType(evidence, hint?.ms ?? 0);
  const parts = { type, status, code: evidence.code, hint, phase: 'response', message, action } as const;
  return makeFailure({ ...parts, retryable: header('x-should-retry') === 'false' ? false : retryable }, secrets);
}

/** The failure that an error of this library carries. */
export function failureIn(error: unknown): Failure | null {
  const failure = get(error, 'failure');
  return isFailure(failure) ? failure : null;
}

function isFailure(value: unknown): value is Failure {
  const type = get(value, 'type');
  return typeof type === 'string' && Object.hasOwn(FAILURES, type) && typeof get(value, 'retryable') === 'boolean';
}

/**
 * The failed status that an error names, or else the response that it carries (ky, got, older axios) or its metadata
 * (the AWS SDK); null where none does.
 */
export function statusOf(error: unknown): number | null {
  for (const source of [error, get(error, 'response'), get(error, '$metadata'), get(error, 'httpResponse')]) {
    for (const name of ['status', 'statusCode', 'httpStatusCode']) {
      const status = failedStatus(get(source, name));
      if (status > 0) return status;
    }
  }
  const [, digits] = STATUS_WORDS.exec(messageOf(error)) ?? [];
  return digits === undefined ? null : Number(digits);
}

function isAbort(error: unknown): boolean {
  const name = get(error, 'name');
  // The AWS SDK calls a broken connection so, and leaves it its code; a signal's has a number at most.
  return name === 'AbortError' || (name === 'TimeoutError' && typeof get(error, 'code') !== 'string');
}

/** An error, what caused it and what it gathers, nearest first. */
function chainOf(error: unknown): readonly unknown[] {
  const chain = new Set<unknown>([error]);
  for (const link of chain) {
    const errors = get(link, 'errors');
    for (const next of [get(link, 'cause'), ...(Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [])]) {
      if (next !== undefined && next !== null && chain.size < MAX_ERRORS) chain.add(next);
    }
  }
  return [...chain];
}

function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : get(error, 'message');
  if (typeof message === 'string') return message;
  return typeof error === 'number' || typeof error === 'boolean' || typeof error === 'bigint' ? `${error}` : '';
}

/** A property of anything. A getter that throws says nothing. */
export function get(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

function isHeaders(value: unknown): value is HeadersLike {
  return typeof value === 'object' && value !== null;
}

function firstObject(...values: readonly unknown[]): object | undefined {
  return values.find((value): value is object => typeof value === 'object' && value !== null);
}
