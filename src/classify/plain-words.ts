/**
 * Sentences in which programs report that a model failed, without a name or a status: "The model did not return a
 * response", "Stream ended without finish_reason", "LLM request failed". They count only if nothing else is known, and
 * not if the text also refuses the request. Below a transport they would be a guess, as in `wording.ts`.
 */

import type { FailureType } from '../failure/failure.ts';
import { CALL, DOUBT, FAILS, HARMLESS, OF_CODE, REQUEST, SENTENCES, SHORT_PASSING } from './generated-rulebook.ts';
import { Phrases, phrasesIn } from './phrases.ts';

/** A missing key, as Python prints it after the words of a program: `Error in summary: 'local_llm'`. */
const MISSING_KEY = /: ?'[a-z_]\w{0,40}'$/i;

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
let passing: Phrases<FailureType> | undefined;

/**
 * The type that a sentence names; undefined if there is none.
 *
 * @param refuses whether words refuse the request. It is asked about the rest of the text.
 */
export function typeOfSentence(text: string, refuses: (rest: string) => boolean): FailureType | undefined {
  const words = wordsOf(text);
  if (MISSING_KEY.test(text)) return undefined;
  sentences ??= new Phrases(SENTENCES, 'm');
  const found = sentences.find(words);
  if (found !== undefined) return refuses(sentences.without(words)) ? undefined : found;
  if (words.length > LONGEST || ofCode().isIn(words)) return undefined;
  const isCall = call().isIn(words);
  if (!(isCall || request().isIn(words)) || leavesDoubt(words) || refuses(words)) return undefined;
  passing ??= new Phrases(SHORT_PASSING, '', whole);
  return passing.find(words) ?? (isCall && fails().isIn(words) ? 'server_error' : undefined);
}

/** Whether words give a reason that may stay. */
export function leavesDoubt(words: string): boolean {
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
