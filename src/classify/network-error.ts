/**
 * Classifies an error that was thrown instead of a response. Runtimes and libraries put the reason in many places: the
 * name, a status, a code somewhere in `cause` and `errors`, or only the message, which may quote a response. The most
 * reliable place is read first. An unknown error is not retried: a bug in the caller's own code must not run again for
 * hours.
 */

import isNetworkErrorOfFetch from 'is-network-error';
import type { Failure, FailureType } from '../failure/failure.ts';
import { get, hasMethod } from '../runtime/values.ts';
import { systemNow } from '../hints/retry-after.ts';
import type { Reading } from './family.ts';
import { evidenceFailure, makeFailure } from './make-failure.ts';
import { type Quote, readQuote, type Wording } from './quote.ts';
import { applyRules, readFailure, withLock } from './read-failure.ts';
import { findReading, readEvidenceType } from './find-type.ts';
import { isRetryableStatusCode } from './status.ts';
import {
  bodyOf,
  chainOf,
  failureIn,
  headersIn,
  hintIn,
  isProgramError,
  messageOf,
  statusOf,
  textIn,
} from './thrown.ts';

/**
 * A detail of a code besides its type. `final`: the next request would fail in the same way. The others mean that
 * nothing of the request can have reached the server: `unsent` always, because the code belongs to the connect phase;
 * `connect` if the system call was `connect` or `getaddrinfo`; `resolve` also if the system call is missing.
 */
type Note = 'final' | 'unsent' | 'connect' | 'resolve';

/** The meaning of codes: the first matching row counts. A code without a row is skipped. */
const CODES: readonly (readonly [codes: RegExp, type: FailureType, note?: Note])[] = [
  [/^(UND_ERR_CONNECT|ERR_TLS_HANDSHAKE)_TIMEOUT$/, 'timeout', 'unsent'],
  // The last two are Bun's.
  [/^(UND_ERR_PRX_CONN|ConnectionRefused|FailedToOpenSocket)$/, 'connection_error', 'unsent'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_\w+)$/, 'connection_error', 'resolve'],
  [/^(E(NET|HOST)(UNREACH|DOWN)|EADDRNOTAVAIL)$/, 'connection_error', 'connect'],
  [/^ETIMEDOUT$/, 'timeout', 'connect'],
  [/^(ESOCKETTIMEDOUT|(UND_ERR_\w+|ERR_SOCKET_CONNECTION)_TIMEOUT)$/, 'timeout'],
  [/^(UND_ERR_ABORT(ED)?|ABORT_ERR|ERR_CANCELED)$/, 'aborted'],
  [
    /^(ERR_(INVALID|UNSUPPORTED)_\w+|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH))$/,
    'invalid_request',
  ],
  // A certificate does not become valid by a retry, and neither does an unreadable response.
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(TLS|SSL)_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_|^UND_ERR_HEADERS_OVERFLOW$|^HPE_(INVALID_HEADER_TOKEN|HEADER_OVERFLOW)$/,
    'connection_error',
    'final',
  ],
  [
    /^(E(CONN(RESET|ABORTED)|PIPE|PROTO|NETRESET|NOTCONN)|ERR_(STREAM_PREMATURE_CLOSE|SOCKET_CLOSED\w*|NETWORK\w*|HTTP2_(STREAM|SESSION|GOAWAY|PING|INVALID_S)\w*)|HPE_\w+|Z_BUF_ERROR|ZlibError|Malformed_HTTP_Response|UND_ERR_(SOCKET|INFO|PRX_\w+|SOCKS5\w*|RES_CONTENT_LENGTH_MISMATCH)|Connection(Closed|Reset))$/,
    'connection_error',
  ],
];

/** No code is longer. */
const MAX_CODE = 128;
/** As much as is searched for the error of a tool. */
const MAX_MESSAGE = 8_192;

/** fetch's own refusals, in the messages of Node's causes: the same request will be refused again. */
const FETCH_FAILED = /^(?:fetch failed|failed to fetch)$/i;
const REFUSALS =
  /redirect|scheme|^bad port|^integrity|^invalid (method|URL)|data URL|^not implemented|^local URLs|^only if cached|^blocked|^cors|^cross origin|^request mode|^proxy auth|^range start/i;

/** A redirect of a body that cannot be sent again. */
const REFUSED_REDIRECT = /\bhttpRedirectFetch\b/;
/** A 407. */
const REFUSED_BY_PROXY = /makeNetworkError .*\n.*httpNetworkOrCacheFetch /;

