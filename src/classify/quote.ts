/**
 * Finds the response that a text quotes. SDKs, agents and logs print failed responses into messages, each in its own
 * way: `Error: 429 {"type":"error",…}`, `Error code: 503 - {'error': …}`, `Request failed with status code 502`. What is
 * found is read like a response by the same rulebook. Every text is cut before the first search, and every pattern is
 * linear.
 */

import type { Evidence, Fields } from './envelope.ts';
import { normalise, readEvidence, withStatus } from './envelope.ts';
import { parseJson } from '../hints/json.ts';

/** A message begins with what matters, a stack trace of Python or Java ends with it. */
const MAX_EDGE = 6_144;

/** What a text says. */
export interface Quote {
  /** Evidence of the response that is quoted; of the text alone where none is. */
  readonly evidence: Evidence;
  /** Whether a response is quoted: by its status, or by its body with a name or a status in it. */
  readonly isQuoted: boolean;
  /** The names that the quoted body gives. */
  readonly bodyNames: string;
  /** Whether the program that ran is to blame, so that wording in the text says nothing of a response. */
  readonly isOfProgram: boolean;
}

/** An error of the program itself: nothing that it quotes came from a server. */
const PROGRAM =
  /\b(?:(?:Syntax|Reference|Range|Assertion|Key|Index|Attribute|Name|Import|ModuleNotFound|Indentation|ZeroDivision|NotImplemented|Recursion|Unicode\w{1,20}|NoMethod|Argument|Lookup|FileNotFound|Zod|Eval|URI)Error|(?:NullPointer|Illegal\w{1,20}|ClassCast|\w{0,20}IndexOutOfBounds|ClassNotFound|UnsupportedOperation|Arithmetic)Exception)\b|\bTypeError\b(?!.{0,3}(?:fetch failed|failed to fetch|network|terminated|load failed))|\bassert|\bexpect(?:ed)?\b.{0,60}\b(?:to (?:be|equal|have|throw|match|contain|include)|but|got|received|actual)\b|\bpanicked at\b|is not (?:a function|defined|iterable|assignable)|cannot read propert|cannot find (?:module|name)|no module named|no such file|unexpected token|validation errors? for|\berror TS\d|\bTS\d{4}\b|segmentation fault|\.(?:test|spec)\.[a-z]{1,4}\b|::test_|\btests? (?:failed|timed out)|\bfor a test\b|\b(?:E(?:NOENT|ACCES|ADDRINUSE|EXIST|PERM|NOTDIR|ISDIR|MFILE|NOSPC))\b/i;
/** A process that ended, a place in a file, a port: numbers that are no statuses, words that quote no server. */
const PROCESS =
  /\bexit(?:ed)?(?: with)?(?: status| code)?\b|\bcommand failed\b|\bnon-zero\b|\bsignal\b|\berrno\b|\bon line\b|\bline \d|\bon port\b|\bport \d|^\s*(?:FAIL|PASS)\b|\bnpm (?:ERR!|error)|\btimeout of \d+ ?ms exceeded|\bnavigation timeout/im;

