import { describeCases } from './cases.ts';

const error = (code: string, message: string): unknown => ({
  error: { code, message, type: 'new_api_error', param: '' },
});

describeCases('new-api', {
  quota_exhausted: {
    'that the balance of a token is used up': [403, error('', '该令牌额度已用尽 TokenStatusExhausted[sk-***]')],
  },
  account_suspended: { 'that a user is banned': [403, error('', '用户已被封禁')] },
  provider_unavailable: { 'that it found no channel': [500, error('get_channel_failed', 'failed to get channel')] },
});
