/**
 * Reads a text again where the first reading rests on what many causes share: a general head ("Internal error: Error from
 * provider: …"), or the status of a refusal around the words of a failure that passes ("400: connection refused"). Only
 * the texts of operations are read again, never those of responses.
 */

import { type Failure, type FailureType, TYPES } from '../failure/failure.ts';
import { leavesDoubt, wordsOf } from './plain-words.ts';
import { Phrases, phrasesIn } from './phrases.ts';
import { HEADS, OF_ANSWERS, OTHER_SYSTEMS, PASSING_SENTENCES, REFUSALS, SETUP } from './generated-rulebook.ts';

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
const ofAnswers = /* @__PURE__ */ phrasesIn(OF_ANSWERS);
const setup = /* @__PURE__ */ phrasesIn(SETUP);
const otherSystems = /* @__PURE__ */ phrasesIn(OTHER_SYSTEMS);
const heads = /* @__PURE__ */ phrasesIn(HEADS, 'i', (words) => `(?:${words})[:.\\s-]{0,4}`);

let passing: Phrases<FailureType> | undefined;

/** Whether words refuse the request, whatever is said before them. */
export function refusesRequest(words: string): boolean {
  return !ofAnswers().isIn(words) && refusals().isIn(words);
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
