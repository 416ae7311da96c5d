import { describeCases } from './cases.ts';

const error = (code: string, message: string): unknown => ({ error: { code, message } });

// https://docs.z.ai/api-reference/api-code and https://docs.bigmodel.cn/cn/api/api-code
describeCases('Zhipu', {
  model_not_found: {
    'a model that is not there, by its number alone': [400, { error: { code: '1211', message: '-' } }],
  },
  permission_denied: {
    'a model that the plan has not, by its number alone': [429, { error: { code: '1311', message: '-' } }],
  },
  billing_error: {
    'an empty balance': [429, error('1113', '余额不足或无可用资源包,请充值。'), { code: '1113' }],
    'an account in arrears': [429, error('1113', '您的账户已欠费，请充值后重试。')],
    'an empty balance, by its number alone': [429, { error: { code: 1113, message: '-' } }, { code: '1113' }],
  },
  quota_exhausted: {
    'the hours of a plan that are used up': [
      429,
      error('1308', '已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。'),
    ],
    "a day's calls": [429, error('1304', 'The daily call limit for this API has been reached.')],
    'a plan that has ended': [
      429,
      error('1309', 'Your GLM Coding Plan package has expired. Renew it at https://bigmodel.cn/claude-code'),
      { provider: 'zhipu' },
    ],
  },
  account_suspended: {
    'use that it calls unfair, until the user asks for access again': [
      429,
      error(
        '1313',
        'Your account does not comply with the Fair Usage Policy. To restore access, please submit a request.',
      ),
    ],
  },
  rate_limit: {
    'too many at once': [429, error('1302', '您的账户已达到速率限制，请您控制请求频率')],
    'a model that many ask': [429, error('1305', '该模型当前访问量过大，请您稍后再试')],
  },
  context_too_long: { 'a prompt that is too long': [400, error('1261', 'Prompt 超长')] },
  content_policy: {
    'content that it refuses': [400, error('1301', '系统检测到输入或生成内容可能包含不安全或敏感内容')],
  },
});

describeCases('relays that answer in Chinese', {
  quota_exhausted: {
    'a balance that is short': [
      403,
      {
        error: {
          message: '用户额度不足, 剩余额度: ¥-0.013362',
          type: 'new_api_error',
          code: 'insufficient_user_quota',
        },
      },
    ],
    "a day's allowance": [
      429,
      { error: { message: 'API Key已达到每日费用限制', type: 'rate_limit_error', code: '429' } },
    ],
    'a plan of MiniMax': [
      429,
      {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: '已达到 Token Plan 用量上限：请升级 Token Plan 套餐或购买积分补充用量 (2067)',
        },
      },
    ],
  },
  billing_error: {
    'a balance that is short, at 429': [
      429,
      { error: { message: '预扣费额度失败, 用户剩余额度: ＄0.01', type: 'new_api_error' } },
    ],
  },
});
