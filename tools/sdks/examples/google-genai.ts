import { GoogleGenAI } from '@google/genai';
import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch({ baseDelayMs: 500, maxRetries: 8, maxRetryAfterMs: 120_000 });
const client = new GoogleGenAI({ httpOptions: { fetch } });

const stream = await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'Say hello.' });
for await (const chunk of stream) process.stdout.write(chunk.text ?? '');
