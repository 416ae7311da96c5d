/**
 * Sentences in which programs report that a model failed, without a name or a status: "The model did not return a
 * response", "Stream ended without finish_reason", "LLM request failed". They count only if nothing else is known, and
 * not if the text also refuses the request. Below a transport they would be a guess, as in `wording.ts`.
 */

import type { FailureType } from '../failure/failure.ts';
import { readSentences } from './words/sentences.ts';
import { LONGEST, readShortTexts, type ShortTexts } from './words/short-texts.ts';

/** A missing key, as Python prints it after the words of a program: `Error in summary: 'local_llm'`. */
const MISSING_KEY = /: ?'[a-z_]\w{0,40}'$/i;

/** Where a line of a log was written: `[chat_bot.py:145] -`. */
const PLACE = /^([^\n]{0,60}[[ (])\w{1,40}\.(?:py|go|ts|js|java|rs):\d{1,5}(?=[\]) ]{1,2}[-|:])/;

type Patterns = readonly (readonly [type: FailureType, pattern: RegExp])[];

let sentences: Patterns | undefined;
let shortTexts: ShortTexts | undefined;

/**
 * The type that a sentence names; undefined if there is none.
 *
 * @param refuses whether words refuse the request. It is asked about the rest of the text.
 */
export function typeOfSentence(text: string, refuses: (rest: string) => boolean): FailureType | undefined {
  shortTexts ??= readShortTexts();
  const { call, request, fails, passing, ofCode, ofOthers } = shortTexts;
  const words = wordsOf(text.replace(PLACE, '$1'));
  if (ofOthers.test(words) || MISSING_KEY.test(text)) return undefined;
  sentences ??= readSentences().map(([type, patterns]) => [type, new RegExp(patterns.join('|'), 'm')]);
  const found = sentences.find(([, pattern]) => pattern.test(words));
  if (found !== undefined) return refuses(words.replace(found[1], ' ')) ? undefined : found[0];
  const isCall = call.test(words);
  if (words.length > LONGEST || ofCode.test(words) || !(isCall || request.test(words))) return undefined;
  if (leavesDoubt(words) || refuses(words)) return undefined;
  return (
    passing.find(([, pattern]) => pattern.test(words))?.[0] ??
    (isCall && fails.test(words) ? 'server_error' : undefined)
  );
}

/** Whether words give a reason that may stay. */
export function leavesDoubt(words: string): boolean {
  shortTexts ??= readShortTexts();
  return shortTexts.doubt.test(words.replace(shortTexts.harmless, ''));
}

/** Lower case, with one space between words, and none of the marks around them. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[\t "`_{}()⎿✘✕❌⚠-]+/g, ' ')
    .replace(/^ | $/gm, '');
}
