/**
 * Reads the prose of operations, never that of responses: sentences in which programs report that a model failed, without a
 * name or a status ("The model did not return a response"), which count only if nothing else is known; and a text again whose
 * first reading rests on what many causes share: a general head ("Internal error: Error from provider: …"), or the status of a
 * refusal around the words of a failure that passes ("400: connection refused").
 */

import { type Failure, type FailureType, TYPES } from '../failure/failure.ts';
import {
  CALL,
  DOUBT,
  FAILS,
  HARMLESS,
  HEADS,
  OF_CODE,
  OTHER_SYSTEMS,
  PASSING_SENTENCES,
  REFUSALS,
  REQUEST,
  SENTENCES,
  SETUP,
  SHORT_PASSING,
} from './generated-rulebook.ts';
import { Phrases, phrasesIn } from './phrases.ts';

/** Longer texts are logs or stack traces. */
const LONGEST = 400;

const whole = (words: string): string => `\\b(?:${words})\\b`;
const call = /* @__PURE__ */ phrasesIn(CALL, '', whole);
const request = /* @__PURE__ */ phrasesIn(REQUEST, '', whole);
const fails = /* @__PURE__ */ phrasesIn(FAILS);
const doubt = /* @__PURE__ */ phrasesIn(DOUBT, '', (words) => `\\b(?:${words})`);
const harmless = /* @__PURE__ */ phrasesIn(HARMLESS, '', (words) => `\\b(?:${words})`);
const ofCode = /* @__PURE__ */ phrasesIn(OF_CODE);
let sentences: Phrases<FailureType> | undefined;
let shortPassing: Phrases<FailureType> | undefined;

/**
 * The type that a sentence names; undefined if there is none. `refuses`: whether words refuse the request; asked about the rest of the text.
 */
export function typeOfSentence(text: string, refuses: (rest: string) => boolean): FailureType | undefined {
  const words = wordsOf(text);
  sentences ??= new Phrases(SENTENCES, 'm');
  const found = sentences.find(words);
  if (found !== undefined) return refuses(sentences.without(words)) ? undefined : found;
  if (words.length > LONGEST || ofCode().isIn(words)) return undefined;
  const isCall = call().isIn(words);
  if (!(isCall || request().isIn(words)) || leavesDoubt(words) || refuses(words)) return undefined;
  shortPassing ??= new Phrases(SHORT_PASSING, '', whole);
  return shortPassing.find(words) ?? (isCall && fails().isIn(words) ? 'server_error' : undefined);
}

/** Whether words give a reason that may stay. */
function leavesDoubt(words: string): boolean {
  return doubt().isIn(words) && doubt().isIn(harmless().without(words));
}

/** Lower case, with one space between words, and none of the marks around them. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[\t "`_{}()⎿✘✕❌⚠-]+/g, ' ')
    .replace(/^ | $/gm, '');
}

/** The types of heads that clients put before any reason. */
const GENERAL_HEADS: readonly FailureType[] = [
  'server_error',
  'provider_unavailable',
  'connection_error',
  'stream_interrupted',
];
/** The statuses that gateways also give to failures of their own. */
const BORROWED: readonly number[] = [400, 403, 409, 422, 424];

const refusals = /* @__PURE__ */ phrasesIn(REFUSALS, 'm');
/** Of the answer, which another attempt changes. */
const OF_ANSWERS = /\bvalidation errors? for (?:chat ?completion|[a-z]{0,20}response)\b/;
const setup = /* @__PURE__ */ phrasesIn(SETUP);
const otherSystems = /* @__PURE__ */ phrasesIn(OTHER_SYSTEMS);
const heads = /* @__PURE__ */ phrasesIn(HEADS, 'i', (words) => `(?:${words})[:.\\s-]{0,4}`);

let passing: Phrases<FailureType> | undefined;

/** Whether words refuse the request, whatever is said before them. */
export function refusesRequest(words: string): boolean {
  return !OF_ANSWERS.test(words) && refusals().isIn(words);
}

const firstWordOf = (text: string): string | undefined => /\w+/.exec(text)?.[0];

/** Whether a message is about another system that is no model, in any of its lines: the others often name only its network. */
export const isOfOtherSystem = (message: string): boolean => otherSystems().isIn(wordsOf(message));

/**
 * What a text shows although it was read as `failure`; undefined if nothing else. `typeOf` reads the rest of a text,
 * without its general head.
 */
export function secondReading(
  text: string,
  { type, retryable, status = 0 }: Failure,
  typeOf: (rest: string) => FailureType | undefined,
): FailureType | undefined {
  const words = wordsOf(text);
  if (retryable && status === 0 && type !== 'rate_limit' && !words.includes('overload') && setup().isIn(words))
    return 'unknown';
  if (retryable && GENERAL_HEADS.includes(type)) {
    const rest = heads().without(text).trim();
    const inner = rest === text || rest === '' ? undefined : typeOf(rest);
    if (inner !== undefined && inner !== 'unknown' && !TYPES[inner].isRetried) return inner;
    // What stands behind the heads with which a text begins is a reason.
    const isDoubtful =
      status === 0 && firstWordOf(rest) !== firstWordOf(text) && inner === undefined && leavesDoubt(wordsOf(rest));
    return isDoubtful || refusesRequest(words) ? 'invalid_request' : undefined;
  }
  if (retryable) return undefined;
  if (!BORROWED.includes(status) || refusesRequest(words)) return undefined;
  return (passing ??= new Phrases(PASSING_SENTENCES)).find(words);
}
