import { describeCases } from './cases.ts';

const detail = (status: string, message: string): unknown => ({ detail: { status, message } });

describeCases('ElevenLabs', {
  quota_exhausted: {
    'a quota, at the status of a rate limit': [429, detail('unknown', 'This request exceeds your quota.')],
    'a quota, at the status of a wrong key': [
      401,
      detail('quota_exceeded', 'This request exceeds your quota of 10000. You have 12 credits remaining.'),
    ],
  },
  account_suspended: {
    'a free account that is shared, at the status of a rate limit': [
      429,
      detail('unknown', 'Unusual activity detected.'),
    ],
  },
  overloaded: {
    'that it is busy, at the status of a rate limit': [
      429,
      detail('system_busy', 'We are currently experiencing heavy traffic. Please try again later.'),
    ],
  },
  rate_limit: {
    'too many at once': [
      429,
      detail('too_many_concurrent_requests', 'Too many concurrent requests. Your current subscription allows 5.'),
    ],
  },
  auth_invalid: { 'a wrong key': [401, detail('invalid_api_key', 'Invalid API key')] },
});
