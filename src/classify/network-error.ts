/**
 * Reads what was thrown instead of a response. Runtimes and libraries put the reason in many places: the name, a status,
 * a code somewhere along `cause` and `errors`, or nothing but words, which may quote a response; they are asked in the
 * order of how far they can be trusted. What nothing recognises is not retried: a bug in the caller's own code must not
 * run again for hours.
 */

import isNetworkErrorOfFetch from 'is-network-error';
import { FAILURES, type Failure, type FailureType } from '../failure/failure.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { get } from '../hints/json.ts';
import { systemNow } from '../hints/retry-after.ts';
import { findHint, type Hint, wordedHint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { failedStatus, readEvidence } from './envelope.ts';
import type { Reading } from './family.ts';
import { makeFailure } from './make-failure.ts';
import { providerOf } from './provider.ts';
import { type Quote, readQuote, type Wording } from './quote.ts';
import { findReading, readEvidenceType } from './rules.ts';
import { isRetryableStatusCode } from './status.ts';

/** How many errors along `cause` and `errors` are looked at. */
const MAX_ERRORS = 16;

/**
 * Whether a request may have reached the server. `unsent`: the code is of the connect phase, so nothing of it can have.
 * `connect`: it says so only of the system calls `connect` and `getaddrinfo`; `resolve`: unless another call is named.
 */
type Reach = 'unsent' | 'connect' | 'resolve' | 'sent';

/** What codes mean: the first row that fits. A code that fits none says nothing, and the next one is asked. */
const CODES: readonly (readonly [codes: RegExp, type: FailureType, retryable: boolean, reach: Reach])[] = [
  [/^(?:UND_ERR_CONNECT|ERR_TLS_HANDSHAKE)_TIMEOUT$/, 'timeout', true, 'unsent'],
  // The last two are Bun's.
  [/^(?:UND_ERR_PRX_CONN|ConnectionRefused|FailedToOpenSocket)$/, 'connection_error', true, 'unsent'],
  [/^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+)$/, 'connection_error', true, 'resolve'],
  [/^(?:E(?:NET|HOST)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'connection_error', true, 'connect'],
  [/^ETIMEDOUT$/, 'timeout', true, 'connect'],
  [/^ESOCKETTIMEDOUT$|^UND_ERR_\w+_TIMEOUT$|^ERR_SOCKET_CONNECTION_TIMEOUT$/, 'timeout', true, 'sent'],
  [/^(?:UND_ERR_ABORT(?:ED)?|ABORT_ERR|ERR_CANCELED)$/, 'aborted', false, 'sent'],
  [
    /^(?:ERR_(?:INVALID|UNSUPPORTED)_\w+|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH))$/,
    'invalid_request',
    false,
    'sent',
  ],
  // A certificate stays as wrong as it is, and a response that cannot be read stays so.
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(?:TLS|SSL)_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_|^UND_ERR_HEADERS_OVERFLOW$|^HPE_(?:INVALID_HEADER_TOKEN|HEADER_OVERFLOW)$/,
    'connection_error',
    false,
    'sent',
  ],
  [
    /^(?:E(?:CONN(?:RESET|ABORTED)|PIPE|PROTO|NETRESET|NOTCONN)|ERR_(?:STREAM_PREMATURE_CLOSE|SOCKET_CLOSED\w*|NETWORK\w*|HTTP2_(?:STREAM|SESSION|GOAWAY|PING|INVALID_S)\w*)|HPE_\w+|Z_BUF_ERROR|ZlibError|Malformed_HTTP_Response|UND_ERR_(?:SOCKET|INFO|PRX_\w+|SOCKS5\w*|RES_CONTENT_LENGTH_MISMATCH)|Connection(?:Closed|Reset))$/,
    'connection_error',
    true,
    'sent',
  ],
];

/** No code is longer. */
const MAX_CODE = 128;
const meaningOf = (code: string): (typeof CODES)[number] | undefined =>
  code.length > MAX_CODE ? undefined : CODES.find(([codes]) => codes.test(code));

/** What fetch itself refuses, in the words of Node's causes: the same request will be refused again. */
const REFUSALS =
  /redirect|scheme|^bad port|^integrity|^invalid (?:method|URL)|data URL|^not implemented|^local URLs|^only if cached|^blocked|^cors|^cross origin|^request mode|^proxy auth|^range start/i;

/** Certificates, and responses that undici will not read, however often they come. */
const UNREADABLE = /certificate|too many content-encodings|invalid header token/i;

const FINAL_WORDS =
  /\b(?:invalid|unauthori[sz]ed|forbidden|not found|bad request|api key|authentication|permission|invalid_api_key|insufficient_quota)\b/i;
