import { describeCases } from './cases.ts';

describeCases('Cohere', [
  {
    says: 'a trial key’s month, in other spacing',
    status: 429,
    body: { id: 'x', message: 'You are using a TRIAL key,  which is limited to 1000 API calls/month.' },
    is: 'quota_exhausted',
    retryable: false,
    provider: 'cohere',
  },
  {
    says: 'a trial key’s minute',
    status: 429,
    body: {
      id: 'x',
      message:
        'You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use the Trial key for free or upgrade to a Production key.',
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a prompt that is refused with the status of a server at capacity',
    status: 498,
    body: { message: 'The request was blocked: it violates the Usage Guidelines. Please change the prompt.' },
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a prompt that is too long',
    status: 400,
    body: { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.' },
    is: 'context_too_long',
    retryable: false,
  },
  { says: 'a wrong key', status: 401, body: { message: 'invalid api token' }, is: 'auth_invalid', retryable: false },
  {
    says: 'a model that does not exist',
    status: 404,
    body: { message: "model 'commandx' not found, make sure the correct model ID was used" },
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a removed model',
    status: 404,
    body: { message: "model 'command' was removed on September 15, 2025." },
    is: 'model_deprecated',
    retryable: false,
  },
]);
