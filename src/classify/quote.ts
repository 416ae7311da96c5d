/**
 * Finds the response that a text quotes. SDKs, agents and logs print failed responses into messages, each in its own
 * way: `Error: 429 {"type":"error",…}`, `Error code: 503 - {'error': …}`, `Request failed with status code 502`. What is
 * found is read like a response by the same rulebook. Every text is cut before the first search, and every pattern is
 * linear.
 */

import type { FailureType } from '../failure/failure.ts';
import { parseJson } from '../hints/json.ts';
import { type Hint, wordedHint } from '../hints/retry-hint.ts';
import { normalise, readEvidence } from './envelope.ts';
import type { Evidence } from './family.ts';

/** A message begins with what matters, a stack trace of Python or Java ends with it. */
const MAX_EDGE = 6_144;

/** A body that a text prints, and the text around it. */
interface PrintedBody {
  readonly value: unknown;
  readonly around: string;
}

/** What is to blame for an error, where that is no server. */
export type Blame = 'program' | 'process' | null;

/** How texts of operations are read, which may be the output of a command, or of a library in another language. */
export interface Wording {
  /** What a library or a child process printed, beside the message of its error. */
  readonly printedBy: (error: unknown) => readonly string[];
  /** The text without what no server has said. */
  readonly clean: (text: string) => string;
  /** A body is no error of a program, whatever it says. */
  readonly blame: (text: string) => Blame;
  /** An object that the text prints in no JSON. */
  readonly bodyIn: (text: string) => PrintedBody | undefined;
  /** The type that words alone say; undefined where they say nothing, or where the program is to blame. */
  readonly read: (quote: Quote) => FailureType | undefined;
}

/** What a text says. */
export interface Quote {
  /** The text as it was searched. */
  readonly text: string;
  readonly blamed: Blame;
  /** Whether a response is quoted: by its status, or by its body with a name or a status in it. */
  readonly isQuoted: boolean;
  /** Evidence of the response that is quoted, and the text as wording. */
  readonly evidence: Evidence;
  readonly hint: Hint | null;
}

/** A number that counts something, a place in a file or the name of one is no status. */
const STATUS =
  '([45]\\d\\d)(?![\\w%]|[.:,]\\w|\\s(?:m?s|seconds|bytes|tokens|tests|files|items|lines|errors|rows|requests|times)\\b)';
const REASONS =
  'status code|bad request|unauthorized|payment required|forbidden|not found|too many requests|(?:internal )?server error|bad gateway|(?:service )?(?:temporarily )?unavailable|gateway time-?out|overloaded|a timeout occurred|connection timed out|web server is down|origin is unreachable';

/** Where a status stands. Made for the first error that has to be read by its words. */
let patterns: readonly [leading: RegExp, afterWord: RegExp, withReason: RegExp] | undefined;

const writePatterns = (): NonNullable<typeof patterns> => [
  // At the beginning, after marks: `⎿ 529 …`, `404 status code`.
  new RegExp(`^[^\\w{]{0,24}${STATUS}`),
  // `status code 429`, `HTTP/1.1 503`, `RateLimitError: 429`, `"code": 429`, `状态码：503`.
  new RegExp(
    `(?<!exit[a-z ]{0,12})(?:(?:\\b(?:status|http|response|request|failed|api|returned|code)|error|exception)(?:[ _/-]?(?:with|status|code|error|http|from|server|of|was|is|type|\\d\\.\\d)){0,4}|状态码?|返回)[\\s"'\\\\*=:：,·([<]{0,9}${STATUS}`,
    'i',
  ),
  // `429 Too Many Requests`, and `Too Many Requests (429)`.
  new RegExp(`(?<![\\w.:/-])${STATUS}['"\\s:)\\]-]{1,4}(?:${REASONS})|(?:${REASONS})[\\s:('"[-]{1,4}${STATUS}`, 'i'),
];

/**
 * Reads a text. Null where there is nothing in it. Of an error of a program nothing counts; of one of a process, only a
 * body, or a status with its reason: other numbers are lines, ports and exit codes. A hint that is a moment counts from
 * `nowMs`.
 */
export function readQuote(given: string, nowMs: number, wording?: Wording): Quote | null {
  const ends = given.length > 2 * MAX_EDGE ? `${given.slice(0, MAX_EDGE)}\n${given.slice(-MAX_EDGE)}` : given;
  const text = (wording?.clean(ends) ?? ends).trim();
  if (text === '') return null;
  const blamed = wording?.blame(text) ?? null;
  const body = blamed === 'program' ? undefined : (jsonIn(text) ?? wording?.bodyIn(text));
  const [leading, afterWord, withReason] = (patterns ??= writePatterns());
  const framed = blamed === null ? (leading.exec(text) ?? afterWord.exec(text)) : null;
  const [, before, after] = framed ?? (blamed === 'program' ? null : withReason.exec(text)) ?? [];
  const status = Number(before ?? after ?? 0);
  const evidence = readEvidence(status, body?.value, body === undefined && status > 0 ? text : '', null);
  // What stands around a body is wording as well. What a body has beside its messages may be an echo of the request.
  const wordsAround = body === undefined || evidence.message === '' ? text : `${body.around} ${evidence.message}`;
  const words = { waits: evidence.words.waits, text };
  return {
    text,
    blamed,
    isQuoted: status > 0 || (body !== undefined && (evidence.status > 0 || /[a-z]/.test(evidence.names))),
    evidence: { ...evidence, text: normalise(wordsAround), isInBand: false, isPage: false },
    hint: wordedHint(words, nowMs),
  };
}

/** The JSON that a text prints; undefined where it is none, or cut. */
function jsonIn(text: string): PrintedBody | undefined {
  const start = text.search(/[{[]\s{0,8}["{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const value = start >= 0 && end > start ? parseJson(text.slice(start, end + 1)) : undefined;
  return value === undefined ? undefined : { value, around: `${text.slice(0, start)} ${text.slice(end + 1)}` };
}