const TIMEOUT_WORDS = /\b(?:timed out|timeout)\b/i;
const NETWORK_WORDS =
  /\b(?:econnrefused|enotfound|etimedout|econnreset|epipe|eai_again|fetch failed|load failed|socket hang up|other side closed|premature close|socket connection was closed|did not get a response|ended without sending any chunks|stream has been aborted|error in (?:input|body) stream|received rst_stream|connect timeout|connection (?:error|reset|refused|closed|lost|timed out|terminated|aborted)|aborted due to connection closure|network (?:error|failure|timeout|connection|request failed|socket|changed|(?:is )?(?:down|unreachable|lost))|(?:unable to connect|cannot connect to api))\b|^(?:TypeError: )?terminated\b|^network$|^client error \((?:connect|sendrequest)\)|^14 unavailable:|^net::err_(?!aborted|access|blocked|cert|cleartext|disallowed|file|insufficient|invalid|ssl|too_many|unknown_url|unsafe)/i;
/** The whole of it: within a sentence it is said of images, users and much else. */
const FAILED_TO_FETCH = /^(?:[\w. ]{0,40}error: ?)?failed to fetch(?: \(\S{1,80}\))?\.?$/i;

/** node-fetch's and its agents', some of which have a final word in them. */
const NODE_FETCH_WORDS =
  /^(?:\w{0,20}Error: )?(?:invalid response body while .{0,2048}premature close|response timeout while|request to \S{1,2048} failed, reason:|proxy connection ended)/i;

