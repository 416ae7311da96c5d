import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const error = (error_code: number, error_msg: string): unknown => ({ error_code, error_msg });

// https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh
describeCases('Baidu, inside of a 200', [
  {
    says: 'a rate limit',
    status: 200,
    body: error(18, 'Open api qps request limit reached'),
    is: 'rate_limit',
    retryable: true,
  },
  { says: 'another', status: 200, body: error(4, 'Open api request limit reached'), is: 'rate_limit', retryable: true },
  {
    says: 'a server that is busy',
    status: 200,
    body: error(2, 'Service temporarily unavailable'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: "a day's calls",
    status: 200,
    body: error(17, 'Open api daily request limit reached'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'all calls',
    status: 200,
    body: error(19, 'Open api total request limit reached'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a token that is none',
    status: 200,
    body: error(110, 'Access token invalid or no longer valid'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a token that is over',
    status: 200,
    body: error(111, 'Access token expired'),
    is: 'auth_invalid',
    retryable: false,
    code: '111',
  },
]);

describe('an answer of Baidu', () => {
  test.each([{ error_code: 0, error_msg: 'ok' }, { error_code: 17 }, { error_msg: 'none' }])(
    'that says %j is a success',
    (fields) => {
      expect(classify({ status: 200, body: JSON.stringify({ id: 'x', result: 'w', ...fields }) })).toBeNull();
    },
  );
});
