import { createKeyRotation, createRetryFetch } from 'retry-transport';

// Create it once: all calls share what it knows about the keys.
const fallback = createKeyRotation({ keys: ['first-key', 'second-key', 'third-key'] });

const fetch = createRetryFetch({ fallback });
const response = await fetch('https://api.openai.com/v1/models');
console.log(response.status);
