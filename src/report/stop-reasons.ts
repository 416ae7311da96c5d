/** Why a call was given up, in a sentence for a person, with what that person can do about it beyond the failure. */

import type { StopReason } from '../index.ts';

interface Stop {
  readonly sentence: string;
  readonly action: string | null;
}

export const STOP_REASONS: Readonly<Record<StopReason, Stop>> = /* @__PURE__ */ Object.freeze({
  'not-retryable': { sentence: 'It was not tried again: the same request would have failed again.', action: null },
  'retries-exhausted': {
    sentence: 'All attempts that the policy allows were made.',
    action: 'Send the request again later.',
  },
  'retry-after-too-long': {
    sentence: 'The server asked for a longer wait than the policy accepts.',
    action: 'Send the request again when the server allows it, or accept longer waits with `maxRetryAfterMs`.',
  },
  'sleep-budget-exhausted': {
    sentence: 'The time for waiting was used up.',
    action: 'Send the request again later, or allow more waiting with `maxTotalDelayMs`.',
  },
  deadline: {
    sentence: 'The next attempt would have come after the deadline.',
    action: 'Send the request again later, or allow more time with `maxElapsedMs`.',
  },
  'retry-budget-empty': {
    sentence: 'So many requests were failing that no more retries were sent.',
    action: 'Wait until the service has recovered: retries were held back to leave it room.',
  },
  'circuit-open': {
    sentence: 'The service had been failing for so long that it was not asked again.',
    action: 'Wait until the service has recovered: it is asked again by itself after a while.',
  },
  'body-not-replayable': {
    sentence: 'The body of the request could be sent only once.',
    action: 'Give the body as a string, a Blob or bytes, so that it can be sent again.',
  },
  'irreversible-operation': {
    sentence: 'It was not tried again: doing it twice could do harm.',
    action: 'Find out whether the operation took effect before doing it again.',
  },
  'server-said-no': { sentence: 'The server said that asking again would not help.', action: null },
  'refused-by-caller': { sentence: 'The program refused a retry.', action: null },
  'given-up': { sentence: 'A person ended the waiting.', action: null },
  disabled: { sentence: 'Retries were switched off.', action: 'Switch retries on, or send the request again.' },
});
