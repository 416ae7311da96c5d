import { describeCases } from './cases.ts';

const problem = (status: number, title: string, detail: string): unknown => ({
  type: 'urn:inference-service:problem-details',
  title,
  status,
  detail,
});

describeCases('NVIDIA NIM', [
  {
    says: 'a function that has lost its workers, as a 400',
    status: 400,
    headers: { 'nvcf-status': 'errored' },
    body: problem(400, 'Bad Request', "Function id '8f4e': DEGRADED function cannot be invoked"),
    is: 'overloaded',
    retryable: true,
    provider: 'nvidia',
  },
  {
    says: 'a function that the account does not have',
    status: 404,
    headers: { 'nvcf-reqid': '1' },
    body: problem(404, 'Not Found', "Function '8f4e': Not found for account 'abc'"),
    is: 'model_not_found',
    retryable: false,
    provider: 'nvidia',
  },
  {
    says: 'a request that it does not accept',
    status: 400,
    headers: { 'nvcf-reqid': '1' },
    body: problem(400, 'Bad Request', 'top_k must be at least 1'),
    is: 'invalid_request',
    retryable: false,
    provider: 'nvidia',
  },
]);
