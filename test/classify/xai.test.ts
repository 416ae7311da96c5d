import { describeCases } from './cases.ts';

describeCases('xAI', [
  {
    says: 'spent credits at 429',
    status: 429,
    body: {
      code: 'Some resource has been exhausted',
      error:
        'Your team 48 has either used all available credits or reached its monthly spending limit. To continue, purchase more credits at https://console.x.ai.',
    },
    is: 'billing_error',
    retryable: false,
    provider: 'xai',
  },
  {
    says: 'no credits at 429',
    status: 429,
    body: { error: "Your newly created team doesn't have any credits or licenses yet." },
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'a rate limit',
    status: 429,
    body: {
      code: 'Some resource has been exhausted',
      error: 'Too many requests for team 48 and model grok-4. Requests per Minute (actual/limit): 61/60',
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a wrong key, behind a 400',
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai.',
    },
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a model that does not exist',
    status: 404,
    body: {
      code: 'Some requested entity was not found',
      error: 'The model grok-9 does not exist or your team 48 does not have access to it.',
    },
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'content against its guidelines',
    status: 403,
    body: {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
    },
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a prompt that is too long',
    status: 400,
    body: { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    is: 'context_too_long',
    retryable: false,
  },

  {
    says: "a day's free allowance that is used up",
    status: 429,
    body: { code: 'resource-exhausted', error: 'Free usage quota exceeded. Purchase credits' },
    is: 'quota_exhausted',
    retryable: false,
  },

  {
    // https://github.com/Vanszs/VansRouter/pull/56
    says: 'free use that is used up, over a rolling day',
    status: 429,
    body: {
      code: 'subscription:free-usage-exhausted',
      error:
        "You've used all the included free usage for model grok-4.6 for now. Usage resets over a rolling 24-hour window.",
    },
    is: 'quota_exhausted',
    retryable: false,
  },
]);
