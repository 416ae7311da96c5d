import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const base = (status_code: number, status_msg: string): unknown => ({
  id: 'x',
  base_resp: { status_code, status_msg },
});

// https://platform.minimax.io/docs/api-reference/errorcode
describeCases('MiniMax, inside of a 200', [
  {
    says: 'a rate limit',
    status: 200,
    body: base(1002, 'rate limit'),
    is: 'rate_limit',
    retryable: true,
    code: '1002',
  },
  { says: 'a limit of tokens', status: 200, body: base(1039, 'token limit'), is: 'rate_limit', retryable: true },
  {
    says: 'an empty balance',
    status: 200,
    body: { data: null, trace_id: 'x', base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'an allowance that is used up',
    status: 200,
    body: base(2056, 'usage limit exceeded'),
    is: 'quota_exhausted',
    retryable: false,
  },
  { says: 'a wrong key', status: 200, body: base(2049, 'invalid api key'), is: 'auth_invalid', retryable: false },
  {
    says: 'content that it refuses',
    status: 200,
    body: base(1027, 'output new_sensitive'),
    is: 'content_policy',
    retryable: false,
  },
  { says: 'a timeout', status: 200, body: base(1001, 'request timeout'), is: 'timeout', retryable: true },
  {
    says: 'wrong parameters',
    status: 200,
    body: base(2013, 'invalid params'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'an error that it does not know itself',
    status: 200,
    body: base(1000, 'unknown error'),
    is: 'server_error',
    retryable: true,
  },
]);

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
