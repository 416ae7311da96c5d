import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const error = (Code: string, Message: string): unknown => ({ Response: { Error: { Code, Message }, RequestId: 'r' } });

describeCases('Tencent, inside of a 200', {
  rate_limit: {
    // https://github.com/yxw007/vscode-translate-next/issues/20
    'a rate limit': [
      200,
      error('RequestLimitExceeded', 'Your current request times equals to 7 in a second'),
      { code: 'RequestLimitExceeded' },
    ],
  },
  server_error: { 'a server that failed': [200, error('FailedOperation.EngineServerError', 'x')] },
  quota_exhausted: {
    'a package that is used up': [200, error('FailedOperation.FreeResourcePackExhausted', 'x')],
    another: [200, error('FailedOperation.ResourcePackExhausted', 'x')],
  },
});

describe('an answer of Tencent', () => {
  test('without an error is a success', () => {
    expect(classify({ status: 200, body: '{"Response":{"Choices":[],"RequestId":"r"}}' })).toBeNull();
  });
});
