import { GoogleGenAI, type HttpOptions } from '@google/genai';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program } from '../client.ts';

function gemini(baseUrl: string, options: HttpOptions = {}): Program {
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl, ...options } });
  return {
    async ask({ prompt: contents, isStreamed, show }) {
      const request = { model: 'gemini-2.5-flash', contents };
      if (!isStreamed) return (await client.models.generateContent(request)).text ?? '';
      let whole = '';
      for await (const chunk of await client.models.generateContentStream(request)) {
        if (chunk.text !== undefined) show(chunk.text);
        whole += chunk.text ?? '';
      }
      return whole;
    },
  };
}

export default {
  name: '@google/genai',
  package: '@google/genai',
  api: 'gemini',
  documentation: 'https://googleapis.github.io/js-genai (HttpRetryOptions)',
  settings: defaultsAndBest(gemini, { retryOptions: { attempts: PATIENCE.retries + 1 } }),
} satisfies Client;
