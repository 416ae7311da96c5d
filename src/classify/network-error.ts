/**
 * What a thrown error says about the network: the codes of systems, runtimes and clients, and the words of those that have
 * none. They decide where no error in the chain has a status or quotes a response.
 */

import isNetworkErrorOfFetch from 'is-network-error';
import type { Failure, FailureType } from '../failure/failure.ts';
import { get } from '../runtime/values.ts';
import { NETWORK_ENDS, NETWORK_WORDS } from './generated-rulebook.ts';
import type { Reading } from './family.ts';
import { phrasesIn } from './phrases.ts';
import { isRetryableStatusCode } from './status.ts';
import { chainOf, isProgramError, messageOf, textIn, textOf, withoutHeads } from './thrown.ts';

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
  // ENOENT: a socket file, because any other is one of the program.
  [/^(E(NET|HOST)(UNREACH|DOWN)|EADDRNOTAVAIL|ENOENT)$/, 'connection_error', 'connect'],
  [/^ETIMEDOUT$/, 'timeout', 'connect'],
  [/^(ESOCKETTIMEDOUT|(UND_ERR_\w+|ERR_SOCKET_CONNECTION)_TIMEOUT)$/, 'timeout'],
  [/^(UND_ERR_ABORT(ED)?|ABORT_ERR|ERR_CANCELED)$/, 'aborted'],
  [
    /^(ERR_(INVALID|UNSUPPORTED)_\w+|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH))$/,
    'invalid_request',
  ],
  // A certificate or a version of TLS does not become right by a retry, and neither does an unreadable response. What the
  // caller has closed stays closed, and a mock that refuses goes on refusing.
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(TLS|SSL)_\w*(PROTOCOL|VERSION|ALTNAME|CIPHER|HANDSHAKE_FAILURE|INTERNAL_ERROR|UNKNOWN_CA|CLIENT)|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_|^UND_ERR_(HEADERS_OVERFLOW|DESTROYED|CLOSED)$|^(UND_MOCK_ERR|ERR_NOCK)_|^HPE_(INVALID_HEADER_TOKEN|HEADER_OVERFLOW)$/,
    'connection_error',
    'final',
  ],
  [
    /^(E(CONN(RESET|ABORTED)|PIPE|PROTO|NETRESET|NOTCONN)|ERR_((TLS|SSL)_\w+|STREAM_PREMATURE_CLOSE|SOCKET_CLOSED\w*|NETWORK\w*|HTTP2_(STREAM|SESSION|GOAWAY|PING|INVALID_S)\w*)|HPE_\w+|Z_BUF_ERROR|ZlibError|Malformed_HTTP_Response|UND_ERR_(SOCKET|INFO|PRX_\w+|SOCKS5\w*|RES_CONTENT_LENGTH_MISMATCH)|Connection(Closed|Reset))$/,
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
const networkWords = /* @__PURE__ */ phrasesIn(NETWORK_WORDS, 'i', (words) =>
  words.startsWith('^') ? words : `\\b(?:${words})\\b`,
);
/** They count whatever stands before them, which is what the program wanted: "authentication failed: … connection refused". */
const networkEnds = /* @__PURE__ */ phrasesIn(NETWORK_ENDS, 'i');
/** The SDKs of OpenAI and Anthropic, whose error has no name of its own. */
const ABORTED = /^(?:APIUserAbortError: )?Request was aborted\.?$/;
/** What follows is the message of the cause. */
const CANNOT_CONNECT = /\bcannot connect to api: /i;
/**
 * A tool's server, over JSON-RPC: `MCP error -32000: Connection closed`. The tool may have run, and its errors say
 * nothing about the provider.
 */
const OF_A_TOOL = /\bMCP error -3\d{4}\b|\bMcpError\b/;

/** Codes of the file system and of test runners. */
const SYSTEM_CODES =
  /^(?:E(?:NOENT|ACCES|PERM|EXIST|NOTDIR|ISDIR|MFILE|NOSPC|ADDRINUSE)|ERR_(?:ASSERTION|MODULE_NOT_FOUND)|MODULE_NOT_FOUND)$/;

const PROXY_LOGIN = "The proxy of your network wants a login: put a user and a password into the proxy's URL.";
const PROXY_REFUSES = 'The proxy of your network refuses the connection: check its address and its rules.';

/**
 * A proxy's response to CONNECT, in the messages of undici and tunnel-agent, which both hide it behind an unrelated
 * code.
 */
const TUNNEL = /^(?:Proxy response \(|tunneling socket could not be established, statusCode=)(\d{3})\b/;
const FORBIDS = /\b(?:disallowed|forbidden|not allowed|disabled|blocked|denied|restricted|cannot bypass)\b/i;
/** fetch reports ERR_SSL_WRONG_VERSION_NUMBER, other clients EPROTO: the port does not support TLS. */
const NO_TLS = /wrong.version.number/i;

/**
 * Whether nothing can have reached the server, so that even an irreversible operation may be retried.
 *
 * @param failure what {@link readError} made of the error
 */
export function nothingWasSent(error: unknown, failure: Failure): boolean {
  if (failure.status !== undefined || failure.code === undefined) return false;
  const link = [...chainOf(error).keys()].find((each) => get(each, 'code') === failure.code);
  return isUnsent(link, rowOf(failure.code)?.[2]) || REFUSED_STREAM.test(messageOf(link));
}

/** The server has not processed the stream (RFC 9113, section 8.7): also what Node says of one above the last of a GOAWAY. */
const REFUSED_STREAM = /\b(?:NGHTTP2_)?REFUSED_STREAM\b/;

/** What an error says about the network. */
export interface NetworkReading extends Reading {
  readonly code?: string;
  /** The message that decided. */
  readonly message: string;
}

/** The reading of the code of an error; undefined if it has none that is known. */
export function readCode(error: unknown): NetworkReading | undefined {
  const code = textIn(error, 'code');
  const [, type, note] = rowOf(code) ?? [];
  if (type === undefined) return undefined;
  const message = messageOf(error);
  const isFinal = note === 'final' || NO_TLS.test(message) || forbids(error);
  return { type, code, message, ...(isFinal && { retryable: false }) };
}

/** Whether a mock or a guard of the program forbids the network. It may borrow a code of the system. */
function forbids(error: unknown): boolean {
  return get(error, 'syscall') === undefined && FORBIDS.test(messageOf(error));
}

/** A proxy that refuses the tunnel; undefined for any other error. */
export function readTunnel(error: unknown): NetworkReading | undefined {
  const message = messageOf(error);
  const digits = TUNNEL.exec(message)?.[1];
  if (digits === undefined) return undefined;
  const action = digits === '407' ? PROXY_LOGIN : PROXY_REFUSES;
  return { type: 'connection_error', retryable: isRetryableStatusCode(Number(digits)), message, action };
}

/** Whether it is an error of the language or of the program, and not one of a network that looks like one. */
export function isOfProgram(error: unknown): boolean {
  if (SYSTEM_CODES.test(textIn(error, 'code'))) return get(error, 'syscall') !== 'connect';
  if (!isProgramError(error)) return false;
  // Of a runtime whose words are not known.
  if (get(error, 'name') === 'TypeError' && readCode(get(error, 'cause')) !== undefined) return false;
  const message = messageOf(error);
  return !isNetworkErrorOfFetch(error) && !isOfNetwork(message) && !UNREADABLE.test(message);
}

const isOfNetwork = (text: string): boolean => networkEnds().isIn(text) || networkWords().isIn(text);

/**
 * The reading of the message of an error about the network; undefined if it says something else. `clean` removes what no
 * server says.
 */
export function readNetworkWords(error: unknown, clean: (text: string) => string): NetworkReading | undefined {
  const whole = textOf(error);
  const said = clean(withoutHeads(whole.slice(0, MAX_MESSAGE)));
  const cause = get(error, 'cause');
  const why = messageOf(cause);
  // Some refusals of undici have no message: only the stack shows the reason.
  const place = why === '' ? textIn(cause, 'stack').slice(0, 2_048) : '';
  const message = why || whole;
  const isOfFetch = FETCH_FAILED.test(said);
  if (isOfFetch && (REFUSALS.test(why) || REFUSED_REDIRECT.test(place))) return { type: 'invalid_request', message };
  if (isOfFetch && forbids(cause)) return { type: 'connection_error', retryable: false, message };
  if (UNREADABLE.test(said + why)) return { type: 'connection_error', retryable: false, message: whole };
  if (place !== '' && REFUSED_BY_PROXY.test(place))
    return { type: 'connection_error', retryable: false, message: whole, action: PROXY_LOGIN };
  if (isNetworkErrorOfFetch(error)) return { type: 'connection_error', message };
  if (!isOfNetwork(said)) return undefined;
  if (!networkEnds().isIn(said) && FINAL_WORDS.test(said)) return undefined;
  const [, reason] = said.split(CANNOT_CONNECT, 2);
  if (reason !== undefined && REFUSALS.test(reason)) return { type: 'invalid_request', message: whole };
  return { type: TIMEOUT_WORDS.test(said) ? 'timeout' : 'connection_error', message: whole };
}

/** Whether a text is the error of a tool. */
export const isOfTool = (text: string): boolean => OF_A_TOOL.test(text.split('\n', 1).join().slice(0, MAX_MESSAGE));

/** The type of an error of an abort signal; undefined for any other error. `isOperation`: it may have a limit of its own. */
export function abortType(error: unknown, isOperation: boolean): FailureType | undefined {
  const name = get(error, 'name');
  if (name === 'AbortError' || ABORTED.test(messageOf(error))) return 'aborted';
  // The AWS SDK uses this name for a broken connection and keeps its code; a signal's error has at most a number.
  if (name !== 'TimeoutError' || textIn(error, 'code') !== '') return undefined;
  // Below a transport, a timeout comes from the caller's signal.
  return isOperation ? 'timeout' : 'aborted';
}

function rowOf(code: string): (typeof CODES)[number] | undefined {
  return code !== '' && code.length <= MAX_CODE ? CODES.find(([codes]) => codes.test(code)) : undefined;
}

/** An error that aggregates several addresses has one code; each of its errors has its own system call. */
function isUnsent(link: unknown, note: Note | undefined): boolean {
  if (note !== 'connect' && note !== 'resolve') return note === 'unsent';
  const errors = get(link, 'errors');
  if (Array.isArray(errors) && errors.length > 0) return errors.every((error) => isUnsent(error, note));
  const call = get(link, 'syscall');
  return call === 'connect' || call === 'getaddrinfo' || (call === undefined && note === 'resolve');
}
