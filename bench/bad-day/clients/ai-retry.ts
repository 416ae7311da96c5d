import { createRetryableModel, error } from 'ai-retry/language-model';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { askModel, chatModel } from './ai-sdk.ts';

/** The example of its README, with the AI SDK's own retries off as it says. */
function retryable(origin: string, options: { readonly maxAttempts?: number; readonly delay?: number } = {}): Program {
  const retry = { delay: 1_000, backoffFactor: 2, ...options };
  const model = createRetryableModel({ model: chatModel(origin), retries: [error.isRetryable(true).retry(retry)] });
  return { ask: (question) => askModel(model, question, { maxRetries: 0 }) };
}

export default {
  name: 'ai-retry',
  package: 'ai-retry',
  api: 'chat',
  documentation: 'https://github.com/zirkelc/ai-retry#usage',
  settings: defaultsAndBest(retryable, { maxAttempts: PATIENCE.retries + 1, delay: PATIENCE.firstDelayMs }),
} satisfies Client;
