/**
 * Reads texts that quote no response: `overloaded_error`, `context deadline exceeded`, a line in Chinese. They count
 * for operations of any kind, whose errors may be the output of a command or of a library in another language. Below a
 * transport they would be a guess about the inner fetch, so this file is not used there.
 */

import { type Failure, type FailureType, TYPES } from '../failure/failure.ts';
import { get, hasMethod } from '../runtime/values.ts';
import { normalise, withStatus } from './envelope.ts';
import { statusFailure, withRetryable } from './make-failure.ts';
import { blamesClock, overruled } from './overrules.ts';
import type { Reading } from './family.ts';
import { type Quote, readQuote } from './quote.ts';
import { type ErrorContext, firstOf, quotedFailure, type Thrown, type Wording } from './read-error.ts';
import { applyRules, type Verdict, withLock } from './read-failure.ts';
import {
  ALONE_TEXTS,
  LOOK_ALIKES,
  NO_CAUSE,
  PROCESS_ENDS,
  PROGRAM_ERRORS,
  PROGRAM_LINES,
  TOOL_LINES,
} from './generated-rulebook.ts';
import { isOfOtherSystem, refusesRequest, secondReading, typeOfSentence, wordsOf } from './prose.ts';
import { failureIn, textOf } from './thrown.ts';
import { allTables, findReading, textsIn } from './find-type.ts';
import { type Phrases, phrasesIn } from './phrases.ts';

