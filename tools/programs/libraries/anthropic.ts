import Anthropic from '@anthropic-ai/sdk';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

const request = { model: 'claude-sonnet-5', max_tokens: 64, messages: [{ role: 'user' as const, content: PROMPT }] };

function client(question: Question): Anthropic {
  return new Anthropic({
    apiKey: API_KEY,
    baseURL: question.baseUrl,
    ...maxRetriesOf(question),
    ...fetchOf(question),
  });
}

export const anthropic: readonly Library[] = [
  {
    name: 'anthropic messages',
    api: 'messages',
    isStreamed: false,
    retry: recommended['@anthropic-ai/sdk'],
    async run(question) {
      const [block] = (await client(question).messages.create(request)).content;
      return block?.type === 'text' ? block.text : '';
    },
  },
  {
    name: 'anthropic messages stream',
    api: 'messages',
    isStreamed: true,
    retry: recommended['@anthropic-ai/sdk'],
    run: (question) => client(question).messages.stream(request).finalText(),
  },
];
