import { describeCases } from './cases.ts';

// https://www.alibabacloud.com/help/en/model-studio/error-code
describeCases('Alibaba', [
  {
    says: "a throttle by tokens, in OpenAI's words for spent quota",
    status: 429,
    body: {
      error: {
        message:
          'You exceeded your current quota, please check your plan and billing details. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    is: 'rate_limit',
    retryable: true,
    provider: 'alibaba',
  },
  {
    says: 'a throttle by tokens, behind a gateway that kept the words alone',
    status: 429,
    body: {
      error: {
        message:
          'Error from provider (Alibaba): Allocated quota exceeded, please increase your quota limit. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
      },
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: "OpenAI's own spent quota, which has another link",
    status: 429,
    body: {
      error: {
        message:
          'You exceeded your current quota, please check your plan and billing details. For more information, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
    provider: 'openai',
  },
  {
    says: 'a free allowance that is used up',
    status: 429,
    body: { code: 'Throttling.AllocationQuota', message: 'Free allocated quota exceeded.', request_id: 'r' },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a throttle by tokens, by its name',
    status: 429,
    body: {
      code: 'Throttling.AllocationQuota',
      message: 'Allocated quota exceeded, please increase your quota limit.',
    },
    is: 'rate_limit',
    retryable: true,
    code: 'Throttling.AllocationQuota',
  },
  {
    says: 'an account in arrears, in a stream whose status only a comment names',
    status: 200,
    body: 'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"request_id":"req-1","code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}\n\n',
    is: 'billing_error',
    retryable: false,
    code: 'Arrearage',
  },
  {
    says: 'a wrong parameter, in a stream',
    status: 200,
    body: 'event:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"Preprocessor error","request_id":"r"}\n\n',
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a throttle, in a stream',
    status: 200,
    body: 'event:error\n:HTTP_STATUS/429\ndata:{"code":"Throttling.RateQuota","message":"-"}\n\n',
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'content that its inspection refuses',
    status: 400,
    body: { error: { message: 'Output data may contain inappropriate content.', code: 'data_inspection_failed' } },
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'that link at a status of its own, which is no throttle',
    status: 400,
    body: {
      error: {
        message: 'Wrong, see https://help.aliyun.com/zh/model-studio/error-code#token-limit',
        code: 'insufficient_quota',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a throttle by tokens, inside of a 200',
    status: 200,
    body: {
      error: {
        message: 'See https://help.aliyun.com/zh/model-studio/error-code#token-limit',
        code: 'insufficient_quota',
      },
    },
    is: 'rate_limit',
    retryable: true,
  },

  {
    says: "a plan's week",
    status: 429,
    body: {
      error: {
        code: 'Throttling.AllocationQuota',
        message: 'Your token-plan 1-week quota has been exhausted. The quota will reset at 09-12 11:40:00 UTC.',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a day at ModelScope',
    status: 429,
    body: {
      errors: { message: "You have exceeded today's quota for model moonshotai/Kimi-K2.5, please try again tomorrow" },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
]);
