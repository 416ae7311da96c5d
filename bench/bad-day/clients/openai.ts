import OpenAI, { type ClientOptions } from 'openai';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program } from '../client.ts';

const model = 'gpt-5';

/** The Chat API over the SDK. */
export function openaiChat(origin: string, options: ClientOptions = {}): Program {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, ...options });
  return {
    async ask({ prompt, isStreamed, show }) {
      const messages = [{ role: 'user' as const, content: prompt }];
      if (!isStreamed)
        return (await client.chat.completions.create({ model, messages })).choices[0]?.message.content ?? '';
      let whole = '';
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
        const piece = chunk.choices[0]?.delta.content ?? '';
        if (piece !== '') show(piece);
        whole += piece;
      }
      return whole;
    },
    callTool: (body) => client.post(`${origin}/mcp`, { body: JSON.parse(body) }),
  };
}

export default {
  name: 'openai (Chat)',
  package: 'openai',
  api: 'chat',
  documentation: 'https://github.com/openai/openai-node#retries',
  settings: defaultsAndBest(openaiChat, { maxRetries: PATIENCE.retries }),
} satisfies Client;
