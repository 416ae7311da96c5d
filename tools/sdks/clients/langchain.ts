/** `@langchain/openai`. It has its own retries, and switches off those of the `openai` package below it. */

import { ChatOpenAI } from '@langchain/openai';
import { API_KEY, type Client, joined, PROMPT, type Question } from './client.ts';
import { readOpenAIError } from './openai.ts';

export const langchain: Client = {
  name: '`@langchain/openai`',
  package: '@langchain/openai',
  api: 'chat',
  ask: async (question) => (await open(question).invoke(PROMPT, abortable(question))).text,
  stream: async (question) => joined(await open(question).stream(PROMPT, abortable(question)), (chunk) => chunk.text),
  readError: readOpenAIError,
  isAbort: (error) => error instanceof Error && error.name === 'AbortError',
};

const abortable = ({ signal }: Question) => (signal === undefined ? {} : { signal });

function open({ baseUrl, fetch, ownRetries, timeoutMs }: Question): ChatOpenAI {
  return new ChatOpenAI({
    model: 'gpt-5',
    apiKey: API_KEY,
    configuration: { baseURL: `${baseUrl}/v1`, ...(fetch === undefined ? {} : { fetch }) },
    ...(ownRetries === 'off' ? { maxRetries: 0 } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
}
