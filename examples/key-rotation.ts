import { createKeyRotation, createRetryFetch } from 'retry-transport';

// Made once: the calls that share it share what it knows of the keys.
const fallback = createKeyRotation({ keys: ['first-key', 'second-key', 'third-key'] });

const fetch = createRetryFetch(undefined, { fallback });
const response = await fetch('https://api.openai.com/v1/models');
console.log(response.status);
