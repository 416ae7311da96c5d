/** `openai`: both of its APIs, chat completions and responses. */

import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { API_KEY, type Client, joined, PROMPT, type Question, type SdkError } from './client.ts';

const MODEL = 'gpt-5';
const isOpenAIAbort = (error: unknown): boolean => error instanceof APIUserAbortError;

export const openaiChat: Client = {
  name: '`openai`, chat completions',
  package: 'openai',
  api: 'chat',
  async ask(question) {
    const completion = await open(question).chat.completions.create(
      { model: MODEL, messages: [{ role: 'user', content: PROMPT }] },
      { signal: question.signal },
    );
    return completion.choices[0]?.message.content ?? '';
  },
  async stream(question) {
    const chunks = await open(question).chat.completions.create(
      { model: MODEL, messages: [{ role: 'user', content: PROMPT }], stream: true },
      { signal: question.signal },
    );
    return joined(chunks, (chunk) => chunk.choices[0]?.delta.content);
  },
  readError: readOpenAIError,
  isAbort: isOpenAIAbort,
};

export const openaiResponses: Client = {
  name: '`openai`, responses',
  package: 'openai',
  api: 'responses',
  async ask(question) {
    const answer = await open(question).responses.create({ model: MODEL, input: PROMPT }, { signal: question.signal });
    return answer.output_text;
  },
  async stream(question) {
    const events = await open(question).responses.create(
      { model: MODEL, input: PROMPT, stream: true },
      { signal: question.signal },
    );
    return joined(events, (event) => (event.type === 'response.output_text.delta' ? event.delta : undefined));
  },
  readError: readOpenAIError,
  isAbort: isOpenAIAbort,
};

export function readOpenAIError(error: unknown): SdkError | undefined {
  if (!(error instanceof APIError)) return undefined;
  return { status: error.status, text: `${error.message} ${JSON.stringify(error.error)}` };
}

function open({ baseUrl, fetch, ownRetries, timeoutMs }: Question): OpenAI {
  return new OpenAI({
    apiKey: API_KEY,
    baseURL: `${baseUrl}/v1`,
    fetch,
    ...(ownRetries === 'off' ? { maxRetries: 0 } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
}
