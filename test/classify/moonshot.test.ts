import { describeCases } from './cases.ts';

describeCases('Moonshot', [
  {
    // https://github.com/MoonshotAI/kimi-cli/issues/1599
    says: "a day's tokens",
    status: 429,
    body: {
      error: {
        message: 'Your account org-1 request reached organization TPD rate limit, current: 1526210, limit: 1500000',
        type: 'rate_limit_reached_error',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a minute's tokens",
    status: 429,
    body: {
      error: {
        message:
          'Your account org-1 request reached organization TPM rate limit, current: 1526210, limit: 1500000, see https://platform.moonshot.ai',
        type: 'rate_limit_reached_error',
      },
    },
    is: 'rate_limit',
    retryable: true,
    provider: 'moonshot',
  },
  {
    // https://github.com/Wei-Shaw/sub2api/issues/6955
    says: 'too many at once, behind a 403',
    status: 403,
    body: {
      error: {
        message:
          "You've reached your concurrent request limit. Please wait for your ongoing requests to finish and try again.",
        type: 'permission_error',
      },
      type: 'error',
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    // https://github.com/openclaw/openclaw/issues/142656
    says: "a week's allowance, behind a 403",
    status: 403,
    body: { error: { message: "You've reached your weekly (7-day) usage limit.", type: 'access_terminated_error' } },
    is: 'quota_exhausted',
    retryable: false,
  },
]);
