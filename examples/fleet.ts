import { createRetryFetch, presets, createGate } from 'retry-transport';

// Create it once per process: all calls share its gate.
const fetch = createRetryFetch({ ...presets.fleet, gate: createGate() });

const response = await fetch('https://api.openai.com/v1/models', { headers: { authorization: 'Bearer your-key' } });
console.log(response.status);
