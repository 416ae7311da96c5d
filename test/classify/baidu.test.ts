import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const error = (error_code: number, error_msg: string): unknown => ({ error_code, error_msg });

// https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh
describeCases('Baidu, inside of a 200', {
  rate_limit: {
    'a rate limit': [200, error(18, 'Open api qps request limit reached')],
    another: [200, error(4, 'Open api request limit reached')],
  },
  server_error: { 'a server that is busy': [200, error(2, 'Service temporarily unavailable')] },
  quota_exhausted: {
    "a day's calls": [200, error(17, 'Open api daily request limit reached')],
    'all calls': [200, error(19, 'Open api total request limit reached')],
  },
  auth_invalid: {
    'a token that is none': [200, error(110, 'Access token invalid or no longer valid')],
    'a token that is over': [200, error(111, 'Access token expired'), { code: '111' }],
  },
});

describe('an answer of Baidu', () => {
  test.each([{ error_code: 0, error_msg: 'ok' }, { error_code: 17 }, { error_msg: 'none' }])(
    'that says %j is a success',
    (fields) => {
      expect(classify({ status: 200, body: JSON.stringify({ id: 'x', result: 'w', ...fields }) })).toBeNull();
    },
  );
});
