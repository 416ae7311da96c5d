/**
 * Writes docs/features.md: the features of the five systems that this library does the work of, and the test that proves
 * each. Run `node scripts/list-features.ts` after changing the list; a test holds it to the tests that there are.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The systems, by what they are. */
const SOURCES = {
  A: 'a chat kernel, which waits for up to eight hours in steps',
  B: "a coding agent's session, with a person in front of it",
  C: 'an HTTP transport for LLM providers',
  D: 'a background worker that calls models and restarts its sessions',
  E: 'a planner, with a taxonomy of failures, fallbacks and reports',
} as const;

type Source = keyof typeof SOURCES;

interface Feature {
  readonly row: number;
  readonly name: string;
  /** Who has it. */
  readonly sources: readonly Source[];
  /** Files below test/, with the title of a test in each. */
  readonly tests: readonly (readonly [file: string, title: string])[];
  /** What is done otherwise or not at all, and why. */
  readonly note?: string;
}

type Test = readonly [file: string, title: string];
const feature = (row: number, name: string, sources: string, ...tests: readonly Test[]): Feature => ({
  row,
  name,
  sources: sourcesIn(sources),
  tests,
});

function sourcesIn(letters: string): readonly Source[] {
  return (['A', 'B', 'C', 'D', 'E'] as const).filter((source) => letters.includes(source));
}

