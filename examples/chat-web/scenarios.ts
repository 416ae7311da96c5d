/** The scenarios of the page: recorded failures, and the answer after them. */

import type { HttpHandler } from 'msw';
import { completions, recordings, type Step } from 'retry-transport/mocks';
import { replay } from 'retry-transport/mocks/msw';

export interface Scenario {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly url: string;
  /** Replays the scenario from its first step. */
  readonly handler: () => HttpHandler;
}

export const QUESTION = 'Why is the sky red at dusk?';

const ANSWER = completions.anthropicStream(
  'Because its light takes the long way. Near the horizon it crosses almost forty times as much air as from ' +
    'overhead, and air scatters blue far more than red. What is left when it reaches you is the red.',
);
const FIRST_CONTENT_AT = ANSWER.body.indexOf('event: content_block_delta');
const HEAD_DELAY_MS = 350;
const WORD_DELAY_MS = 35;

const answered: Step = { recording: ANSWER, delayMs: HEAD_DELAY_MS, chunkDelayMs: WORD_DELAY_MS };
const failed = (recording: keyof typeof recordings): Step => ({ recording, delayMs: HEAD_DELAY_MS });

const scenario = (
  name: string,
  label: string,
  about: string,
  url: string,
  ...steps: readonly [Step, ...Step[]]
): Scenario => ({ name, label, about, url, handler: () => replay(url, ...steps) });

const MESSAGES = recordings['anthropic-429-overloaded-bare'].request.url;

export const SCENARIOS = [
  scenario(
    'overload',
    'Overload',
    'The provider is overloaded twice, then it answers.',
    MESSAGES,
    failed('anthropic-529-overloaded-details-null'),
    failed('anthropic-502-overloaded-bare'),
    answered,
  ),
  scenario(
    'quota',
    'Quota',
    'A 429 that no wait can help: it is shown at once, with what to do.',
    recordings['gemini-429-quota-zero'].request.url,
    failed('gemini-429-quota-zero'),
  ),
  scenario(
    'dead-stream',
    'Dead stream',
    'A stream that dies before its first word, then one whose first event is an error, then the answer.',
    MESSAGES,
    { recording: ANSWER, delayMs: HEAD_DELAY_MS, dieAfterBytes: FIRST_CONTENT_AT },
    failed('anthropic-stream-first-event-overloaded'),
    answered,
  ),
  scenario(
    'broken-answer',
    'Broken answer',
    'A stream that dies in the middle of the answer: what arrived is kept, and nothing is retried.',
    MESSAGES,
    {
      recording: ANSWER,
      delayMs: HEAD_DELAY_MS,
      chunkDelayMs: WORD_DELAY_MS,
      dieAfterBytes: Math.round((FIRST_CONTENT_AT + ANSWER.body.length) / 2),
    },
    answered,
  ),
  scenario(
    'outage',
    'Outage',
    'The provider stays overloaded until the retries are used up.',
    MESSAGES,
    failed('anthropic-529-overloaded-details-null'),
  ),
] as const satisfies readonly Scenario[];
