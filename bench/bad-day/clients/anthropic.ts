import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program } from '../client.ts';

export function anthropicMessages(origin: string, options: ClientOptions = {}): Program {
  const client = new Anthropic({ apiKey: KEY, baseURL: origin, ...options });
  return {
    async ask({ prompt, isStreamed, show }) {
      const request = {
        model: 'claude-sonnet-5',
        max_tokens: 64,
        messages: [{ role: 'user' as const, content: prompt }],
      };
      if (isStreamed) return client.messages.stream(request).on('text', show).finalText();
      const [block] = (await client.messages.create(request)).content;
      return block?.type === 'text' ? block.text : '';
    },
  };
}

export default {
  name: '@anthropic-ai/sdk',
  package: '@anthropic-ai/sdk',
  api: 'messages',
  documentation: 'https://github.com/anthropics/anthropic-sdk-typescript#retries',
  settings: defaultsAndBest(anthropicMessages, { maxRetries: PATIENCE.retries }),
} satisfies Client;
