import { ChatOpenAI } from '@langchain/openai';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program } from '../client.ts';

function langchain(origin: string, maxRetries?: number): Program {
  const retries = maxRetries === undefined ? {} : { maxRetries };
  const model = new ChatOpenAI({ model: 'gpt-5', apiKey: KEY, configuration: { baseURL: `${origin}/v1` }, ...retries });
  return {
    async ask({ prompt, isStreamed, show }) {
      if (!isStreamed) return (await model.invoke(prompt)).text;
      let whole = '';
      for await (const chunk of await model.stream(prompt)) {
        if (chunk.text !== '') show(chunk.text);
        whole += chunk.text;
      }
      return whole;
    },
  };
}

export default {
  name: '@langchain/openai',
  package: '@langchain/openai',
  api: 'chat',
  documentation: 'https://docs.langchain.com/oss/javascript/langchain/models',
  settings: defaultsAndBest(langchain, PATIENCE.retries),
} satisfies Client;
