import { describeCases, sse } from './cases.ts';

const hours = {
  error: {
    code: 'AccountQuotaExceeded',
    message: 'You have exceeded the 5-hour usage quota. It will reset at 2026-08-15 19:23:44 +0800 CST.',
    param: '',
    type: 'TooManyRequests',
  },
};

describeCases('Volcengine', {
  quota_exhausted: {
    'the hours of a plan that are used up': [429, hours],
    'the same in a stream': [200, sse(['', hours])],
    'the same, by its name alone': [
      429,
      { error: { code: 'AccountQuotaExceeded', message: 'See https://www.volcengine.com/docs' } },
      { provider: 'volcengine' },
    ],
    // https://github.com/volcengine/MineContext/issues/328
    'a model that a limit of its owner has paused': [
      429,
      {
        error: {
          code: 'SetLimitExceeded',
          message:
            'Your account [1] has reached the set inference limit for the [m] model, and the model service has been paused.',
          type: 'TooManyRequests',
        },
      },
    ],
    'a trial that is used up': [
      429,
      {
        error: {
          code: 'QuotaExceeded',
          message: 'The account (1) has exhausted the free trial quota of the model (m). Please activate the service.',
        },
      },
    ],
  },
  rate_limit: {
    'a queue that is full, under the same name': [
      429,
      { error: { code: 'QuotaExceeded', message: 'The task queue is full, please try again later.' } },
    ],
  },
});
