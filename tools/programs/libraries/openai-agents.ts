import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

const agent = new Agent({ name: 'Greeter', instructions: 'You greet.', model: 'gpt-5' });

function runner(question: Question): Runner {
  const openAIClient = new OpenAI({
    apiKey: API_KEY,
    baseURL: `${question.baseUrl}/v1`,
    ...maxRetriesOf(question),
    ...fetchOf(question),
  });
  return new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
}

export const openaiAgents: readonly Library[] = [
  {
    name: 'openai agents',
    api: 'responses',
    isStreamed: false,
    retry: recommended.openai,
    run: async (question) => (await runner(question).run(agent, PROMPT)).finalOutput ?? '',
  },
  {
    name: 'openai agents stream',
    api: 'responses',
    isStreamed: true,
    retry: recommended.openai,
    async run(question) {
      const result = await runner(question).run(agent, PROMPT, { stream: true });
      let text = '';
      for await (const part of result.toTextStream()) text += part;
      await result.completed;
      return text;
    },
  },
];
