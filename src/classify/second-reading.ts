/**
 * Reads a text again where the first reading rests on what many causes share: a general head ("Internal error: Error from
 * provider: …"), or the status of a refusal around the words of a failure that passes ("400: connection refused"). Only
 * the texts of operations are read again, never those of responses.
 */

import { FAILURES, type Failure, type FailureType } from '../failure/failure.ts';
import { wordsOf } from './plain-words.ts';
import { OF_ANSWERS, OF_TOOLS, PASSING, QUOTED, QUOTED_PASSING, readRefusals } from './words/refusals.ts';

/** The types of heads that clients put before any reason. */
const GENERAL_HEADS: readonly FailureType[] = [
  'server_error',
  'provider_unavailable',
  'connection_error',
  'stream_interrupted',
];
/** The statuses that gateways also give to failures of their own. */
const BORROWED: readonly number[] = [400, 403, 409, 422, 424];

let refusals: RegExp | undefined;

/** Whether words refuse the request, whatever is said before them. */
export function refusesRequest(words: string): boolean {
  refusals ??= new RegExp(readRefusals().join('|'), 'm');
  return !OF_ANSWERS.test(words) && refusals.test(words);
}

/**
 * What a text shows although it was read as `failure`; undefined if nothing else. `refusalIn` names the type of a
 * refusal.
 */
export function secondReading(
  text: string,
  { type, retryable, status = 0 }: Failure,
  refusalIn: (words: string) => FailureType | undefined,
): FailureType | undefined {
  const words = wordsOf(text);
  if (retryable && status === 0 && OF_TOOLS.test(words)) return 'unknown';
  if (retryable && GENERAL_HEADS.includes(type)) {
    const quotesRefusal = status === 0 || status >= 500 ? finalStatusIn(words) : false;
    if (!quotesRefusal && !refusesRequest(words)) return undefined;
    const found = refusalIn(text);
    return found !== undefined && FAILURES[found].strategy === null ? found : 'invalid_request';
  }
  if (retryable || !BORROWED.includes(status) || refusesRequest(words)) return undefined;
  return PASSING.find(([, pattern]) => pattern.test(words))?.[0];
}

function finalStatusIn(words: string): boolean {
  return QUOTED.test(words) && (words.match(QUOTED_PASSING) ?? []).length < 2;
}
