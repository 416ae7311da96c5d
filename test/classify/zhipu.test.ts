import { describeCases } from './cases.ts';

const error = (code: string, message: string): unknown => ({ error: { code, message } });

// https://docs.z.ai/api-reference/api-code and https://docs.bigmodel.cn/cn/api/api-code
describeCases('Zhipu', [
  {
    says: 'a model that is not there, by its number alone',
    status: 400,
    body: { error: { code: '1211', message: '-' } },
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a model that the plan has not, by its number alone',
    status: 429,
    body: { error: { code: '1311', message: '-' } },
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'an empty balance',
    status: 429,
    body: error('1113', '余额不足或无可用资源包,请充值。'),
    is: 'billing_error',
    retryable: false,
    code: '1113',
  },
  {
    says: 'an account in arrears',
    status: 429,
    body: error('1113', '您的账户已欠费，请充值后重试。'),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'an empty balance, by its number alone',
    status: 429,
    body: { error: { code: 1113, message: '-' } },
    is: 'billing_error',
    retryable: false,
    code: '1113',
  },
  {
    says: 'the hours of a plan that are used up',
    status: 429,
    body: error('1308', '已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a day's calls",
    status: 429,
    body: error('1304', 'The daily call limit for this API has been reached.'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a plan that has ended',
    status: 429,
    body: error('1309', 'Your GLM Coding Plan package has expired. Renew it at https://bigmodel.cn/claude-code'),
    is: 'quota_exhausted',
    retryable: false,
    provider: 'zhipu',
  },
  {
    says: 'use that it calls unfair, until the user asks for access again',
    status: 429,
    body: error(
      '1313',
      'Your account does not comply with the Fair Usage Policy. To restore access, please submit a request.',
    ),
    is: 'account_suspended',
    retryable: false,
  },
  {
    says: 'too many at once',
    status: 429,
    body: error('1302', '您的账户已达到速率限制，请您控制请求频率'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a model that many ask',
    status: 429,
    body: error('1305', '该模型当前访问量过大，请您稍后再试'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a prompt that is too long',
    status: 400,
    body: error('1261', 'Prompt 超长'),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'content that it refuses',
    status: 400,
    body: error('1301', '系统检测到输入或生成内容可能包含不安全或敏感内容'),
    is: 'content_policy',
    retryable: false,
  },
]);

describeCases('relays that answer in Chinese', [
  {
    says: 'a balance that is short',
    status: 403,
    body: {
      error: { message: '用户额度不足, 剩余额度: ¥-0.013362', type: 'new_api_error', code: 'insufficient_user_quota' },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a balance that is short, at 429',
    status: 429,
    body: { error: { message: '预扣费额度失败, 用户剩余额度: ＄0.01', type: 'new_api_error' } },
    is: 'billing_error',
    retryable: false,
  },
  {
    says: "a day's allowance",
    status: 429,
    body: { error: { message: 'API Key已达到每日费用限制', type: 'rate_limit_error', code: '429' } },
    is: 'quota_exhausted',
    retryable: false,
  },

  {
    says: 'a plan of MiniMax',
    status: 429,
    body: {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: '已达到 Token Plan 用量上限：请升级 Token Plan 套餐或购买积分补充用量 (2067)',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
]);
