/**
 * Sentences in which programs report that a model failed, without a name or a status: "The model did not return a
 * response", "Stream ended without finish_reason", "LLM request failed". They count only if nothing else is known, and
 * not if the text also refuses the request. Below a transport they would be a guess, as in `wording.ts`.
 */

import type { FailureType } from '../failure/failure.ts';
import {
  CALL,
  DOUBT,
  FAILS,
  HARMLESS,
  LONGEST,
  OF_CODE,
  OF_OTHERS,
  PASSING_WORDS,
  REQUEST,
  OTHER_LANGUAGES,
  readSentences,
  REFUSED,
} from './words/sentences.ts';

/** A missing key, as Python prints it after the words of a program: `Error in summary: 'local_llm'`. */
const MISSING_KEY = /: ?'[a-z_]\w{0,40}'$/i;

/** Where a line of a log was written: `[chat_bot.py:145] -`. */
const PLACE = /^([^\n]{0,60}[[ (])\w{1,40}\.(?:py|go|ts|js|java|rs):\d{1,5}(?=[\]) ]{1,2}[-|:])/;

let sentences: readonly (readonly [type: FailureType, pattern: RegExp])[] | undefined;

/**
 * The type that a sentence names; undefined if there is none.
 *
 * @param refuses whether words refuse the request. It is asked about the rest of the text.
 */
export function typeOfSentence(text: string, refuses: (rest: string) => boolean): FailureType | undefined {
  const words = wordsOf(text.replace(PLACE, '$1'));
  if (OF_OTHERS.test(words) || MISSING_KEY.test(text)) return undefined;
  sentences ??= readSentences().map(([type, patterns]) => [type, new RegExp(patterns.join('|'), 'm')]);
  const found = sentences.find(([, pattern]) => pattern.test(words));
  if (found !== undefined) return refuses(words.replace(found[1], ' ')) ? undefined : found[0];
  const foreign = OTHER_LANGUAGES.find(([, pattern]) => pattern.test(words));
  if (foreign !== undefined) return REFUSED.test(words) || refuses(words) ? undefined : foreign[0];
  const isCall = CALL.test(words);
  if (words.length > LONGEST || OF_CODE.test(words) || !(isCall || REQUEST.test(words))) return undefined;
  if (DOUBT.test(words.replace(HARMLESS, '')) || REFUSED.test(words) || refuses(words)) return undefined;
  const passing = PASSING_WORDS.find(([, pattern]) => pattern.test(words))?.[0];
  return passing ?? (isCall && FAILS.test(words) ? 'server_error' : undefined);
}

/** Lower case, with one space between words, and none of the marks around them. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[\t "`_{}()⎿✘✕❌⚠-]+/g, ' ')
    .replace(/^ | $/gm, '');
}