/** Certificate errors, and responses that undici never accepts. */
const UNREADABLE = /certificate|too many content-encodings|invalid header token/i;

const FINAL_WORDS =
  /\b(invalid|unauthori[sz]ed|forbidden|not found|bad request|api key|authentication|permission|invalid_api_key|insufficient_quota)\b/i;
const TIMEOUT_WORDS = /\b(timed out|timeout)\b/i;
const NETWORK_WORDS =
  /\b(econn(refused|reset|aborted)|enotfound|etimedout|epipe|eai_again|fetch failed|load failed|socket hang up|other side closed|premature close|socket connection was closed|did not get a response|ended without sending any chunks|stream has been aborted|error in (input|body) stream|received rst_stream|connect timeout|connection (error|reset|refused|closed|lost|timed out|terminated|aborted)|aborted due to connection closure|network (error|failure|timeout|connection|request failed|socket|changed|(is )?(down|unreachable|lost))|(unable to connect|cannot connect to api))\b|^(TypeError: )?terminated\b|^(request|operation) timed out\b|^network$|^client error \((connect|sendrequest)\)|^14 unavailable:|^net::err_(?!aborted|access|blocked|cert|cleartext|disallowed|file|insufficient|invalid|ssl|too_many|unknown_url|unsafe)/i;
/** Only as a whole line, or after a colon at its end: inside a sentence it may be about images, users and much else. */
const FAILED_TO_FETCH = /(^|: )failed to fetch( \(\S{1,80}\))?\.?$/im;
/** The SDKs of OpenAI and Anthropic, whose error has no name of its own. */
const ABORTED = /^(?:APIUserAbortError: )?Request was aborted\.?$/;
/** What follows is the message of the cause. */
const CANNOT_CONNECT = /\bcannot connect to api: /i;
/**
 * A tool's server, over JSON-RPC: `MCP error -32000: Connection closed`. The tool may have run, and its errors say
 * nothing about the provider.
 */
const OF_A_TOOL = /\bMCP error -3\d{4}\b|\bMcpError\b/;

/** The messages of node-fetch and its agents; some include a permanent reason. */
const NODE_FETCH_WORDS =
  /^(\w{0,20}Error: )?(invalid response body while .{0,2048}premature close|response timeout while|request to \S{1,2048} failed, reason:|proxy connection ended)/i;

/**
 * A proxy's response to CONNECT, in the messages of undici and tunnel-agent, which both hide it behind an unrelated
 * code.
 */
