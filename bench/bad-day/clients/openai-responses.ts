import OpenAI from 'openai';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program } from '../client.ts';

function responses(origin: string, maxRetries?: number): Program {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, ...(maxRetries !== undefined && { maxRetries }) });
  return {
    async ask({ prompt: input, isStreamed, show }) {
      if (!isStreamed) return (await client.responses.create({ model: 'gpt-5', input })).output_text;
      let whole = '';
      for await (const event of await client.responses.create({ model: 'gpt-5', input, stream: true })) {
        if (event.type === 'response.failed') throw new Error(event.response.error?.message);
        if (event.type !== 'response.output_text.delta') continue;
        show(event.delta);
        whole += event.delta;
      }
      return whole;
    },
  };
}

export default {
  name: 'openai (Responses)',
  package: 'openai',
  api: 'responses',
  documentation: 'https://github.com/openai/openai-node#retries',
  settings: defaultsAndBest(responses, PATIENCE.retries),
} satisfies Client;
