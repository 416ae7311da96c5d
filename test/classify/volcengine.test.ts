import { describeCases, sse } from './cases.ts';

const hours = {
  error: {
    code: 'AccountQuotaExceeded',
    message: 'You have exceeded the 5-hour usage quota. It will reset at 2026-08-15 19:23:44 +0800 CST.',
    param: '',
    type: 'TooManyRequests',
  },
};

describeCases('Volcengine', [
  { says: 'the hours of a plan that are used up', status: 429, body: hours, is: 'quota_exhausted', retryable: false },
  { says: 'the same in a stream', status: 200, body: sse(['', hours]), is: 'quota_exhausted', retryable: false },
  {
    says: 'the same, by its name alone',
    status: 429,
    body: { error: { code: 'AccountQuotaExceeded', message: 'See https://www.volcengine.com/docs' } },
    is: 'quota_exhausted',
    retryable: false,
    provider: 'volcengine',
  },
  {
    // https://github.com/volcengine/MineContext/issues/328
    says: 'a model that a limit of its owner has paused',
    status: 429,
    body: {
      error: {
        code: 'SetLimitExceeded',
        message:
          'Your account [1] has reached the set inference limit for the [m] model, and the model service has been paused.',
        type: 'TooManyRequests',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a trial that is used up',
    status: 429,
    body: {
      error: {
        code: 'QuotaExceeded',
        message: 'The account (1) has exhausted the free trial quota of the model (m). Please activate the service.',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a queue that is full, under the same name',
    status: 429,
    body: { error: { code: 'QuotaExceeded', message: 'The task queue is full, please try again later.' } },
    is: 'rate_limit',
    retryable: true,
  },
]);
