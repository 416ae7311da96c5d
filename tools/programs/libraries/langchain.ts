import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage } from '@langchain/core/messages';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

function chatOpenAI(question: Question): ChatOpenAI {
  return new ChatOpenAI({
    model: 'gpt-4o',
    apiKey: API_KEY,
    ...maxRetriesOf(question),
    configuration: { baseURL: `${question.baseUrl}/v1`, ...fetchOf(question) },
  });
}

function chatAnthropic(question: Question): ChatAnthropic {
  return new ChatAnthropic({
    model: 'claude-sonnet-5',
    apiKey: API_KEY,
    anthropicApiUrl: question.baseUrl,
    ...maxRetriesOf(question),
    clientOptions: { ...fetchOf(question) },
  });
}

export const langchain: readonly Library[] = [
  {
    name: 'langchain ChatOpenAI',
    api: 'chat',
    isStreamed: false,
    retry: recommended['@langchain/openai'],
    run: async (question) => (await chatOpenAI(question).invoke(PROMPT)).text,
  },
  {
    name: 'langchain ChatOpenAI stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended['@langchain/openai'],
    run: async (question) => joined(await chatOpenAI(question).stream(PROMPT), (chunk) => chunk.text),
  },
  {
    name: 'langchain ChatAnthropic',
    api: 'messages',
    isStreamed: false,
    retry: recommended['@langchain/openai'],
    run: async (question) => (await chatAnthropic(question).invoke(PROMPT)).text,
  },
  {
    name: 'langchain ChatAnthropic stream',
    api: 'messages',
    isStreamed: true,
    retry: recommended['@langchain/openai'],
    run: async (question) => joined(await chatAnthropic(question).stream(PROMPT), (chunk) => chunk.text),
  },
  {
    name: 'langgraph agent',
    api: 'chat',
    isStreamed: false,
    retry: recommended['@langchain/openai'],
    async run(question) {
      const agent = createReactAgent({ llm: chatOpenAI(question), tools: [] });
      const { messages } = await agent.invoke({ messages: [new HumanMessage(PROMPT)] });
      return messages.at(-1)?.text ?? '';
    },
  },
];