const BODY = /^[{[]\s{0,8}["{]/;
const programErrors = /* @__PURE__ */ phrasesIn(PROGRAM_ERRORS, 'i');
const processEnds = /* @__PURE__ */ phrasesIn(PROCESS_ENDS, 'im');
const lookAlikes = /* @__PURE__ */ phrasesIn(LOOK_ALIKES, 'i');
const programLines = /* @__PURE__ */ phrasesIn(PROGRAM_LINES, 'i');
const toolLines = /* @__PURE__ */ phrasesIn(TOOL_LINES, 'i');
/** As much of a line is searched for the server of a tool. */
const MAX_LINE = 512;

/**
 * Names of errors outside of any object: `RateLimitError`, `overloaded_error`, `RESOURCE_EXHAUSTED`. Others, such as
 * `rate_limit`, are also names of options and columns.
 */
const BARE_NAME =
  /\b(?:[A-Z][a-zA-Z]{2,60}(?:Error|Exception|Requests|Timeout|Disconnected|Exceeded)|[A-Z]{3,30}(?:_[A-Z]{2,30}){1,5}|(?:[a-z]{2,30}_){1,5}(?:error|exceeded|exhausted|overloaded|unavailable|limited|reached|quota|balance|credits|funds|expired|deactivated|suspended|busy)|invalid_api_key|model_not_found|content_filter|slow_down)\b/g;
const MAX_BARE_NAMES = 32;
/** How clients of gRPC and Connect begin a message: `16 UNAUTHENTICATED: …`, `[unauthenticated] …`. */
const OF_GRPC = /^(?:\d{1,2} ([A-Z_]{4,20}):|\[([a-z_]{4,20})\]) /;

/** Lines of a stack trace: they contain no message of a server. The beginning of the first may have been cut off. */
const FRAMES =
  /^(?:[ \t]{1,32}(?:at |\.{3} \d|[~^]{1,64}\s*$)[^\n]{0,2048}|(?:[ \t]{1,32}File "|[^\n"]{1,256}\.py", line \d)[^\n]{0,2048}(?:\n[ \t]{4}[^\n]{0,2048})?)$/gm;
/** What follows is the answer of the model and the schema; in the AI SDK's error about a body that is no answer, the schema. */
const SCHEMA = /\b(No object generated)\b[^]*|\bType validation failed: Value: ([^]*?)\.?\s{1,4}Error message: [^]*/;
/** A client's own retry message is not a wait that the server asked for. */
const OWN_RETRY = /retrying (?:in|after)[^\n]{0,80}/gi;

/** A member of an object printed by JSON, Python, JavaScript, Ruby or Go; its end may be missing. */
const PAIR =
  /["'`]?\b([A-Za-z@_$][\w$@-]{0,40})["'`]?\s{0,4}(?::|=>|=)\s{0,4}(?:"((?:[^"\\]|\\.){0,4096})"?|'((?:[^'\\]|\\.){0,4096})'?|(-?\d{1,15}(?:\.\d{1,9})?|[A-Z][A-Z_]{2,40})(?=\s*(?:[,})\]\n]|$)))/g;
const MAX_PAIRS = 128;
/** The client has decided that no retry helps. */
const NOT_RETRYABLE = /\bnon-?retr(?:y|i)able\b/i;
/** As much as is searched for that. */
const MAX_MESSAGE = 8_192;

/** The wording of providers, other runtimes and command lines. */
export const OPERATION_WORDING: Wording = {
  clean,
  blame: (text) => {
    if (BODY.test(text) || lookAlikes().isIn(text)) return null;
    return programErrors().isIn(text) ? 'program' : processEnds().isIn(text) ? 'process' : null;
  },
  bodyIn: (text) => {
    const value = pairsIn(text);
    return value.length === 0 ? undefined : { value, around: text.split(/[{[]/, 1).join() };
  },
  readAgain,
  ofResponse,
  byWords,
  /**
   * "Non-retryable" in a message, or the `retryable` or `isRetryable` of an error. `retryable: false` overrides
   * everything; of `isRetryable`, which SDKs derive from the status, `false` overrides everything except a status; `true`
   * counts only if nothing else is known.
   */
  judge: (error, chain, failure) => {
    if (failureIn(error) !== null) return failure;
    const said = (name: string, value: boolean): boolean => chain.some((link) => get(link, name) === value);
    const isFinal = chain.some((link) => NOT_RETRYABLE.test(textOf(link).slice(0, MAX_MESSAGE)));
    if (isFinal || said('retryable', false)) return withRetryable(failure, false);
    if (failure.status !== undefined) return failure;
    if (said('isRetryable', false)) return withRetryable(failure, false);
    const counts = failure.type === 'unknown' && (said('retryable', true) || said('isRetryable', true));
    return counts ? withRetryable(failure, true) : failure;
  },
};

/** The reading of a text by its words; undefined if they show nothing, or if the program is to blame. */
function readingOf(quote: Quote): Reading | undefined {
  const waitMs = quote.hint?.ms ?? 0;
  const reading = byAnyWords(quote);
  const isRetried = reading !== undefined && TYPES[reading.type].isRetried;
  if (quote.blamed !== null) return isRetried ? undefined : reading;
  // An error with a wait is a temporary refusal, in any wording; a limit that renews after hours is a quota.
  const isQuota = reading === undefined ? waitMs > DAY_MS : isRetried && waitMs > HOUR_MS;
  return isQuota
    ? { type: 'quota_exhausted' }
    : (reading ?? (quote.hint === null ? undefined : { type: 'rate_limit' }));
}

/** An outer sentence that only says that something failed is no reason, also around a text that says nothing. */
function byWords(thrown: Thrown): Failure | undefined {
  const innermost = thrown.inward.find((link) => textOf(link) !== '');
  return firstOf(thrown.inward, (link) => {
    const quote = thrown.quoteOf(link);
    const reading = quote === null ? undefined : readingOf(quote);
    if (quote === null || reading === undefined) return undefined;
    return reading.type === 'server_error' && link !== innermost
      ? undefined
      : quotedFailure(thrown, quote, reading, 'connect');
  });
}

function ofResponse(verdict: Verdict, link: unknown, headers: unknown, { codes }: ErrorContext): Failure {
  const { type, message } = verdict.failure;
  if (type === 'auth_invalid' && signsAnew(link, message)) return withRetryable(verdict.failure, true);
  // An operation's error of a provider's SDK has the headers as an object, and the parsed body as `error`.
  const isOfSdk = (): boolean => hasMethod(headers, 'get') && get(link, 'error') !== undefined;
  return applyRules(withLock(verdict, isOfSdk), codes ?? null).failure;
}

/** An SDK signs each call anew. That of AWS says whether it has corrected its clock by the refusal. */
function signsAnew(link: unknown, message: string): boolean {
  const metadata = get(link, '$metadata');
  return blamesClock(normalise(message)) && (metadata === undefined || get(metadata, 'clockSkewCorrected') === true);
}

/** Removes what no server says. A line with a body may be a server's, which quotes its database. */
function clean(text: string): string {
  if (cleaned?.text === text) return cleaned.kept;
  const lines = text.replace(FRAMES, '').replace(OWN_RETRY, '').split('\n');
  const kept = lines
    .filter((line) => !toolLines().isIn(line.slice(0, MAX_LINE)))
    .filter((line) => /\{["']/.test(line) || !programLines().isIn(line));
  cleaned = { text, kept: kept.join('\n').replace(SCHEMA, '$1$2') };
  return cleaned.kept;
}

/** The last text: each step of the evidence reads the same one. */
let cleaned: { readonly text: string; readonly kept: string } | undefined;

/** The type of a text alone, as if it were thrown itself. */
function typeOfText(text: string): FailureType | undefined {
  const quote = readQuote(text, 0, OPERATION_WORDING);
  return quote?.blamed === null ? byAnyWords(quote)?.type : undefined;
}

/** Corrects what only the text of an error shows. */
function readAgain(said: string, failure: Failure, chain: readonly unknown[]): Failure {
  const isElsewhere = failure.retryable && chain.some((link) => isOfOtherSystem(textOf(link).slice(0, MAX_MESSAGE)));
  const type = isElsewhere ? 'unknown' : secondReading(clean(said.slice(0, MAX_MESSAGE)), failure, typeOfText);
  if (type === undefined) return failure;
  const { message, phase, status, code, provider } = failure;
  return statusFailure({ type, message, phase, status, code, provider });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In normalised form. */
const OF_GEMINI = 'quotaexceededformetric:generativelanguage';

let aloneTexts: Phrases<FailureType> | undefined;

function byAnyWords(quote: Quote): Reading | undefined {
  const reading = overruled(quote.evidence, { type: firstType(quote) ?? 'unknown' }, quote.hint?.ms ?? 0);
  return reading.type === 'unknown' ? undefined : reading;
}

/** Says only that something failed, and names no cause: it counts with a status or a body around it. */
const noCause = /* @__PURE__ */ phrasesIn(
  NO_CAUSE,
  '',
  (words) =>
    `^(?:(?:[\\w.]{0,60}(?:error|exception):?|\\[[\\w.: ]{1,40}\\]) )*(?:(?:oops|sorry)[,.!]* )?(?:${words})[.!]*(?: (?:please )?(?:retry|try again)(?: later)?[.!]*)?$`,
);
const MAX_NO_CAUSE = 120;

function firstType({ evidence, isQuoted, text: searched, hint }: Quote): FailureType | undefined {
  const { text } = evidence;
  const { codes, texts } = allTables();
  aloneTexts ??= textsIn(ALONE_TEXTS);
  const [, ofGrpc, ofConnect] = OF_GRPC.exec(searched) ?? [];
  const found = [...searched.matchAll(BARE_NAME)].slice(0, MAX_BARE_NAMES).map(([name]) => name);
  const bare = [ofGrpc, ofConnect, ...found].filter((name) => name !== undefined);
  // As the AI SDK prints it: without the status and the name.
  const isGoogle = text.includes(OF_GEMINI);
  if (isGoogle) bare.push('RESOURCE_EXHAUSTED');
  const names = `${evidence.names}${withStatus(bare, 0).slice(1)}`;
  if (!isQuoted && searched.length <= MAX_NO_CAUSE && noCause().isIn(wordsOf(searched).trim()))
    return codes.decisive.findFirst(names) ?? codes.usual.findFirst(names);
  return (
    findReading({ ...evidence, isGoogle, names, status: 0 }, hint?.ms ?? 0, aloneTexts)?.type ??
    typeOfSentence(searched, (rest) => refusesRequest(rest) || texts.general.find(normalise(rest)) !== undefined)
  );
}

function pairsIn(text: string): readonly unknown[] {
  const pairs: unknown[] = [];
  for (const [, key = '', double, single, plain] of text.matchAll(PAIR)) {
    const value = double ?? single ?? plain ?? '';
    if (pairs.length >= MAX_PAIRS) break;
    pairs.push({ [key]: value });
  }
  return pairs;
}