/** How a proxy answered a CONNECT, in the words of undici and of tunnel-agent: both hide it behind a code of something else. */
const TUNNEL = /^(?:Proxy response \(|tunneling socket could not be established, statusCode=)(\d{3})\b/;
/** What fetch calls ERR_SSL_WRONG_VERSION_NUMBER, and others EPROTO: the port speaks no TLS. */
const NO_TLS = /wrong.version.number/i;

const attemptTimeouts = /* @__PURE__ */ new WeakSet<object>();

/** Marks the error with which we ended an attempt ourselves, so that it is told from a caller's abort. */
export function markAttemptTimeout(error: object): void {
  attemptTimeouts.add(error);
}

const unsent = /* @__PURE__ */ new WeakSet<Failure>();

/** Whether nothing can have reached the server, so that even what must not be repeated may be sent again. */
export function wasNotSent(failure: Failure): boolean {
  return unsent.has(failure);
}

/** What an error is read with. */
interface ErrorContext {
  /** What must not appear in the failure, beside the known shapes of keys. */
  readonly secrets?: readonly string[] | undefined;
  readonly wording?: Wording | undefined;
  /** For a hint that is a date. */
  readonly nowMs?: number | undefined;
}

/**
 * Reads anything that can be thrown. Never throws itself. Below a transport, words alone make an error retryable only
 * where they are those of networks and time limits; with `wording`, for operations of any kind, the words of providers,
 * of other runtimes and of command lines count as well.
 */
export function readError(error: unknown, context: ErrorContext = {}): Failure {
  try {
    return read(error, context);
  } catch {
    return makeFailure({ type: 'unknown', phase: 'connect', message: 'An error that cannot be read' });
  }
}

function read(error: unknown, { secrets, wording, nowMs = systemNow() }: ErrorContext): Failure {
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
  if (isAbort(error)) return found(abortType(error, wording), false);

  const status = statusOf(error);
  if (status !== null) return readThrownStatus(error, status, message, secrets, nowMs);

  for (const link of chain) {
    const code = get(link, 'code');
    const meaning = typeof code === 'string' ? meaningOf(code) : undefined;
    if (meaning !== undefined && typeof code === 'string') {
      const said = messageOf(link);
      const [, type, retryable, reach] = meaning;
      const failure = found(type, retryable && !NO_TLS.test(said), code, said);
      if (isUnsent(link, reach)) unsent.add(failure);
      return failure;
    }
    if (link !== error && isAbort(link)) return found(abortType(link, wording), false);
  }

  const texts = chain.flatMap((link) => [textOf(link), ...(wording?.printedBy(link) ?? [])]);
  const quotes = texts.flatMap((text) => readQuote(text, wording) ?? []);
  const quoted = (quote: Quote, reading: Reading, phase: Failure['phase']): Failure => {
    const { status: quotedStatus, code } = quote.evidence;
    const provider = providerOf(quote.evidence, () => '');
    const parts = {
      ...reading,
      status: quotedStatus || undefined,
      code,
      provider,
      hint: hintOf(quote, nowMs),
      message,
      phase,
    };
    return makeFailure(parts, secrets);
  };
  for (const quote of quotes) {
    const reading = readResponseIn(quote, nowMs);
    if (reading !== undefined) return quoted(quote, reading, 'response');
  }
  for (const link of chain) {
    const said = messageOf(link);
    const cause = messageOf(get(link, 'cause'));
    if (said === 'fetch failed' && isRefusal(get(link, 'cause')))
      return found('invalid_request', false, undefined, cause || undefined);
    if (UNREADABLE.test(said + cause) || isProxyRefusal(get(link, 'cause'))) return found('connection_error', false);
    if (isNetworkErrorOfFetch(link)) return found('connection_error', true, undefined, cause || undefined);
    const isNodeFetch = NODE_FETCH_WORDS.test(said);
    if (!isNodeFetch && FINAL_WORDS.test(said)) break;
    if (isNodeFetch || NETWORK_WORDS.test(said) || FAILED_TO_FETCH.test(said))
      return found(TIMEOUT_WORDS.test(said) ? 'timeout' : 'connection_error', true);
    if (/^(?:request|operation) timed out\b/i.test(said)) return found('timeout', true);
  }
  for (const quote of quotes) {
    const type = wording?.read(quote);
    if (type !== undefined) return quoted(quote, { type }, 'connect');
    // A server that names a wait refuses for now, in whatever words.
    if (wording !== undefined && quote.blamed === null && hintOf(quote, nowMs) !== null)
      return quoted(quote, { type: 'rate_limit' }, 'connect');
  }
  return found('unknown', false);
}

/** What the response that a text quotes is, by its status, or by the names in its body; undefined where it quotes none. */
function readResponseIn(quote: Quote, nowMs: number): Reading | undefined {
  const { evidence, isQuoted } = quote;
  const waitMs = hintOf(quote, nowMs)?.ms ?? 0;
  if (isQuoted && evidence.status > 0) return readEvidenceType(evidence, waitMs);
  return isQuoted && findReading({ ...evidence, text: '' }, 0) !== undefined
    ? findReading(evidence, waitMs)
    : undefined;
}

function hintOf({ evidence }: Quote, nowMs: number): Hint | null {
  return wordedHint(evidence.words, nowMs);
}

/** An error of the program itself quotes no response. */
const OF_PROGRAM = /^(?:Type|Range|Reference|Syntax|Assertion)Error$/;

/** What an error says in words, with its name. */
function textOf(link: unknown): string {
  const name = get(link, 'name');
  if (OF_PROGRAM.test(String(name))) return '';
  const message = typeof link === 'number' ? '' : messageOf(link);
  return typeof name === 'string' && name !== 'Error' ? `${name.slice(0, MAX_CODE)}: ${message}` : message;
}

/** undici's fetch refuses a 407 with an error that has neither a message nor a code. */
function isProxyRefusal(cause: unknown): boolean {
  const stack = get(cause, 'stack');
  return (
    messageOf(cause) === '' &&
    typeof stack === 'string' &&
    /makeNetworkError .*\n.*httpNetworkOrCacheFetch /.test(stack.slice(0, 2_048))
  );
}

/** Several addresses that were tried in turn are gathered under one code; each has its own system call. */
function isUnsent(link: unknown, reach: Reach): boolean {
  if (reach === 'unsent') return true;
  if (reach === 'sent') return false;
  const errors = get(link, 'errors');
  if (Array.isArray(errors) && errors.length > 0) return errors.every((error) => isUnsent(error, reach));
  const call = get(link, 'syscall');
  return call === 'connect' || call === 'getaddrinfo' || (call === undefined && reach === 'resolve');
}

/** undici gives no word for the redirect of a body that cannot be sent again: only the place where it gave up tells. */
function isRefusal(cause: unknown): boolean {
  const [words, stack] = [messageOf(cause), get(cause, 'stack')];
  return REFUSALS.test(words) || (words === '' && typeof stack === 'string' && /\bhttpRedirectFetch\b/.test(stack));
}

/** An error that names a status was a response once; what it kept of its body and headers is read like one. */
function readThrownStatus(
  error: unknown,
  status: number,
  message: string,
  secrets: readonly string[] | undefined,
  nowMs: number,
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
  // The AWS SDK's errors are named after their exception, and say whose fault it is.
  const name = get(error, '$fault') === undefined ? null : get(error, 'name');
  const evidence = readEvidence(status, value, '', typeof name === 'string' ? name : null);
  const hint = findHint(header, nowMs, status, () => evidence.words);
  const { type, retryable, basis, action } = readEvidenceType(evidence, hint?.ms ?? 0);
  const provider = providerOf(evidence, header);
  const parts = { type, status, code: evidence.code, provider, hint, phase: 'response', message, action } as const;
  const serverSaid = header('x-should-retry').toLowerCase();
  const isListed = serverSaid === 'true' && basis === 'status';
  return makeFailure({ ...parts, retryable: serverSaid !== 'false' && (isListed || retryable) }, secrets);
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
  return null;
}

function isAbort(error: unknown): boolean {
  const name = get(error, 'name');
  // The AWS SDK calls a broken connection so, and leaves it its code; a signal's has a number at most.
  return name === 'AbortError' || (name === 'TimeoutError' && typeof get(error, 'code') !== 'string');
}

/** Below a transport a time limit is the signal of its caller. Of an operation it may be a limit of its own. */
function abortType(error: unknown, wording: Wording | undefined): FailureType {
  return wording !== undefined && get(error, 'name') === 'TimeoutError' ? 'timeout' : 'aborted';
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

function isHeaders(value: unknown): value is HeadersLike {
  return typeof value === 'object' && value !== null;
}

function firstObject(...values: readonly unknown[]): object | undefined {
  return values.find((value): value is object => typeof value === 'object' && value !== null);
}