const TUNNEL = /^(?:Proxy response \(|tunneling socket could not be established, statusCode=)(\d{3})\b/;
/** fetch reports ERR_SSL_WRONG_VERSION_NUMBER, other clients EPROTO: the port does not support TLS. */
const NO_TLS = /wrong.version.number/i;

/**
 * Whether nothing can have reached the server, so that even an irreversible operation may be retried.
 *
 * @param failure what {@link readError} made of the error
 */
export function nothingWasSent(error: unknown, failure: Failure): boolean {
  if (failure.status !== undefined || failure.code === undefined) return false;
  const link = chainOf(error).find((each) => get(each, 'code') === failure.code);
  return isUnsent(link, rowOf(failure.code)?.[2]) || REFUSED_STREAM.test(messageOf(link));
}

/** The server has not processed the stream (RFC 9113, section 8.7): also what Node says of one above the last of a GOAWAY. */
const REFUSED_STREAM = /\b(?:NGHTTP2_)?REFUSED_STREAM\b/;

/** The context for reading an error. */
interface ErrorContext {
  /** Texts that must not appear in the failure, in addition to keys of known forms. */
  readonly secrets?: readonly string[] | undefined;
  readonly wording?: Wording | undefined;
  /** For hints with a date. */
  readonly nowMs?: number | undefined;
  /** The statuses that are retried. @default the taxonomy decides */
  readonly codes?: readonly number[] | undefined;
}

/**
 * Classifies any thrown value. Never throws. Below a transport, a message alone makes an error retryable only if it is
 * one of a network or a timeout. With `wording`, for operations of any kind, the messages of providers, other runtimes
 * and command lines count too.
 */
export function readError(error: unknown, context: ErrorContext = {}): Failure {
  try {
    const failure = read(error, context);
    return context.wording?.judge(error, failure) ?? failure;
  } catch {
    return makeFailure({ type: 'unknown', phase: 'connect', message: 'An error that cannot be read' });
  }
}

/** A thrown value while it is read. */
interface Thrown {
  readonly error: unknown;
  readonly message: string;
  /** The error, its causes and its aggregated errors, nearest first. */
  readonly chain: readonly unknown[];
  readonly context: ErrorContext;
  /** A failure of this error. `detail`: the message of the cause, if it says more. */
  readonly found: (type: FailureType, retryable?: boolean, code?: string, detail?: string) => Failure;
}

/** The most reliable place is read first. */
function read(error: unknown, context: ErrorContext): Failure {
  const message = messageOf(error);
  const found: Thrown['found'] = (type, retryable, code, detail = message) => {
    const words = detail === message ? message : `${message}: ${detail}`;
    return makeFailure({ type, retryable, code, phase: 'connect', message: words }, context.secrets);
  };
  const thrown: Thrown = { error, message, chain: chainOf(error), context, found };
  return withHint(byRefusal(thrown) ?? byStatus(thrown) ?? byCode(thrown) ?? byText(thrown), thrown);
}

/**
 * A wrapper often keeps less than what it wraps: the wait is then in a cause, or in members without a status. An error of
 * this library says itself whether it has one.
 */
function withHint(failure: Failure, { error, chain, context: { nowMs = systemNow() } }: Thrown): Failure {
  if (failure.retryAfterMs !== undefined || failure.type === 'aborted' || isProgramError(error)) return failure;
  if (chain.some((link) => failureIn(link) !== null)) return failure;
  for (const link of chain.flatMap((each) => [each, get(each, 'error'), get(each, 'originalError')])) {
    const hint = hintIn(link, failure.status, nowMs);
    if (hint !== null) return Object.freeze({ ...failure, retryAfterMs: hint.ms, hintSource: hint.source });
  }
  return failure;
}

/** An aborted call, a proxy that refuses the tunnel, and the error of a tool. */
function byRefusal({ error, chain, context, found }: Thrown): Failure | undefined {
  const refusal = chain.map((link) => TUNNEL.exec(messageOf(link))?.[1]).find((digits) => digits !== undefined);
  if (refusal !== undefined) return found('connection_error', isRetryableStatusCode(Number(refusal)));
  const aborted = abortType(error, context.wording);
  if (aborted !== undefined) return found(aborted, false);
  return OF_A_TOOL.test(textOf(error).split('\n', 1).join().slice(0, MAX_MESSAGE)) ? found('unknown') : undefined;
}

/** The failure or the status that an error carries. */
function byStatus({ error, message, chain, context }: Thrown): Failure | undefined {
  for (const link of isProgramError(error) ? [error] : chain) {
    const known = failureIn(link);
    if (known !== null) return known;
    const status = statusOf(link);
    const words = link === error ? message : `${message}: ${messageOf(link)}`;
    if (status > 0) return readThrownStatus(link, status, words, context);
  }
  return undefined;
}

/** The code of a system, a runtime or a client. */
function byCode({ chain, context, found }: Thrown): Failure | undefined {
  for (const link of chain) {
    const code = textIn(link, 'code');
    const [, type, note] = rowOf(code) ?? [];
    if (type !== undefined) {
      const said = messageOf(link);
      return found(type, note === 'final' || NO_TLS.test(said) ? false : undefined, code, said);
    }
    const inner = abortType(link, context.wording);
    if (inner !== undefined) return found(inner, false);
  }
  return undefined;
}

/** A response that the text quotes, a message about the network, or the wording of an operation's error. */
function byText(thrown: Thrown): Failure {
  const { wording, nowMs = systemNow() } = thrown.context;
  const texts = thrown.chain.flatMap((link) => [textOf(link), ...(wording?.printedBy(link) ?? [])]);
  const quotes = texts.flatMap((text) => readQuote(text, nowMs, wording) ?? []);
  for (const quote of quotes) {
    const reading = readResponseIn(quote);
    if (reading !== undefined) return quotedFailure(thrown, quote, reading, 'response');
  }
  const worded = byNetworkWords(thrown);
  if (worded !== undefined) return worded;
  for (const quote of quotes) {
    const type = wording?.read(quote);
    if (type !== undefined) return quotedFailure(thrown, quote, { type }, 'connect');
  }
  return thrown.found('unknown');
}

/** The messages of runtimes and clients about the network. */
function byNetworkWords({ message, chain, context, found }: Thrown): Failure | undefined {
  for (const link of chain) {
    const whole = messageOf(link);
    const said = context.wording?.clean(whole.slice(0, MAX_MESSAGE)) ?? whole;
    const cause = get(link, 'cause');
    const why = messageOf(cause);
    // Some refusals of undici have no message: only the stack shows the reason.
    const place = why === '' ? textIn(cause, 'stack').slice(0, 2_048) : '';
    if (FETCH_FAILED.test(said) && (REFUSALS.test(why) || REFUSED_REDIRECT.test(place)))
      return found('invalid_request', undefined, undefined, why || message);
    if (UNREADABLE.test(said + why) || REFUSED_BY_PROXY.test(place)) return found('connection_error', false);
    if (isNetworkErrorOfFetch(link)) return found('connection_error', undefined, undefined, why || message);
    const isNodeFetch = NODE_FETCH_WORDS.test(said);
    if (!isNodeFetch && (FINAL_WORDS.test(said) || OF_A_TOOL.test(said))) return undefined;
    const [, reason] = said.split(CANNOT_CONNECT, 2);
    if (reason !== undefined && REFUSALS.test(reason)) return found('invalid_request');
    if (isNodeFetch || NETWORK_WORDS.test(said) || FAILED_TO_FETCH.test(said))
      return found(TIMEOUT_WORDS.test(said) ? 'timeout' : 'connection_error');
  }
  return undefined;
}

function quotedFailure(
  { message, context }: Thrown,
  { evidence, hint }: Quote,
  reading: Reading,
  phase: Failure['phase'],
): Failure {
  const parts = { ...reading, status: evidence.status || undefined, hint, message, phase };
  return evidenceFailure(evidence, () => '', parts, context.secrets);
}

function rowOf(code: string): (typeof CODES)[number] | undefined {
  return code.length <= MAX_CODE ? CODES.find(([codes]) => codes.test(code)) : undefined;
}

/** The type of a quoted response, by its status or the names in its body; undefined if the text quotes none. */
function readResponseIn({ evidence, isQuoted, hint }: Quote): Reading | undefined {
  if (!isQuoted) return undefined;
  const waitMs = hint?.ms ?? 0;
  if (evidence.status > 0) return readEvidenceType(evidence, waitMs);
  return findReading({ ...evidence, text: '' }, 0) && findReading(evidence, waitMs);
}

/** The message of an error, with its name. Empty for an error of the program, which quotes no response. */
function textOf(link: unknown): string {
  const name = textIn(link, 'name');
  if (isProgramError(link)) return '';
  const message = typeof link === 'number' ? '' : messageOf(link);
  return name === '' || name === 'Error' ? message : `${name.slice(0, MAX_CODE)}: ${message}`;
}

/** An error that aggregates several addresses has one code; each of its errors has its own system call. */
function isUnsent(link: unknown, note: Note | undefined): boolean {
  if (note !== 'connect' && note !== 'resolve') return note === 'unsent';
  const errors = get(link, 'errors');
  if (Array.isArray(errors) && errors.length > 0) return errors.every((error) => isUnsent(error, note));
  const call = get(link, 'syscall');
  return call === 'connect' || call === 'getaddrinfo' || (call === undefined && note === 'resolve');
}

/** Reads an error with a status like a response, with the parts of the body and headers that it kept. */
function readThrownStatus(
  error: unknown,
  status: number,
  message: string,
  { secrets, nowMs = systemNow(), codes, wording }: ErrorContext,
): Failure {
  const response = get(error, 'response');
  const value = {
    error: bodyOf(error, response, message),
    details: get(error, 'errorDetails'),
    code: get(error, 'code'),
    type: get(error, 'type'),
  };
  // The AWS SDK's errors are named after their exception, and `$fault` says whether the client or the server is to
  // blame.
  const exception = get(error, '$fault') === undefined ? null : textIn(error, 'name') || null;
  const headers = headersIn(error);
  const content = { value, text: '', exception, message };
  const verdict = readFailure({ status, headers, nowMs, secrets }, content, 'response');
  // An operation's error of a provider's SDK has the headers as an object, and the parsed body as `error`.
  const isOfSdk = (): boolean => hasMethod(headers, 'get') && get(error, 'error') !== undefined;
  return applyRules(wording === undefined ? verdict : withLock(verdict, isOfSdk), codes ?? null).failure;
}

/** The type of an error of an abort signal; undefined for any other error. */
function abortType(error: unknown, wording: Wording | undefined): FailureType | undefined {
  const name = get(error, 'name');
  if (name === 'AbortError' || ABORTED.test(messageOf(error))) return 'aborted';
  // The AWS SDK uses this name for a broken connection and keeps its code; a signal's error has at most a number.
  if (name !== 'TimeoutError' || textIn(error, 'code') !== '') return undefined;
  // Below a transport, a timeout comes from the caller's signal. An operation may have a time limit of its own.
  return wording === undefined ? 'aborted' : 'timeout';
}
