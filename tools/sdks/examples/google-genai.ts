import { GoogleGenAI } from '@google/genai';
import { createRetryFetch, presets } from 'retry-transport';

const fetch = createRetryFetch(presets.recommended);
const client = new GoogleGenAI({ httpOptions: { fetch } });

const stream = await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'Say hello.' });
for await (const chunk of stream) process.stdout.write(chunk.text ?? '');
