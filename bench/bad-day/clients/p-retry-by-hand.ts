import pRetry, { AbortError } from 'p-retry';
import { type Client, PATIENCE, type Question } from '../client.ts';
import { chatInit, chatUrl, readChat } from './chat-by-hand.ts';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a careful program writes: codes that are final, the hint as the shortest wait, and the whole answer within the retry. */
async function send(origin: string, question: Question, isShown: () => boolean): Promise<string> {
  const response = await fetch(chatUrl(origin), chatInit(question));
  if (response.ok)
    return readChat(response, question, true).catch((error: unknown) => {
      throw isShown() ? new AbortError(String(error)) : error;
    });
  const text = await response.text();
  const isFinal = response.status < 500 && ![408, 409, 429].includes(response.status);
  if (isFinal || text.includes('insufficient_quota')) throw new AbortError(text);
  const hintMs = Number(response.headers.get('retry-after')) * 1_000;
  if (hintMs > PATIENCE.longestHintMs) throw new AbortError(text);
  if (hintMs > 0) await after(hintMs * (1 + Math.random() * 0.1));
  throw new Error(text);
}

const waits = { minTimeout: PATIENCE.firstDelayMs, maxTimeout: PATIENCE.longestDelayMs, randomize: true };

export default {
  name: '30 lines over p-retry',
  package: 'p-retry',
  api: 'chat',
  documentation: 'this file',
  settings: [
    {
      name: 'best',
      create: (origin) => ({
        ask(question) {
          let pieces = 0;
          const show = (piece: string): void => question.show(((pieces += 1), piece));
          const asked = { ...question, show };
          return pRetry(() => send(origin, asked, () => pieces > 0), { retries: PATIENCE.retries, ...waits });
        },
      }),
    },
  ],
} satisfies Client;
