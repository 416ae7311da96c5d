/** A report to render, with its own words, so that its looks depend on no table. */

import type { Failure } from '../../src/index.ts';
import type { ErrorReport } from '../../src/report/error-report.ts';
import { attempt, failure, report } from './sample-events.ts';

export const quota: Failure = failure('quota_exhausted', {
  retryable: false,
  category: 'non-retryable',
  status: 429,
  code: 'insufficient_quota',
  provider: 'openai',
  message: 'You exceeded your current quota, please check your plan and billing details.',
});

const made = {
  ...report('request-1', {
    because: 'not-retryable',
    failure: quota,
    attempts: 1,
    history: [attempt(1, { failure: quota, delayMs: null })],
  }),
  id: 'report-1',
  headline: 'Quota exhausted (HTTP 429)',
  explanation: 'The account has nothing left to spend.',
};
export const sample: ErrorReport = {
  ...made,
  context: { plan: 'p-7' },
  recovery: { ...made.recovery, actions: ['Add credits to the account.', 'Switch to another provider.'] },
};
