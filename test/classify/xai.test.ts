import { describeCases } from './cases.ts';

describeCases('xAI', {
  billing_error: {
    'spent credits at 429': [
      429,
      {
        code: 'Some resource has been exhausted',
        error:
          'Your team 48 has either used all available credits or reached its monthly spending limit. To continue, purchase more credits at https://console.x.ai.',
      },
      { provider: 'xai' },
    ],
    'no credits at 429': [429, { error: "Your newly created team doesn't have any credits or licenses yet." }],
  },
  rate_limit: {
    'a rate limit': [
      429,
      {
        code: 'Some resource has been exhausted',
        error: 'Too many requests for team 48 and model grok-4. Requests per Minute (actual/limit): 61/60',
      },
    ],
  },
  auth_invalid: {
    'a wrong key, behind a 400': [
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai.',
      },
    ],
  },
  model_not_found: {
    'a model that does not exist': [
      404,
      {
        code: 'Some requested entity was not found',
        error: 'The model grok-9 does not exist or your team 48 does not have access to it.',
      },
    ],
  },
  content_policy: {
    'content against its guidelines': [
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
      },
    ],
  },
  context_too_long: {
    'a prompt that is too long': [
      400,
      { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    ],
  },
  quota_exhausted: {
    "a day's free allowance that is used up": [
      429,
      { code: 'resource-exhausted', error: 'Free usage quota exceeded. Purchase credits' },
    ],
    // https://github.com/Vanszs/VansRouter/pull/56
    'free use that is used up, over a rolling day': [
      429,
      {
        code: 'subscription:free-usage-exhausted',
        error:
          "You've used all the included free usage for model grok-4.6 for now. Usage resets over a rolling 24-hour window.",
      },
    ],
  },
});
