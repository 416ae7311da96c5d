import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const base = (status_code: number, status_msg: string): unknown => ({
  id: 'x',
  base_resp: { status_code, status_msg },
});

// https://platform.minimax.io/docs/api-reference/errorcode
describeCases('MiniMax, inside of a 200', {
  rate_limit: {
    'a rate limit': [200, base(1002, 'rate limit'), { code: '1002' }],
    'a limit of tokens': [200, base(1039, 'token limit')],
  },
  billing_error: {
    'an empty balance': [
      200,
      { data: null, trace_id: 'x', base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    ],
  },
  quota_exhausted: { 'an allowance that is used up': [200, base(2056, 'usage limit exceeded')] },
  auth_invalid: { 'a wrong key': [200, base(2049, 'invalid api key')] },
  content_policy: { 'content that it refuses': [200, base(1027, 'output new_sensitive')] },
  timeout: { 'a timeout': [200, base(1001, 'request timeout')] },
  invalid_request: { 'wrong parameters': [200, base(2013, 'invalid params')] },
  server_error: { 'an error that it does not know itself': [200, base(1000, 'unknown error')] },
});

describe('an answer of MiniMax', () => {
  test.each([
    [1002, 'rate_limit'],
    [1039, 'rate_limit'],
    [1041, 'rate_limit'],
    [1008, 'billing_error'],
    [2056, 'quota_exhausted'],
    [1004, 'auth_invalid'],
    [2049, 'auth_invalid'],
    [1026, 'content_policy'],
    [1027, 'content_policy'],
    [1001, 'timeout'],
    [1042, 'invalid_request'],
    [2013, 'invalid_request'],
    [1033, 'server_error'],
  ])('with %i is recognised by the number alone', (code, type) => {
    const message = 'see https://platform.minimax.io';
    expect(classify({ status: 200, body: JSON.stringify(base(code, message)) })).toMatchObject({
      type,
      provider: 'minimax',
      code: `${code}`,
    });
  });

  test('with the status 0 is a success', () => {
    expect(classify({ status: 200, body: JSON.stringify(base(0, 'success')) })).toBeNull();
    expect(classify({ status: 200, body: JSON.stringify({ base_resp: null }) })).toBeNull();
  });
});
