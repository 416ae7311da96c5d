import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { concat, eventFrame, exceptionFrame } from '../protocol/frames.ts';
import { describeCases } from './cases.ts';

const exception = (name: string): Record<string, string> => ({
  'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  'content-type': 'application/json',
});

describeCases('Amazon Bedrock', [
  {
    says: 'an internal error without its name, which a gateway has turned into a 400',
    status: 400,
    body: { message: 'The system encountered an unexpected error during processing. Try your request again.' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'throttling per day',
    status: 429,
    headers: exception('ThrottlingException'),
    body: { message: 'Too many tokens per day, please wait before trying again.' },
    is: 'quota_exhausted',
    retryable: false,
    code: 'ThrottlingException',
    provider: 'bedrock',
  },
  {
    says: 'throttling',
    status: 429,
    headers: exception('ThrottlingException'),
    body: { message: 'Too many requests, please wait before trying again.' },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a model that is not ready',
    status: 429,
    headers: exception('ModelNotReadyException'),
    body: { message: 'Model is not ready for inference.' },
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a model that timed out',
    status: 408,
    headers: exception('ModelTimeoutException'),
    body: { message: 'The model timed out.' },
    is: 'timeout',
    retryable: true,
  },
  {
    says: 'a model error, at 424',
    status: 424,
    headers: exception('ModelErrorException'),
    body: { message: 'The model failed.' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a model stream error, at 424',
    status: 424,
    headers: exception('ModelStreamErrorException'),
    body: { message: 'Retry your request.' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a 424 of another server',
    status: 424,
    body: { message: 'Failed dependency' },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'no service',
    status: 503,
    headers: exception('ServiceUnavailableException'),
    body: { message: 'Bedrock is unable to process your request.' },
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'an internal error',
    status: 500,
    headers: exception('InternalServerException'),
    body: { message: 'Unexpected error' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a service quota',
    status: 400,
    headers: exception('ServiceQuotaExceededException'),
    body: { message: 'Your request exceeds the service quota for your account.' },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a conflict',
    status: 400,
    headers: exception('ConflictException'),
    body: { message: 'Conflict' },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a validation error',
    status: 400,
    headers: exception('ValidationException'),
    body: { message: 'Malformed input request' },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'an input that is too long',
    status: 400,
    headers: exception('ValidationException'),
    body: { message: 'Input is too long for requested model.' },
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a throughput that is not supported, with words like a hint',
    status: 400,
    headers: exception('ValidationException'),
    body: {
      message:
        'Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile.',
    },
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'no access',
    status: 403,
    headers: exception('AccessDeniedException'),
    body: { message: "You don't have access to the model with the specified model ID." },
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'an expired token',
    status: 403,
    headers: exception('ExpiredTokenException'),
    body: { message: 'The security token included in the request is expired' },
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'an expired signature',
    status: 403,
    headers: exception('InvalidSignatureException'),
    body: { message: 'Signature expired: 20261120T000000Z is now earlier than …' },
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a resource that is not there',
    status: 404,
    headers: exception('ResourceNotFoundException'),
    body: { message: 'Could not resolve the foundation model.' },
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a model at the end of its life',
    status: 404,
    headers: exception('ResourceNotFoundException'),
    body: { message: 'This model version has reached the end of its life.' },
    is: 'model_deprecated',
    retryable: false,
  },
  {
    says: 'an exception that only the body names',
    status: 429,
    body: { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'Rate exceeded' },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a throttle whose name has a namespace, behind a 400',
    status: 400,
    body: { __type: 'com.amazon.coral.service#ThrottlingException', Message: 'slow down' },
    is: 'rate_limit',
    retryable: true,
    code: 'ThrottlingException',
  },
  {
    says: 'a model that has no room left, behind a 400',
    status: 400,
    body: {
      __type: 'com.amazon.aws.codewhisperer#ThrottlingException',
      message: 'I am experiencing high traffic, please try again shortly.',
      reason: 'INSUFFICIENT_MODEL_CAPACITY',
    },
    is: 'overloaded',
    retryable: true,
  },
  {
    // https://github.com/aws/amazon-q-developer-cli/issues/809
    says: "a month's requests, in the words of a throttle",
    status: 400,
    headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' },
    body: {
      message: 'Maximum com.amazon.aws.codewhisperer.streaming.GenerateAssistantResponse reached for this month.',
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a month's requests, by the reason",
    status: 400,
    body: { __type: 'com.amazon.aws.codewhisperer#ServiceQuota', message: 'x', reason: 'MONTHLY_REQUEST_COUNT' },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/aws-samples/generative-bi-using-rag/issues/361
    says: 'a country that it does not serve',
    status: 400,
    headers: { 'x-amzn-errortype': 'ValidationException' },
    body: { message: 'Access to Anthropic models is not allowed from unsupported countries, regions, or territories.' },
    is: 'permission_denied',
    retryable: false,
  },
]);

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
