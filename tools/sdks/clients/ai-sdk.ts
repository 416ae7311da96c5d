/** `ai` with three of its providers. Its retries are set per call, in `generateText` and `streamText`. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, type LanguageModel, RetryError, streamText } from 'ai';
import type { Api } from '../../../bench/apis.ts';
import { API_KEY, type Client, joined, PROMPT, type Question } from './client.ts';

const provider = ({ baseUrl, fetch }: Question, path: string) => ({
  apiKey: API_KEY,
  baseURL: baseUrl + path,
  ...(fetch === undefined ? {} : { fetch }),
});

export const aiOpenAI: Client = client('@ai-sdk/openai', 'responses', (question) =>
  createOpenAI(provider(question, '/v1'))('gpt-5'),
);
export const aiOpenAIChat: Client = client('@ai-sdk/openai', 'chat', (question) =>
  createOpenAI(provider(question, '/v1')).chat('gpt-5'),
);
export const aiAnthropic: Client = client('@ai-sdk/anthropic', 'messages', (question) =>
  createAnthropic(provider(question, '/v1'))('claude-sonnet-5'),
);
export const aiGoogle: Client = client('@ai-sdk/google', 'gemini', (question) =>
  createGoogle(provider(question, '/v1beta'))('gemini-2.5-flash'),
);

function client(name: string, api: Api, model: (question: Question) => LanguageModel): Client {
  const options = (question: Question) => ({
    model: model(question),
    prompt: PROMPT,
    ...(question.ownRetries === 'off' ? { maxRetries: 0 } : {}),
    ...(question.signal === undefined ? {} : { abortSignal: question.signal }),
  });
  return {
    name: `\`ai\` with \`${name}\`${name === '@ai-sdk/openai' ? `, ${api}` : ''}`,
    package: 'ai',
    api,
    ask: async (question) => (await generateText(options(question))).text,
    stream: (question) =>
      // Without a listener the errors are also printed.
      joined(streamText({ ...options(question), onError: () => {} }).fullStream, (part) => {
        if (part.type === 'error') throw part.error;
        if (part.type === 'abort') throw question.signal?.reason;
        return part.type === 'text-delta' ? part.text : undefined;
      }),
    readError(error) {
      const last = RetryError.isInstance(error) ? error.lastError : error;
      if (!APICallError.isInstance(last)) return undefined;
      return { status: last.statusCode, text: `${last.message} ${last.responseBody}` };
    },
    isAbort: (error) => error instanceof Error && error.name === 'AbortError',
  };
}
