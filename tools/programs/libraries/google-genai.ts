import { GoogleGenAI } from '@google/genai';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, PROMPT, type Question } from './library.ts';

const request = { model: 'gemini-2.5-flash', contents: PROMPT };

/** Makes one attempt by default. */
function client(question: Question): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: API_KEY,
    httpOptions: {
      baseUrl: question.baseUrl,
      ...(question.ownRetries === 'off' ? {} : { retryOptions: {} }),
      ...fetchOf(question),
    },
  });
}

export const googleGenai: readonly Library[] = [
  {
    name: 'google genai',
    api: 'gemini',
    isStreamed: false,
    retry: recommended['@google/genai'],
    run: async (question) => (await client(question).models.generateContent(request)).text ?? '',
  },
  {
    name: 'google genai stream',
    api: 'gemini',
    isStreamed: true,
    retry: recommended['@google/genai'],
    run: async (question) =>
      joined(await client(question).models.generateContentStream(request), (chunk) => chunk.text),
  },
];
