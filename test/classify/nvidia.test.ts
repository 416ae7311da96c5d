import { describeCases } from './cases.ts';

const problem = (status: number, title: string, detail: string): unknown => ({
  type: 'urn:inference-service:problem-details',
  title,
  status,
  detail,
});

describeCases('NVIDIA NIM', {
  overloaded: {
    'a function that has lost its workers, as a 400': [
      400,
      problem(400, 'Bad Request', "Function id '8f4e': DEGRADED function cannot be invoked"),
      { headers: { 'nvcf-status': 'errored' }, provider: 'nvidia' },
    ],
  },
  model_not_found: {
    'a function that the account does not have': [
      404,
      problem(404, 'Not Found', "Function '8f4e': Not found for account 'abc'"),
      { headers: { 'nvcf-reqid': '1' }, provider: 'nvidia' },
    ],
  },
  invalid_request: {
    'a request that it does not accept': [
      400,
      problem(400, 'Bad Request', 'top_k must be at least 1'),
      { headers: { 'nvcf-reqid': '1' }, provider: 'nvidia' },
    ],
  },
});
