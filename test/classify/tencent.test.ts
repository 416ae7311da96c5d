import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const error = (Code: string, Message: string): unknown => ({ Response: { Error: { Code, Message }, RequestId: 'r' } });

describeCases('Tencent, inside of a 200', [
  {
    // https://github.com/yxw007/vscode-translate-next/issues/20
    says: 'a rate limit',
    status: 200,
    body: error('RequestLimitExceeded', 'Your current request times equals to 7 in a second'),
    is: 'rate_limit',
    retryable: true,
    code: 'RequestLimitExceeded',
  },
  {
    says: 'a server that failed',
    status: 200,
    body: error('FailedOperation.EngineServerError', 'x'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a package that is used up',
    status: 200,
    body: error('FailedOperation.FreeResourcePackExhausted', 'x'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'another',
    status: 200,
    body: error('FailedOperation.ResourcePackExhausted', 'x'),
    is: 'quota_exhausted',
    retryable: false,
  },
]);

describe('an answer of Tencent', () => {
  test('without an error is a success', () => {
    expect(classify({ status: 200, body: '{"Response":{"Choices":[],"RequestId":"r"}}' })).toBeNull();
  });
});
