import { describeCases } from './cases.ts';

// https://www.alibabacloud.com/help/en/model-studio/error-code
describeCases('Alibaba', {
  rate_limit: {
    "a throttle by tokens, in OpenAI's words for spent quota": [
      429,
      {
        error: {
          message:
            'You exceeded your current quota, please check your plan and billing details. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
      { provider: 'alibaba' },
    ],
    'a throttle by tokens, behind a gateway that kept the words alone': [
      429,
      {
        error: {
          message:
            'Error from provider (Alibaba): Allocated quota exceeded, please increase your quota limit. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
        },
      },
    ],
    'a throttle by tokens, by its name': [
      429,
      { code: 'Throttling.AllocationQuota', message: 'Allocated quota exceeded, please increase your quota limit.' },
      { code: 'Throttling.AllocationQuota' },
    ],
    'a throttle, in a stream': [
      200,
      'event:error\n:HTTP_STATUS/429\ndata:{"code":"Throttling.RateQuota","message":"-"}\n\n',
    ],
    'a throttle by tokens, inside of a 200': [
      200,
      {
        error: {
          message: 'See https://help.aliyun.com/zh/model-studio/error-code#token-limit',
          code: 'insufficient_quota',
        },
      },
    ],
  },
  quota_exhausted: {
    "OpenAI's own spent quota, which has another link": [
      429,
      {
        error: {
          message:
            'You exceeded your current quota, please check your plan and billing details. For more information, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
      { provider: 'openai' },
    ],
    'a free allowance that is used up': [
      429,
      { code: 'Throttling.AllocationQuota', message: 'Free allocated quota exceeded.', request_id: 'r' },
    ],
    'that link at a status of its own, which is no throttle': [
      400,
      {
        error: {
          message: 'Wrong, see https://help.aliyun.com/zh/model-studio/error-code#token-limit',
          code: 'insufficient_quota',
        },
      },
    ],
    "a plan's week": [
      429,
      {
        error: {
          code: 'Throttling.AllocationQuota',
          message: 'Your token-plan 1-week quota has been exhausted. The quota will reset at 09-12 11:40:00 UTC.',
        },
      },
    ],
    'a day at ModelScope': [
      429,
      {
        errors: {
          message: "You have exceeded today's quota for model moonshotai/Kimi-K2.5, please try again tomorrow",
        },
      },
    ],
  },
  billing_error: {
    'an account in arrears, in a stream whose status only a comment names': [
      200,
      'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"request_id":"req-1","code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}\n\n',
      { code: 'Arrearage' },
    ],
  },
  invalid_request: {
    'a wrong parameter, in a stream': [
      200,
      'event:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"Preprocessor error","request_id":"r"}\n\n',
    ],
  },
  content_policy: {
    'content that its inspection refuses': [
      400,
      { error: { message: 'Output data may contain inappropriate content.', code: 'data_inspection_failed' } },
    ],
  },
});
