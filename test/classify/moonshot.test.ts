import { describeCases } from './cases.ts';

describeCases('Moonshot', {
  quota_exhausted: {
    // https://github.com/MoonshotAI/kimi-cli/issues/1599
    "a day's tokens": [
      429,
      {
        error: {
          message: 'Your account org-1 request reached organization TPD rate limit, current: 1526210, limit: 1500000',
          type: 'rate_limit_reached_error',
        },
      },
    ],
    // https://github.com/openclaw/openclaw/issues/142656
    "a week's allowance, behind a 403": [
      403,
      { error: { message: "You've reached your weekly (7-day) usage limit.", type: 'access_terminated_error' } },
    ],
  },
  rate_limit: {
    "a minute's tokens": [
      429,
      {
        error: {
          message:
            'Your account org-1 request reached organization TPM rate limit, current: 1526210, limit: 1500000, see https://platform.moonshot.ai',
          type: 'rate_limit_reached_error',
        },
      },
      { provider: 'moonshot' },
    ],
    // https://github.com/Wei-Shaw/sub2api/issues/6955
    'too many at once, behind a 403': [
      403,
      {
        error: {
          message:
            "You've reached your concurrent request limit. Please wait for your ongoing requests to finish and try again.",
          type: 'permission_error',
        },
        type: 'error',
      },
    ],
  },
});
