import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { concat, eventFrame, exceptionFrame } from '../protocol/frames.ts';
import { describeCases } from './cases.ts';

const exception = (name: string): Record<string, string> => ({
  'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  'content-type': 'application/json',
});

describeCases('Amazon Bedrock', {
  server_error: {
    'an internal error without its name, which a gateway has turned into a 400': [
      400,
      { message: 'The system encountered an unexpected error during processing. Try your request again.' },
    ],
    'a model error, at 424': [424, { message: 'The model failed.' }, { headers: exception('ModelErrorException') }],
    'a model stream error, at 424': [
      424,
      { message: 'Retry your request.' },
      { headers: exception('ModelStreamErrorException') },
    ],
    'an internal error': [500, { message: 'Unexpected error' }, { headers: exception('InternalServerException') }],
  },
  quota_exhausted: {
    'throttling per day': [
      429,
      { message: 'Too many tokens per day, please wait before trying again.' },
      { headers: exception('ThrottlingException'), code: 'ThrottlingException', provider: 'bedrock' },
    ],
    'a service quota': [
      400,
      { message: 'Your request exceeds the service quota for your account.' },
      { headers: exception('ServiceQuotaExceededException') },
    ],
    // https://github.com/aws/amazon-q-developer-cli/issues/809
    "a month's requests, in the words of a throttle": [
      400,
      { message: 'Maximum com.amazon.aws.codewhisperer.streaming.GenerateAssistantResponse reached for this month.' },
      { headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' } },
    ],
    "a month's requests, by the reason": [
      400,
      { __type: 'com.amazon.aws.codewhisperer#ServiceQuota', message: 'x', reason: 'MONTHLY_REQUEST_COUNT' },
    ],
  },
  rate_limit: {
    throttling: [
      429,
      { message: 'Too many requests, please wait before trying again.' },
      { headers: exception('ThrottlingException') },
    ],
    'an exception that only the body names': [
      429,
      { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'Rate exceeded' },
    ],
    'a throttle whose name has a namespace, behind a 400': [
      400,
      { __type: 'com.amazon.coral.service#ThrottlingException', Message: 'slow down' },
      { code: 'ThrottlingException' },
    ],
  },
  overloaded: {
    'a model that is not ready': [
      429,
      { message: 'Model is not ready for inference.' },
      { headers: exception('ModelNotReadyException') },
    ],
    'no service': [
      503,
      { message: 'Bedrock is unable to process your request.' },
      { headers: exception('ServiceUnavailableException') },
    ],
    'a model that has no room left, behind a 400': [
      400,
      {
        __type: 'com.amazon.aws.codewhisperer#ThrottlingException',
        message: 'I am experiencing high traffic, please try again shortly.',
        reason: 'INSUFFICIENT_MODEL_CAPACITY',
      },
    ],
  },
  timeout: {
    'a model that timed out': [
      408,
      { message: 'The model timed out.' },
      { headers: exception('ModelTimeoutException') },
    ],
  },
  invalid_request: {
    'a 424 of another server': [424, { message: 'Failed dependency' }],
    'a conflict': [400, { message: 'Conflict' }, { headers: exception('ConflictException') }],
    'a validation error': [400, { message: 'Malformed input request' }, { headers: exception('ValidationException') }],
  },
  context_too_long: {
    'an input that is too long': [
      400,
      { message: 'Input is too long for requested model.' },
      { headers: exception('ValidationException') },
    ],
  },
  unsupported_feature: {
    'a throughput that is not supported, with words like a hint': [
      400,
      {
        message:
          'Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile.',
      },
      { headers: exception('ValidationException') },
    ],
  },
  permission_denied: {
    'no access': [
      403,
      { message: "You don't have access to the model with the specified model ID." },
      { headers: exception('AccessDeniedException') },
    ],
    // https://github.com/aws-samples/generative-bi-using-rag/issues/361
    'a country that it does not serve': [
      400,
      { message: 'Access to Anthropic models is not allowed from unsupported countries, regions, or territories.' },
      { headers: { 'x-amzn-errortype': 'ValidationException' } },
    ],
  },
  auth_invalid: {
    'an expired token': [
      403,
      { message: 'The security token included in the request is expired' },
      { headers: exception('ExpiredTokenException') },
    ],
    'an expired signature': [
      403,
      { message: 'Signature expired: 20261120T000000Z is now earlier than …' },
      { headers: exception('InvalidSignatureException') },
    ],
  },
  model_not_found: {
    'a resource that is not there': [
      404,
      { message: 'Could not resolve the foundation model.' },
      { headers: exception('ResourceNotFoundException') },
    ],
  },
  model_deprecated: {
    'a model at the end of its life': [
      404,
      { message: 'This model version has reached the end of its life.' },
      { headers: exception('ResourceNotFoundException') },
    ],
  },
});

describe('frames of a 200', () => {
  const start = eventFrame('messageStart', { role: 'assistant' });
  const delta = eventFrame('contentBlockDelta', { delta: { text: 'Hi' } });
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };

  test.each([
    ['throttlingException', 'rate_limit', true],
    ['ThrottlingException', 'rate_limit', true],
    ['serviceUnavailableException', 'overloaded', true],
    ['internalServerException', 'server_error', true],
    ['modelStreamErrorException', 'server_error', true],
    ['modelTimeoutException', 'timeout', true],
    ['validationException', 'invalid_request', false],
    ['accessDeniedException', 'permission_denied', false],
  ])('%s is %s', (named, type, retryable) => {
    const body = concat([start, exceptionFrame(named, 'Something')]);
    const wanted = {
      type,
      retryable,
      status: 200,
      phase: 'stream',
      code: named,
      provider: 'bedrock',
      message: 'Something',
    };
    expect(classify({ status: 200, headers, body })).toMatchObject(wanted);
    expect(classify({ status: 200, body })).toMatchObject(wanted);
    expect(
      classify({ status: 200, headers, body: concat([start, delta, exceptionFrame(named, 'Something')]) }),
    ).toMatchObject({ type, retryable: false });
  });

  test('a daily quota is recognised in a frame', () => {
    const body = exceptionFrame('throttlingException', 'Too many tokens per day, please wait before trying again.');
    expect(classify({ status: 200, headers, body })).toMatchObject({ type: 'quota_exhausted', retryable: false });
  });

  test('a stream without an exception is a success', () => {
    expect(classify({ status: 200, headers, body: concat([start, delta, eventFrame('messageStop', {})]) })).toBeNull();
    expect(classify({ status: 200, headers, body: start.subarray(0, 20) })).toBeNull();
  });

  test('an exception is recognised under a failed status', () => {
    expect(classify({ status: 424, headers, body: exceptionFrame('modelErrorException', 'Again') })).toMatchObject({
      type: 'server_error',
      retryable: true,
    });
    expect(classify({ status: 503, headers, body: new Uint8Array(3) })).toMatchObject({
      type: 'overloaded',
      retryable: true,
    });
  });
});
