import { describeCases } from './cases.ts';

const error = (code: string, message: string): unknown => ({
  error: { code, message, type: 'new_api_error', param: '' },
});

describeCases('new-api', [
  {
    says: 'that the balance of a token is used up',
    status: 403,
    body: error('', '该令牌额度已用尽 TokenStatusExhausted[sk-***]'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'that a user is banned',
    status: 403,
    body: error('', '用户已被封禁'),
    is: 'account_suspended',
    retryable: false,
  },
  {
    says: 'that it found no channel',
    status: 500,
    body: error('get_channel_failed', 'failed to get channel'),
    is: 'provider_unavailable',
    retryable: true,
  },
]);
