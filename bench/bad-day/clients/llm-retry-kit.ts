import { llmRetry, llmRetryStream } from 'llm-retry-kit';
import OpenAI from 'openai';
import { type Client, KEY, type Program } from '../client.ts';

const model = 'gpt-5';
type Given = { readonly signal?: AbortSignal | null };

/** The examples of its README, over the openai SDK without its own retries. */
function kit(origin: string, options: { readonly maxRetries?: number; readonly maxDelayMs?: number }): Program {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, maxRetries: 0 });
  return {
    async ask({ prompt, isStreamed, show }) {
      const messages = [{ role: 'user' as const, content: prompt }];
      if (!isStreamed) {
        const fn = async ({ signal = null }: Given) => {
          const completion = await client.chat.completions.create({ model, messages }, { signal });
          return { data: completion.choices[0]?.message.content ?? '' };
        };
        return (await llmRetry({ fn, ...options })).data;
      }
      const stream = ({ signal = null }: Given) =>
        client.chat.completions.create({ model, messages, stream: true }, { signal });
      let whole = '';
      for await (const chunk of llmRetryStream({ stream, ...options }).stream) {
        const piece = chunk.choices[0]?.delta.content ?? '';
        show(piece);
        whole += piece;
      }
      return whole;
    },
  };
}

export default {
  name: 'llm-retry-kit',
  package: 'llm-retry-kit',
  api: 'chat',
  documentation: 'https://github.com/JavadRostami3/llm-retry-kit#readme',
  settings: [
    { name: 'defaults', create: (origin) => kit(origin, {}) },
    { name: 'best', create: (origin) => kit(origin, { maxRetries: 6, maxDelayMs: 60_000 }) },
  ],
} satisfies Client;
