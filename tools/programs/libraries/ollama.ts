import { Ollama } from 'ollama';
import { standard } from '../../sdks/recommended.ts';
import { fetchOf, joined, type Library, PROMPT, type Question } from './library.ts';

const request = { model: 'llama3.2', messages: [{ role: 'user', content: PROMPT }] };

/** It never retries. */
function client(question: Question): Ollama {
  return new Ollama({ host: question.baseUrl, ...fetchOf(question) });
}

export const ollama: readonly Library[] = [
  {
    name: 'ollama chat',
    api: 'ollama',
    isStreamed: false,
    retry: standard,
    run: async (question) => (await client(question).chat({ ...request, stream: false })).message.content,
  },
  {
    name: 'ollama chat stream',
    api: 'ollama',
    isStreamed: true,
    retry: standard,
    run: async (question) =>
      joined(await client(question).chat({ ...request, stream: true }), (part) => part.message.content),
  },
];
