/** `@google/genai`. It retries only if the number of attempts is set, so `on` sets the defaults of its documentation. */

import { ApiError, GoogleGenAI } from '@google/genai';
import { API_KEY, type Client, joined, PROMPT, type Question } from './client.ts';

const MODEL = 'gemini-2.5-flash';

export const googleGenAI: Client = {
  name: '`@google/genai`, `retryOptions: {}`',
  package: '@google/genai',
  api: 'gemini',
  async ask(question) {
    const answer = await open(question).models.generateContent({
      model: MODEL,
      contents: PROMPT,
      ...abortable(question),
    });
    return answer.text ?? '';
  },
  async stream(question) {
    const chunks = await open(question).models.generateContentStream({
      model: MODEL,
      contents: PROMPT,
      ...abortable(question),
    });
    return joined(chunks, (chunk) => chunk.text);
  },
  readError: (error) => (error instanceof ApiError ? { status: error.status, text: error.message } : undefined),
  isAbort: (error) => error instanceof Error && error.name === 'AbortError',
};

const abortable = ({ signal }: Question) => (signal === undefined ? {} : { config: { abortSignal: signal } });

function open({ baseUrl, fetch, ownRetries, timeoutMs }: Question): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: API_KEY,
    httpOptions: {
      baseUrl,
      ...(fetch === undefined ? {} : { fetch }),
      ...(ownRetries === 'off' ? {} : { retryOptions: {} }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    },
  });
}
