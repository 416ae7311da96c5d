import { GoogleGenAI } from '@google/genai';
import { createRetryFetch } from 'retry-transport';

const client = new GoogleGenAI({ httpOptions: { fetch: createRetryFetch() } });

const stream = await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'Say hello.' });
for await (const chunk of stream) process.stdout.write(chunk.text ?? '');
