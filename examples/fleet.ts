import { createRetryFetch, presets } from 'retry-transport';

// One fleet per process, made once: its gate is what the calls share.
const fetch = createRetryFetch(undefined, presets.fleet());

const response = await fetch('https://api.openai.com/v1/models', { headers: { authorization: 'Bearer your-key' } });
console.log(response.status);
