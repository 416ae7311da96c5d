/** Why a call waits, and why it is given up: names for programs, and words for people. */

/** Why a call was given up. {@link STOP_REASONS} has a sentence for each. */
export type StopReason =
  | 'not-retryable'
  | 'retries-exhausted'
  | 'retry-after-too-long'
  | 'sleep-budget-exhausted'
  | 'deadline'
  | 'retry-budget-empty'
  | 'circuit-open'
  | 'body-not-replayable'
  | 'irreversible-operation'
  | 'server-said-no'
  | 'refused-by-caller'
  | 'given-up'
  | 'disabled'
  | 'cooldown-too-long'
  | 'too-many-waiting'
  | 'waits-for-itself';

/** Why a call was given up, in a sentence for a person. */
export const STOP_REASONS: Readonly<Record<StopReason, string>> = /* @__PURE__ */ Object.freeze({
  'not-retryable': 'A retry cannot help.',
  'retries-exhausted': 'No retries are left.',
  'retry-after-too-long': 'The server asks for a longer wait than is allowed.',
  'sleep-budget-exhausted': 'The time allowed for waiting is used up.',
  deadline: 'The next attempt would come after the deadline.',
  'retry-budget-empty': 'Too many requests are failing or waiting, so no more are sent for now.',
  'circuit-open': 'The service keeps failing, so no requests are sent for now.',
  'body-not-replayable': 'The request body is a stream and can be sent only once.',
  'irreversible-operation': 'The operation may have taken effect already, and doing it twice could do harm.',
  'server-said-no': 'The server says that a retry will not help.',
  'refused-by-caller': 'The program refused the retry.',
  'given-up': 'The wait was ended by hand.',
  disabled: 'Retries are switched off.',
  'cooldown-too-long': 'Its turn comes later than the call may wait.',
  'too-many-waiting': 'Too many calls are waiting already.',
  'waits-for-itself': 'The call was made from within a call that holds the last slot.',
});

/** What determined the length of a wait. */
export type WaitReason = 'hint' | 'backoff' | 'fallback' | 'cooldown' | 'pace';

/** Why a call waits, in a few words after the length of the wait. */
export const WAIT_REASONS: Readonly<Record<WaitReason, string>> = /* @__PURE__ */ Object.freeze({
  hint: 'as the server asked',
  backoff: '',
  fallback: 'at another target',
  cooldown: 'for the cooldown',
  pace: 'to keep to the limit',
});
