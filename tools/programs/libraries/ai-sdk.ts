import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createCohere } from '@ai-sdk/cohere';
import { createGoogle } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, streamText, ToolLoopAgent } from 'ai';
import { recommended } from '../../sdks/recommended.ts';
import type { Api } from '../protocols.ts';
import { API_KEY, fetchOf, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

interface Provider {
  readonly name: string;
  readonly api: Api;
  readonly model: (question: Question) => LanguageModel;
}

const settings = (question: Question, path: string) => ({
  apiKey: API_KEY,
  baseURL: `${question.baseUrl}${path}`,
  ...fetchOf(question),
});

const providers: readonly Provider[] = [
  { name: 'openai', api: 'responses', model: (question) => createOpenAI(settings(question, '/v1'))('gpt-5') },
  { name: 'openai chat', api: 'chat', model: (question) => createOpenAI(settings(question, '/v1')).chat('gpt-5') },
  {
    name: 'openai-compatible',
    api: 'chat',
    model: (question) => createOpenAICompatible({ name: 'local', ...settings(question, '/v1') })('llama'),
  },
  {
    name: 'anthropic',
    api: 'messages',
    model: (question) => createAnthropic(settings(question, '/v1'))('claude-sonnet-5'),
  },
  {
    name: 'google',
    api: 'gemini',
    model: (question) => createGoogle(settings(question, '/v1beta'))('gemini-2.5-flash'),
  },
  {
    name: 'mistral',
    api: 'chat',
    model: (question) => createMistral(settings(question, '/v1'))('mistral-large-latest'),
  },
  { name: 'groq', api: 'chat', model: (question) => createGroq(settings(question, '/v1'))('llama-3.3-70b-versatile') },
  { name: 'cohere', api: 'cohere', model: (question) => createCohere(settings(question, '/v2'))('command-a-03-2025') },
  {
    name: 'amazon-bedrock',
    api: 'bedrock',
    model: (question) =>
      createAmazonBedrock({ ...settings(question, ''), region: 'us-east-1' })('anthropic.claude-sonnet-4'),
  },
];

export const aiSdk: readonly Library[] = [
  ...providers.flatMap(({ name, api, model }): readonly Library[] => [
    {
      name: `ai generateText ${name}`,
      api,
      isStreamed: false,
      retry: recommended.ai,
      async run(question) {
        const { text } = await generateText({ model: model(question), prompt: PROMPT, ...maxRetriesOf(question) });
        return text;
      },
    },
    {
      name: `ai streamText ${name}`,
      api,
      isStreamed: true,
      retry: recommended.ai,
      run: (question) => streamedText(model(question), question),
    },
  ]),
  {
    name: 'ai ToolLoopAgent',
    api: 'responses',
    isStreamed: false,
    retry: recommended.ai,
    async run(question) {
      const agent = new ToolLoopAgent({
        model: createOpenAI(settings(question, '/v1'))('gpt-5'),
        ...maxRetriesOf(question),
      });
      return (await agent.generate({ prompt: PROMPT })).text;
    },
  },
];

/** `streamText` reports its error to `onError`, and ends its text stream without it. */
async function streamedText(model: LanguageModel, question: Question): Promise<string> {
  let failure: { readonly error: unknown } | undefined;
  const { textStream } = streamText({
    model,
    prompt: PROMPT,
    ...maxRetriesOf(question),
    onError: ({ error }) => {
      failure = { error };
    },
  });
  let text = '';
  for await (const part of textStream) text += part;
  if (failure !== undefined) throw failure.error;
  return text;
}
