/** The accepted differences, each with its reason. Every other difference is a failure. */

export interface KnownDifference {
  /** The subjects with this difference; undefined: all. */
  readonly subjects?: readonly string[];
  readonly observation: string;
  /** undefined: in all ways. */
  readonly only?: 'retries' | 'no retries' | 'watched';
  readonly reason: string;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    observation: 'what the inner fetch gets: an init that is undefined',
    reason: 'An init that is undefined is left out: the inner fetch is called with one argument.',
  },
  {
    subjects: ['Deno', 'Bun', 'Chromium'],
    observation: 'called without arguments',
    reason: 'The inner fetch is called with one argument, and does not say that there is none.',
  },
  {
    subjects: ['Chromium'],
    observation: 'a body that breaks',
    only: 'watched',
    reason:
      'The error of the body itself, which knows where the stream broke. Chromium’s readers replace it by another.',
  },
  {
    subjects: ['Deno'],
    observation: 'a Request',
    only: 'retries',
    reason: 'Retries need a clone of the body, and Deno sends the body of a Request that was cloned in chunks.',
  },
  ...['a string', 'a URL', 'Headers', 'a record and unknown members', 'pairs'].map((input): KnownDifference => ({
    observation: `what the inner fetch gets: ${input}`,
    only: 'retries',
    reason: 'From the second attempt on, a GET has `cache: "no-store"` and a signal, so that no cache answers it.',
  })),
  {
    subjects: ['node-fetch', 'Chromium'],
    observation: 'a stream that is aborted before is cancelled',
    reason: 'A body that is never sent is cancelled with the reason; these two leave it open.',
  },
];
