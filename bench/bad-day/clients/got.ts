import got, { type OptionsInit, type Request } from 'got';
import { type Client, defaultsAndBest, PATIENCE, type Program, type Question } from '../client.ts';
import { chatBody, chatHeaders, chatUrl, readEvents } from './chat-by-hand.ts';

/** By its page: a stream is retried only where a program listens, and reads the new stream. */
async function read(stream: Request, question: Question): Promise<string> {
  const next: Request[] = [];
  stream.once('retry', (_count, _error, create: () => Request) => void next.push(create()));
  return readEvents(stream, question).catch((error: unknown) => {
    const [again] = next;
    if (again === undefined) throw error;
    return read(again, question);
  });
}

function overGot(origin: string, options?: OptionsInit): Program {
  const post = (body: string) => ({ method: 'POST' as const, headers: chatHeaders, body, ...options });
  return {
    async ask(question) {
      const url = chatUrl(origin);
      if (question.isStreamed) return read(got.stream(url, post(chatBody(question))), question);
      const body: { choices: { message: { content: string } }[] } = await got(url, post(chatBody(question))).json();
      return body.choices[0]?.message.content ?? '';
    },
    callTool: (body) => got(`${origin}/mcp`, post(body)).text(),
  };
}

/** A POST is not retried by default. */
const { retries, longestDelayMs, longestHintMs } = PATIENCE;
const best: OptionsInit = {
  retry: { limit: retries, methods: ['POST'], backoffLimit: longestDelayMs, maxRetryAfter: longestHintMs },
};
export default {
  name: 'got',
  package: 'got',
  api: 'chat',
  documentation: 'https://github.com/sindresorhus/got/blob/main/documentation/7-retry.md',
  settings: defaultsAndBest(overGot, best),
} satisfies Client;
