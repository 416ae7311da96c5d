/**
 * Reads texts that quote no response: `overloaded_error`, `context deadline exceeded`, a line in Chinese. They count
 * for operations of any kind, whose errors may be the output of a command or of a library in another language. Below a
 * transport they would be a guess about the inner fetch, so this file is not used there.
 */

import { FAILURES, type FailureType } from '../failure/failure.ts';
import { get } from '../runtime/values.ts';
import { isAboveLimit, isShortWindow } from './common.ts';
import { withStatus } from './envelope.ts';
import type { Row } from './family.ts';
import { PROVIDERS } from './providers/index.ts';
import type { Quote, Wording } from './quote.ts';
import { byName, byText, type Layer, limitOf, rulesOfAll, writeLayer } from './rules.ts';

const BODY = /^[{[]\s{0,8}["{]/;
/** An error of the program itself: no part of it comes from a server. */
const PROGRAM =
  /\b(?:(?:Syntax|Reference|Range|Assertion|Key|Index|Attribute|Name|Import|ModuleNotFound|Indentation|ZeroDivision|NotImplemented|Recursion|Unicode\w{1,20}|NoMethod|Argument|Lookup|FileNotFound|Zod|Eval|URI)Error|(?:NullPointer|Illegal\w{1,20}|ClassCast|\w{0,20}IndexOutOfBounds|ClassNotFound|UnsupportedOperation|Arithmetic)Exception)\b|\bTypeError\b(?!.{0,3}(?:fetch failed|failed to fetch|network|terminated|load failed))|\bassert|\bexpect(?:ed)?\b.{0,60}\b(?:to (?:be|equal|have|throw|match|contain|include)|but|got|received|actual)\b|\bpanicked at\b|is not (?:a function|defined|iterable|assignable)|cannot read propert|cannot find (?:module|name)|no module named|no such file|unexpected token|validation errors? for|\berror TS\d|\bTS\d{4}\b|segmentation fault|\.(?:test|spec)\.[a-z]{1,4}\b|::test_|\btests? (?:failed|timed out)|\bfor a test\b|\btests run\b|\bTimeout \d+ ?ms exceeded|\bwaiting for (?:selector|locator|element)|\b(?:E(?:NOENT|ACCES|ADDRINUSE|EXIST|PERM|NOTDIR|ISDIR|MFILE|NOSPC))\b/i;
/** The end of a process, a position in a file, a port. */
const PROCESS =
  /\bexit(?:ed)?(?: with)?(?: status| code)?\b|\bcommand failed\b|\bnon-zero\b|\bsignal\b|\berrno\b(?! ?(?:-\d|8|5\d|6[0145]|1[01]\d)\b)|\bon line\b|\bline \d|\bon port\b|\bport (?!443\b)\d|^\s*(?:FAIL|PASS)\b|\bnpm (?:ERR!|error)|\btimeout of \d+ ?ms exceeded|\bnavigation timeout/im;

/**
 * Names of errors outside of any object: `RateLimitError`, `overloaded_error`, `RESOURCE_EXHAUSTED`. Others, such as
 * `rate_limit`, are also names of options and columns.
 */
const BARE_NAME =
  /\b(?:[A-Z][a-zA-Z]{2,60}(?:Error|Exception|Requests|Timeout|Disconnected|Exceeded)|[A-Z]{3,30}(?:_[A-Z]{2,30}){1,5}|(?:[a-z]{2,30}_){1,5}(?:error|exceeded|exhausted|overloaded|unavailable|limited|reached|quota|balance|credits|funds|expired|deactivated|suspended|busy)|invalid_api_key|model_not_found|content_filter|slow_down)\b/g;
const MAX_BARE_NAMES = 32;

/** Lines of a stack trace: they contain no message of a server. */
const FRAMES = /^[ \t]{1,32}(?:at |File "|\.{3} \d|[~^]{1,64}\s*$)[^\n]{0,2048}$/gm;
/** Lines about the server of a tool, which say nothing about the provider: `MCP error -32001: Request timed out`. */
const OF_TOOLS =
  /^[^\n]{0,512}\bmcp\b[^\n]{0,256}\b(?:errors?|fail(?:ed|ure|s)?|disconnected|closed|timed out|enoent)\b[^\n]*$/gim;
/** A client's own retry message is not a wait that the server asked for. */
const OWN_RETRY = /retrying (?:in|after)[^\n]{0,80}/gi;

/** A member of an object printed by JSON, Python, JavaScript, Ruby or Go; its end may be missing. */
const PAIR =
  /["'`]?\b([A-Za-z@_$][\w$@-]{0,40})["'`]?\s{0,4}(?::|=>|=)\s{0,4}(?:"((?:[^"\\]|\\.){0,4096})"?|'((?:[^'\\]|\\.){0,4096})'?|(-?\d{1,15}(?:\.\d{1,9})?|[A-Z][A-Z_]{2,40})(?=\s*(?:[,})\]\n]|$)))/g;
const MAX_PAIRS = 128;
/** The members in which libraries and child processes keep output. */
const PRINTED = ['stderr', 'stdout', 'body', 'responseBody', 'responseText'];

/** With a verb, because `rate limit` alone is also in the names of tests and options. */
const ALONE: readonly Row[] = [
  ['billing_error', '', 'credit balance too low|balance (is )?(not enough|insufficient)'],
  [
    'quota_exhausted',
    '\\w{0,40}(quota|(usage|spend)_limit)_(exceeded|exhausted|reached)',
    '(session|hour|usage|weekly|daily|monthly|trial)( request)? limit (has been |was |is )?reached|(hit|reached) your (session |usage |weekly |trial )?(request )?limit|exceeded( your| the)? quota|free quota (is |was )?used|exceeded your (dai|week|month)ly[a-z]{0,20} credits',
  ],
  [
    'auth_invalid',
    '',
    'authentication (has )?failed|authentication (is )?required|requires? authentication|invalid authentication|valid[a-z]{0,10} token is required',
  ],
  [
    'permission_denied',
    '',
    '(permission|access) (is |was |has been )?denied|denied on resource|app id no auth|you have been blocked|授权错误|not authorized to perform|(is )?not enabled for (your|this) (account|organi[sz]ation|project)|does not (yet )?include[a-z\\d]{0,24} access',
  ],
  [
    'context_too_long',
    '',
    'too many tokens:|tokens (you )?requested exceed|(prompt|input|payload)( length| size| text)?(\\x28[a-z\\d]{1,24}\\x29)? (exceeds|is (larger|longer) than|is too (long|large))|is too long,|content size limit|number of tokens in[^.]{0,40}exceeds|(due to|exceeds the) context size',
  ],
  ['content_policy', '', 'request (was|has been|is) blocked'],
  [
    'rate_limit',
    'Throttl(ing|ed)\\w{0,20} TooManyRequests\\w{0,20} RateLimit(ed|Exceeded|Reached)?(Error|Exception)? RequestLimitExceeded',
    '(rate|usage) limits? (was |has been |is )?(exceeded|reached|hit|error)|(reached|exceed(s|ed|ing)?|hit|over|exhausted) (the |your |its |our |this |a )?[a-z]{0,24}rate limit|rate limit$(?<=^rate limit$)|rate limited|too many (requests|messages|concurrent)|requests (are )?too (quickly|fast|frequent)|(requests|messages) per hour|slow down$|too many tokens,? please wait|concurren(t|cy)[a-z]{0,12} limit (reached|exceeded)|resource (has been )?exhausted|request rate (is )?too high|(request|you) (was|were|are|is) (being )?throttled|throttling exception|request rate increased too|请求过于频繁|请求频率|频率上限|速率限制|限流|并发(数)?(过高|超)',
  ],
  [
    'overloaded',
    '(model|server|engine|system)_(is_)?(currently_)?(overloaded|busy)\\w{0,20} Overloaded\\w{0,20}',
    'overloaded|(is|are|currently) at capacity|(server|model|system|service|engine|api) (is |are )?(currently |temporarily |too )*(busy|overloaded|unavailable)|temporarily (unavailable|overloaded)|(high|heavy) (demand|traffic|load)|high volume|too many current requests|queue position|insufficient capacity|no (available )?capacity|(模型|服务|服务器|系统)(当前|目前)?(过载|繁忙|负载)|访问量过大|负载过高|稍后(再试|重试)',
  ],
  [
    'provider_unavailable',
    '(bad_gateway|provider_unavailable)',
    'bad gateway|(upstream|origin) (connect|request|server|stream)? ?(error|failed|unavailable)|no available upstream|no deployments? (are |is )?available|web server is down|origin is unreachable',
  ],
  // The names are those of Python, Java and undici.
  [
    'timeout',
    '(gateway_timeout|timeout_error) ' +
      '(Read|Write|Connect|Pool|Socket|Http|API|Headers|Body|APIConnection)Timeout(Error|Exception)? UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT TimeoutRejectedException',
    'i/o timeout|tls handshake timeout|timeout awaiting response headers|(read|connect|socket) timeout|interrupted ioexception: timeout|(read|request|operation|call|completion|stream|upstream|model) timed out|gateway timeout|idle timeout|invocation timed out|timeout exceeded while|timeout was reached|within the allowed timeout|deadline exceeded|upstream request timeout|请求超时|响应超时|连接超时',
  ],
  [
    'server_error',
    'InternalServer(Error|Exception) internal_error server_error',
    'internal server error|internal error$|an internal error (has )?occurred|server error$|(the )?server had an error|an error occurred while processing your request|something went wrong on our (end|side)|(model )?runner has unexpectedly stopped|try again later|try again in a (few )?(moment|minute|second)|wait a (few )?(moment|minute|second)|backend error|服务器?内部错误|内部服务器错误',
  ],
  [
    'stream_interrupted',
    '',
    'stream disconnected before completion|stream (ended|closed|terminated) (unexpectedly|before|prematurely)|incomplete (chunked )?read|without sending complete message body|unexpected end of stream|response ended prematurely|err incomplete chunked encoding|error decoding response body',
  ],
  [
    'connection_error',
    '(RemoteProtocol|LocalProtocol|Read|Write|Connect|APIConnection|NewConnection|ConnectionReset|ConnectionRefused|ConnectionAborted|BrokenPipe)Error RemoteDisconnected (Socket|Connect|UnknownHost|NoRouteToHost)Exception UND_ERR_SOCKET ERR_(NETWORK|SOCKET_CLOSED|STREAM_PREMATURE_CLOSE)\\w{0,20}',
    'server disconnected|remote end closed|unexpected eof|broken pipe|no route to host|no such host|server sent goaway|runtime exception: unavailable|error sending request for url|max retries exceeded with url|name resolution|name or service not known|getaddrinfo failed|nodename nor servname|connection (error|reset|refused|aborted|closed|lost|failed|was)|(failed|unable) to connect|socket is not connected|(couldnt|could not) connect|typeerror: terminated|: terminated$|net::err (connection|empty|http2|internet|name|network|quic|timed out)|forcibly closed|upstream prematurely closed|network error|: eof$',
  ],
  [
    'invalid_request',
    '',
    '(bad|invalid|malformed|unprocessable) (api )?(request|parameter|argument|schema|entity)|provider not provided|missing (one or multiple )?(required )?parameter|required parameter[^.]{0,4} missing|expected last role',
  ],
];

let alone: Layer | undefined;

/** The wording of providers, other runtimes and command lines. */
export const OPERATION_WORDING: Wording = {
  printedBy: (error) =>
    PRINTED.map((field) => get(error, field)).filter((text): text is string => typeof text === 'string'),
  clean: (text) => text.replace(FRAMES, '').replace(OWN_RETRY, '').replace(OF_TOOLS, ''),
  blame: (text) => {
    if (BODY.test(text)) return null;
    return PROGRAM.test(text) ? 'program' : PROCESS.test(text) ? 'process' : null;
  },
  bodyIn: (text) => {
    const value = pairsIn(text, 0);
    return value.length === 0 ? undefined : { value, around: text.split(/[{[]/, 1).join() };
  },
  read: (quote) => {
    const type = typeOfWords(quote);
    const isTransient = type !== undefined && FAILURES[type].strategy !== null;
    return isTransient && quote.blamed !== null ? undefined : type;
  },
};

function typeOfWords({ evidence, text: searched, hint }: Quote): FailureType | undefined {
  const { text } = evidence;
  const { decisive, anyStatus, permanent, usual, vague, rules } = rulesOfAll();
  alone ??= writeLayer([...PROVIDERS.flatMap((family) => family.alone ?? []), ...ALONE]);
  const bare = [...searched.matchAll(BARE_NAME)].slice(0, MAX_BARE_NAMES).map(([name]) => name);
  const names = `${evidence.names}${withStatus(bare, 0).slice(1)}`;
  return (
    byName(decisive, names) ??
    firstOf(rules, (rule) => rule({ ...evidence, status: 0 }, 0, undefined)?.type) ??
    byText(anyStatus, text, (type) => type !== 'quota_exhausted' || !isShortWindow(text)) ??
    byText(permanent, text) ??
    limitOf(0, text, hint?.ms) ??
    (isShortWindow(text) && /limit|quota/.test(text) ? 'rate_limit' : undefined) ??
    (isAboveLimit(text) ? 'context_too_long' : undefined) ??
    // A name is often that of every refusal of the request: `ValidationException`.
    byText(decisive, text, (type) => type === 'context_too_long') ??
    byName(usual, names) ??
    // Anything can be "unsupported".
    byText(decisive, text, (type) => type !== 'unsupported_feature') ??
    // Clients report many errors as their own error of a broken connection.
    byText(alone, text, (type) => FAILURES[type].strategy === null && type !== 'invalid_request') ??
    byName(alone, names) ??
    byText(alone, text) ??
    byName(vague, names) ??
    byText(decisive, text)
  );
}

function firstOf<T, R>(list: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** The largest depth of printed bodies inside printed bodies. */
const MAX_NESTED = 2;

function pairsIn(text: string, depth: number): readonly unknown[] {
  const pairs: unknown[] = [];
  // A body that was printed as a string has escaped quotes.
  for (const [, key = '', double, single, plain] of text.replace(/(?<!\\)\\+(?=["'])/g, '').matchAll(PAIR)) {
    const value = double ?? single ?? plain ?? '';
    if (pairs.length >= MAX_PAIRS) break;
    pairs.push({ [key]: value });
    if (depth < MAX_NESTED && value.includes('{')) pairs.push(...pairsIn(value, depth + 1));
  }
  return pairs;
}
