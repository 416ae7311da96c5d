import { describeCases } from './cases.ts';

describeCases('Hugging Face', {
  overloaded: {
    'how long a model still loads': [
      503,
      { error: 'Model bigscience/bloom is currently loading', estimated_time: 20.5 },
      { afterMs: 20_500 },
    ],
  },
  billing_error: {
    'a model that needs a plan': [
      403,
      { error: 'Model requires a Pro subscription; check out hf.co/pricing to learn more.' },
      { provider: 'huggingface' },
    ],
  },
  server_error: {
    'a generation that has failed': [
      424,
      { error: 'Request failed during generation: Server error: CUDA error', error_type: 'generation' },
    ],
  },
  rate_limit: { 'a rate': [429, { error: 'Rate limit reached. Please log in or use a HF access token' }] },
});
