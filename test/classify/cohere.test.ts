import { describeCases } from './cases.ts';

describeCases('Cohere', {
  quota_exhausted: {
    'a trial key’s month, in other spacing': [
      429,
      { id: 'x', message: 'You are using a TRIAL key,  which is limited to 1000 API calls/month.' },
      { provider: 'cohere' },
    ],
  },
  rate_limit: {
    'a trial key’s minute': [
      429,
      {
        id: 'x',
        message:
          'You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use the Trial key for free or upgrade to a Production key.',
      },
    ],
  },
  content_policy: {
    'a prompt that is refused with the status of a server at capacity': [
      498,
      { message: 'The request was blocked: it violates the Usage Guidelines. Please change the prompt.' },
    ],
  },
  context_too_long: {
    'a prompt that is too long': [
      400,
      { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.' },
    ],
  },
  auth_invalid: { 'a wrong key': [401, { message: 'invalid api token' }] },
  model_not_found: {
    'a model that does not exist': [
      404,
      { message: "model 'commandx' not found, make sure the correct model ID was used" },
    ],
  },
  model_deprecated: { 'a removed model': [404, { message: "model 'command' was removed on September 15, 2025." }] },
});
