import { describeCases } from './cases.ts';

describeCases('Hugging Face', [
  {
    says: 'how long a model still loads',
    status: 503,
    body: { error: 'Model bigscience/bloom is currently loading', estimated_time: 20.5 },
    is: 'overloaded',
    retryable: true,
    afterMs: 20_500,
  },
  {
    says: 'a model that needs a plan',
    status: 403,
    body: { error: 'Model requires a Pro subscription; check out hf.co/pricing to learn more.' },
    is: 'billing_error',
    retryable: false,
    provider: 'huggingface',
  },
  {
    says: 'a generation that has failed',
    status: 424,
    body: { error: 'Request failed during generation: Server error: CUDA error', error_type: 'generation' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a rate',
    status: 429,
    body: { error: 'Rate limit reached. Please log in or use a HF access token' },
    is: 'rate_limit',
    retryable: true,
  },
]);
