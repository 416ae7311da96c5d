/** `@anthropic-ai/sdk`: the Messages API. */

import Anthropic, { APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { API_KEY, type Client, joined, PROMPT, type Question } from './client.ts';

const REQUEST = {
  model: 'claude-sonnet-5',
  max_tokens: 64,
  messages: [{ role: 'user', content: PROMPT }],
} satisfies Anthropic.MessageCreateParams;

export const anthropic: Client = {
  name: '`@anthropic-ai/sdk`, `messages.create`',
  package: '@anthropic-ai/sdk',
  api: 'messages',
  async ask(question) {
    const message = await open(question).messages.create(REQUEST, { signal: question.signal });
    return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
  async stream(question) {
    const events = await open(question).messages.create({ ...REQUEST, stream: true }, { signal: question.signal });
    return joined(events, (event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : undefined,
    );
  },
  readError(error) {
    if (!(error instanceof APIError)) return undefined;
    return { status: error.status, text: `${error.message} ${JSON.stringify(error.error)}` };
  },
  isAbort: (error) => error instanceof APIUserAbortError,
};

function open({ baseUrl, fetch, ownRetries, timeoutMs }: Question): Anthropic {
  return new Anthropic({
    apiKey: API_KEY,
    baseURL: baseUrl,
    fetch,
    ...(ownRetries === 'off' ? { maxRetries: 0 } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
}
