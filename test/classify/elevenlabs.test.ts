import { describeCases } from './cases.ts';

const detail = (status: string, message: string): unknown => ({ detail: { status, message } });

describeCases('ElevenLabs', [
  {
    says: 'a quota, at the status of a rate limit',
    status: 429,
    body: detail('unknown', 'This request exceeds your quota.'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a free account that is shared, at the status of a rate limit',
    status: 429,
    body: detail('unknown', 'Unusual activity detected.'),
    is: 'account_suspended',
    retryable: false,
  },
  {
    says: 'a quota, at the status of a wrong key',
    status: 401,
    body: detail('quota_exceeded', 'This request exceeds your quota of 10000. You have 12 credits remaining.'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'that it is busy, at the status of a rate limit',
    status: 429,
    body: detail('system_busy', 'We are currently experiencing heavy traffic. Please try again later.'),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'too many at once',
    status: 429,
    body: detail('too_many_concurrent_requests', 'Too many concurrent requests. Your current subscription allows 5.'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a wrong key',
    status: 401,
    body: detail('invalid_api_key', 'Invalid API key'),
    is: 'auth_invalid',
    retryable: false,
  },
]);