/** Lines of a stack: nothing in them is said by a server. */
const FRAMES = /^[ \t]{1,32}(?:at |File "|\.{3} \d|[~^]{1,64}\s*$)[^\n]{0,2048}$/gm;
/** What the client announces of its own retries is no wait that the server asked for. */
const OWN_RETRY = /retrying (?:in|after)[^\n]{0,80}/gi;

/** What a number counts that is no status. */
const COUNTED =
  '(?:m?s|secs?|seconds?|minutes?|bytes?|[KMG]B|tokens?|tests?|files?|items?|lines?|errors?|warnings?|rows?|problems?|vulnerabilit\\w{1,4}|requests?|commits?|packages?|times|users?|records?|characters|chars|px|and|or|of|more)';
const STATUS = `([45]\\d\\d)(?![\\w%]|[.:,]\\d|\\s{1,2}${COUNTED}\\b)`;
const QUOTES = '[\\s"\'\\\\`*=:：,]{0,6}';
/** Before a status: `status code 429`, `HTTP 503`, `HTTP/1.1 503`, `Error code: 500`, `"code": 429`, `状态码：503`. */
const AFTER_WORD = new RegExp(
  `(?:\\b(?:status|http|error|response|failed|api|returned|responded|code)(?:/\\d(?:\\.\\d)?|[ _-]?(?:with|status|code|error|http|an?|from|server|request|reference|number|\\w{0,12}error)){0,4}|状态码?|返回|错误码?|报错)${QUOTES}[([{<]{0,2}\\s{0,2}(?:http |status )?${STATUS}`,
  'i',
);
const REASONS =
  'bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|request time-?out|conflict|gone|(?:payload|content|request entity) too large|unprocessable (?:entity|content)|too many requests|(?:internal )?server error|not implemented|bad gateway|(?:service|server) (?:temporarily )?unavailable|gateway time-?out|unavailable for legal reasons|overloaded|(?:site|service|model) (?:is )?overloaded';
/** `429 Too Many Requests`, and `Too Many Requests (429)`. */
const WITH_REASON = new RegExp(
  `(?<![\\w.:/-])${STATUS}['"]?[\\s:)\\]'"-]{1,4}(?:${REASONS})|(?:${REASONS})[\\s:'"-]{0,3}[([]?\\s?${STATUS}`,
  'i',
);
/** At the beginning, after marks and the names of errors: `Error: 429 {…`, `⎿ API Error: 529 …`, `404 status code`. */
const LEADING = new RegExp(
  `^[^\\w{[<]{0,24}(?:[\\w.\\[\\] ]{1,64}(?:error|exception|fault)\\]?[\\s:(·-]{1,8}){0,3}[(<[]?${STATUS}(?=\\s*(?:[{:,)\\]>"'(–—·-]|$)|\\s+\\S)`,
  'i',
);

/** A member of a printed object, whatever printed it: JSON, Python, JavaScript, Ruby, Go; its end may be missing. */
const PAIR =
  /["'`]?\b([A-Za-z@_$][\w$@-]{0,40})["'`]?\s{0,4}(?::|=>|=)\s{0,4}(?:"((?:[^"\\]|\\.){0,4096})"?|'((?:[^'\\]|\\.){0,4096})'?|(-?\d{1,15}(?:\.\d{1,9})?|[A-Z][A-Z_]{2,40})(?=\s*(?:[,})\]\n]|$)))/g;
const MAX_PAIRS = 128;
/**
 * Names of errors outside of any object: `RateLimitError`, `overloaded_error`, `RESOURCE_EXHAUSTED`. Others, such as
 * `rate_limit`, are names of options and columns as well.
 */
const BARE_NAME =
  /\b(?:[A-Z][a-zA-Z]{2,60}(?:Error|Exception|Requests)|[A-Z]{3,30}(?:_[A-Z]{2,30}){1,5}|(?:[a-z]{2,30}_){1,5}(?:error|exceeded|exhausted|overloaded|unavailable|limited|reached|quota|balance|credits|funds|expired|deactivated|suspended|busy)|invalid_api_key|model_not_found|content_filter|slow_down)\b/g;
const MAX_BARE_NAMES = 32;

/** Reads a text. Null where there is nothing in it. */
export function readQuote(given: string, fields: Fields): Quote | null {
  const text = shorten(given);
  if (text === '') return null;
  const isOfProgram = PROGRAM.test(text);
  const isOfProcess = isOfProgram || PROCESS.test(text);
  const objects = isOfProgram ? [] : objectsIn(text);
  const reasoned = isOfProgram ? null : WITH_REASON.exec(text);
  const status = isOfProgram
    ? 0
    : Number(
        (isOfProcess ? null : (LEADING.exec(text) ?? AFTER_WORD.exec(text)))?.[1] ??
          reasoned?.[1] ??
          reasoned?.[2] ??
          0,
      );
  const body = readEvidence(status, objects, '', null, fields);
  const isQuoted = status > 0 || (objects.length > 0 && (body.status > 0 || /[a-z]/.test(body.names)));
  const bare = [...text.matchAll(BARE_NAME)].slice(0, MAX_BARE_NAMES).map(([name]) => name);
  return {
    isQuoted,
    bodyNames: body.names,
    isOfProgram: isOfProcess,
    evidence: {
      ...body,
      // What is left of a text around a body is wording as well.
      names: `${body.names}${withStatus(bare, body.status).slice(1)}`,
      text: normalise(text),
      isGoogle: body.isGoogle || /googleapis|RESOURCE_EXHAUSTED/.test(text),
      message: text,
      isInBand: false,
      isPage: false,
      words: { waits: body.words.waits, text: `${body.message}\n${text}`.replace(OWN_RETRY, '') },
    },
  };
}

/** Both ends of a text, without the frames of a stack. */
function shorten(text: string): string {
  const ends = text.length > 2 * MAX_EDGE ? `${text.slice(0, MAX_EDGE)}\n${text.slice(-MAX_EDGE)}` : text;
  return ends.replace(FRAMES, '').trim();
}

/** The objects that a text prints: parsed where they are JSON, else one for each member that can be told. */
function objectsIn(text: string): readonly unknown[] {
  const start = text.search(/[{[]\s{0,8}["'{[\w]/);
  if (start === -1) return pairsIn(text, 0);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const whole = end > start ? parseJson(text.slice(start, end + 1)) : undefined;
  return whole === undefined ? pairsIn(text, 0) : [whole];
}

/** A printed body within a printed body is opened twice. */
const MAX_NESTED = 2;

function pairsIn(text: string, depth: number): readonly unknown[] {
  const pairs: unknown[] = [];
  // A body that was printed as a string has its quotes escaped.
  for (const [, key = '', double, single, plain] of text.replace(/\\+(?=["'])/g, '').matchAll(PAIR)) {
    const value = double ?? single ?? plain ?? '';
    if (pairs.length >= MAX_PAIRS) break;
    pairs.push({ [key]: value });
    if (depth < MAX_NESTED && value.includes('{')) pairs.push(...pairsIn(value, depth + 1));
  }
  return pairs;
}