export const FEATURES: readonly Feature[] = [
  feature(
    1,
    'transport wrapper (get/post, decorator)',
    'C',
    ['retry-transport.test.ts', 'is one itself, and may be wrapped around FetchTransport'],
    ['forerunner.test.ts', 'the inner transport is called with exactly (url, body, headers, undefined)'],
  ),
  feature(2, 'generic operation wrapper', 'ABDE', [
    'with-retry.test.ts',
    'that fails is run again under the same waits and events as a request',
  ]),
  feature(3, 'exponential backoff with multiplier', 'BCE', [
    'backoff.test.ts',
    'grows by the multiplier: attempt %d waits %d ms',
  ]),
  feature(4, 'stepped schedule', 'AD', [
    'presets.test.ts',
    'waits 5 s, 10 s, 30 s, 1 m, 5 m, 10 m, 15 m and then 30 m each time',
  ]),
  feature(
    5,
    'repeating tail, or the last step again',
    'AD',
    ['backoff.test.ts', 'repeats the last step, or the tail, or stops'],
    ['presets.test.ts', 'waits 3, 5, 10, 30 and then 60 s, ten times: 408 s in all'],
  ),
  feature(6, 'longest wait', 'BCDE', ['forerunner.test.ts', 'no wait exceeds the cap, jitter included']),
  feature(7, 'symmetric jitter', 'CE', ['backoff.test.ts', 'spreads by the factor to either side']),
  feature(8, 'full jitter', 'E', [
    'scenarios/taxonomy-walkthroughs.test.ts',
    'draws each wait from nothing to the whole of it',
  ]),
  feature(9, 'downward jitter', 'B', ['decide.test.ts', 'lie between 0 and maxDelayMs whatever the jitter']),
  feature(10, 'most retries', 'BCDE', ['decide.test.ts', 'stop after three retries by default']),
  feature(
    11,
    'budget for all waiting',
    'AE',
    ['call-waits.test.ts', 'on the total are inclusive'],
    ['backoff.test.ts', 'counts the budget inclusively: 16 half hours are eight'],
    ['call-waits.test.ts', 'on the time since the first attempt are inclusive and count the attempts'],
  ),
  feature(
    12,
    'pure schedule; sleep, clock and chance handed in',
    'A',
    ['decide.test.ts', 'decides the same for the same input'],
    ['call.test.ts', 'that is an instance of a class is used for everything'],
  ),
  feature(
    13,
    'sleep that can be aborted and leaves no listener',
    'ABCDE',
    ['runtime.test.ts', 'removes its listener when it ends by itself'],
    ['retry-loop.test.ts', 'of a call that was aborted while it waited is nothing'],
  ),
  feature(
    14,
    'an abort is never retried and never another error',
    'ABCDE',
    ['aborting.test.ts', 'whatever the reason is: %j'],
    ['aborting.test.ts', 'is told as cancelled, not as a failure, and calls no callback'],
  ),
  feature(15, 'Retry-After in seconds', 'BCE', ['hints/retry-after.test.ts', 'reads "%s" as %d ms']),
  feature(16, 'Retry-After as a date', 'BCE', [
    'hints/retry-after.test.ts',
    'counts a date from the clock of the machine when no time is given',
  ]),
  feature(
    17,
    'retry-after-ms and reset headers',
    'BE',
    ['hints/retry-after.test.ts', 'reads %j as %s'],
    ['hints/reset-headers.test.ts', 'reads an exhausted bucket of %s'],
  ),
  feature(
    18,
    'hints in a body or message',
    'BE',
    ['hints/message.test.ts', 'finds the wait in "%s"'],
    ['hints/body.test.ts', 'takes the strongest field, wherever it stands'],
  ),
  feature(19, 'hint cut to the longest wait', 'CE', [
    'decide-hints.test.ts',
    'of %i ms are clamped to %i ms with clamp, without spread or stop',
  ]),
  feature(20, 'a hint above the ceiling ends the call', 'BE', [
    'decide-hints.test.ts',
    'above the ceiling always stop the call',
  ]),
  feature(21, 'padding of a hint', 'BE', [
    'scenarios/taxonomy-walkthroughs.test.ts',
    'waits the 12 s of the server and 10 % more, and succeeds after 2 attempts',
  ]),
  feature(22, 'list of retryable statuses', 'C', ['classify/status.test.ts', 'a list decides alone']),
  feature(23, 'the status on an error beats its text', 'BCDE', [
    'with-retry.test.ts',
    'a message that mentions 503 under another status',
  ]),
  feature(24, 'network errors, also in a cause', 'BCDE', [
    'classify/network-error.test.ts',
    'a code is found along causes and gathered errors',
  ]),
  feature(25, 'unknown errors are not retried', 'BCD', ['call.test.ts', 'an unknown error is rethrown at once']),
  feature(26, 'typed failures', 'BDE', [
    'classify/recordings.test.ts',
    '%s is the same as text, as bytes, and in any shape of headers',
  ]),
  feature(
    27,
    'a strategy for each type, and overrides',
    'BE',
    ['scenarios/strategies.test.ts', 'that meets a rate limit and then an overload treats each by its own strategy'],
    ['scenarios/strategies.test.ts', 'is merged field by field over the strategy of its type'],
  ),
  feature(
    28,
    'quota and rate limit told apart under a 429',
    'BDE',
    ['forerunner.test.ts', 'a 529 is retried, a quota 429 is not'],
    [
      'scenarios/taxonomy-walkthroughs.test.ts',
      'an exhausted quota costs one request and ends in a report with what has to be done',
    ],
  ),
  feature(
    29,
    'an input that is too long is handed on, not retried',
    'BDE',
    ['with-retry.test.ts', 'is handed to the hook after the call has ended, and never retried'],
    ['scenarios/agent-session.test.ts', 'an input that is too long is left to the compaction: no start, no end'],
  ),
  feature(
    30,
    'no retry after content',
    'ABE',
    ['scenarios/patient-turn.test.ts', 'nor when the attempt that began to speak was a retry'],
    ['fallback/walk.test.ts', 'never after content'],
  ),
  feature(31, 'a failure that says whether it may be retried', 'A', [
    'classify/network-error.test.ts',
    'an error of this library carries its failure',
  ]),
  feature(
    32,
    'safety of operations, with a rollback',
    'E',
    ['repeat.test.ts', 'of %s with %j makes %i requests'],
    ['repeat.test.ts', 'is awaited before each repetition, and told what failed'],
    ['scenarios/taxonomy-walkthroughs.test.ts', 'is executed once and not repeated, with the reason'],
  ),
  feature(33, 'options from the environment', 'E', [
    'config-from-env.test.ts',
    'sets the attempts, the longest wait, the longest hint and the leave to repeat',
  ]),
  feature(
    34,
    'switch at run time, isRetrying, cancel',
    'B',
    ['with-retry.test.ts', 'can be switched off and on at run time'],
    ['with-retry.test.ts', 'knows whether it is retrying, and when it is idle again'],
    ['call-controller.test.ts', 'gives up with the last response, unread, its reason and its callback'],
  ),
  feature(35, 'events for the start and the end of a chain, from 1', 'B', [
    'event-adapters.test.ts',
    'a start before each wait, counted from 1, and one end with the last retry made',
  ]),
  feature(36, 'an event before each wait, from 0', 'A', [
    'event-adapters.test.ts',
    'one event before each wait: the attempt from 0, the error verbatim, the status as text',
  ]),
  feature(
    37,
    'onRetry and onExhausted',
    'CE',
    ['call-hooks.test.ts', 'onRetry gets exactly the attempt that failed, its error and the wait'],
    ['call-hooks.test.ts', 'onExhausted is called once with the last error and the attempts'],
  ),
  feature(
    38,
    'the error held back while it is retried, told once at the end',
    'AB',
    ['scenarios/agent-session.test.ts', 'the error is held back and the prompt is not over'],
    [
      'scenarios/patient-turn.test.ts',
      'an overload that stays is waited out for 7 h 31 m 45 s in 21 retries, and ends in one error',
    ],
  ),
  feature(39, 'a failed attempt is out of the way, but in the history', 'ABE', [
    'call.test.ts',
    'after retries has the whole history, itself included',
  ]),
  feature(
    40,
    'when counters begin again',
    'ABCDE',
    ['scenarios/agent-session.test.ts', 'each prompt has a chain of its own, counted from one'],
    ['with-retry.test.ts', 'goes on where its schedule was, until a success resets it'],
    ['fallback/walk.test.ts', 'after three retries, and each target then has one retry of its own'],
  ),
  feature(41, 'the caller hears only when the chain is over', 'ABCDE', [
    'scenarios/agent-session.test.ts',
    'the error is held back and the prompt is not over',
  ]),
  feature(
    42,
    'another key or provider without a wait',
    'BE',
    ['fallback/key-rotation.test.ts', 'that is free takes over at once, without a wait'],
    [
      'fallback/rotation-under-load.test.ts',
      'of three keys with staggered limits a marked one is never sent, in 10,000 calls',
    ],
  ),
  feature(43, 'chain of fallbacks, each with a count of its own', 'BE', [
    'fallback/walk.test.ts',
    'after three retries, and each target then has one retry of its own',
  ]),
  feature(44, 'attempt history, summary, report, registry', 'BE', [
    'report/calls.test.ts',
    'attempt history, summary, report, registry',
  ]),
  feature(45, 'journal of attempts (JSON lines)', 'E', ['report/calls.test.ts', 'journal of attempts (JSON lines)']),
  feature(46, 'what a person has to do, for each type that is not retried', 'DE', [
    'report/calls.test.ts',
    'user action text per non-retryable type: %s',
  ]),
  feature(
    47,
    'waits and attempts in words',
    'ABCDE',
    ['report/calls.test.ts', 'log/label formatting of delay and attempt'],
    ['format-delay.test.ts', 'writes %d ms as %s'],
  ),
  feature(48, 'nothing changes where it is left out', 'ACE', [
    'scenarios/patient-turn.test.ts',
    'without a policy nothing is retried',
  ]),
  feature(49, 'layers of retries do not multiply', 'ABCD', [
    'scenarios/stories.test.ts',
    'with markFinalResponse %s makes %i requests of one',
  ]),
  feature(50, 'one schedule for two levels', 'DE', [
    'with-retry.test.ts',
    'never runs more than once in three seconds while it fails',
  ]),
  feature(51, 'circuit breaker', 'E', [
    'admission.test.ts',
    'a circuit that is open refuses a first attempt where it covers them',
  ]),
  {
    ...feature(52, 'idempotency record', 'E', [
      'repeat.test.ts',
      'is the same on every attempt of a call, and another in the next',
    ]),
    note: 'The key is sent; the record of what it has done is kept by the server that does it. A record beside the client would know nothing of a request whose answer was lost, which is the case that matters.',
  },
  feature(
    53,
    'limit on the time of an attempt',
    'DE',
    ['sockets/connections.test.ts', 'gives a server up that does not answer'],
    ['retry-loop.test.ts', 'ends with the head: a slow body is not cut, and no timer is left'],
  ),
  {
    ...feature(54, 'bodies of discarded responses are read or cancelled', '', [
      'sockets/connections.test.ts',
      '2,000 failures with 64 KiB each, 32 at a time, need at most 70',
    ]),
    note: 'None of the five does it.',
  },
];

/** The page. */
export function featuresPage(): string {
  const sources = Object.entries(SOURCES).map(([letter, words]) => `- **${letter}**: ${words}`);
  const rows = FEATURES.map(rowOf);
  const done = FEATURES.filter(({ tests }) => tests.length > 0).length;
  return `# Features, and the tests that prove them

Five systems wrote down what they need of retries:

${sources.join('\n')}

These are their features, ${FEATURES.length} in all, ${done} of them with a test; the note says what is done otherwise. This page is
written by \`node scripts/list-features.ts\`.

| | feature | of | proved by | note |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function rowOf({ row, name, sources, tests, note = '' }: Feature): string {
  const proofs = tests.map(([file, title]) => `[${file}](../test/${file}): ${title}`);
  const cells = [`${row}`, name, sources.join(' '), proofs.map(escaped).join('<br>'), note];
  return `| ${cells.join(' | ')} |`;
}

/** Titles may hold what Markdown would read as markup. */
const escaped = (text: string): string => text.replace(/[|<>*_]/g, '\\$&');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/features.md', import.meta.url), featuresPage());
}
