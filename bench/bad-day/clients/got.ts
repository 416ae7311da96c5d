import got, { type OptionsInit } from 'got';
import type { Client, Program, Question } from '../client.ts';
import { chatBody, chatHeaders, chatUrl, readEvents } from './chat-by-hand.ts';

const post = (question: Question) => ({ method: 'POST' as const, headers: chatHeaders, body: chatBody(question) });

function overGot(origin: string, options: OptionsInit): Program {
  return {
    async ask(question) {
      const url = chatUrl(origin);
      if (question.isStreamed) return readEvents(got.stream(url, { ...post(question), ...options }), question);
      const body: { choices: { message: { content: string } }[] } = await got(url, {
        ...post(question),
        ...options,
      }).json();
      return body.choices[0]?.message.content ?? '';
    },
    callTool: (body) =>
      got(`${origin}/mcp`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        ...options,
      }).text(),
  };
}

/** A POST is not retried by default. */
const best: OptionsInit = { retry: { limit: 6, methods: ['POST'], maxRetryAfter: 120_000 } };
export default {
  name: 'got',
  package: 'got',
  api: 'chat',
  documentation: 'https://github.com/sindresorhus/got/blob/main/documentation/7-retry.md',
  settings: [
    { name: 'defaults', create: (origin) => overGot(origin, {}) },
    { name: 'best', create: (origin) => overGot(origin, best) },
  ],
} satisfies Client;
