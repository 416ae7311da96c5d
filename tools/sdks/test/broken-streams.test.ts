/**
 * The unmodified SDKs over real sockets, with a stream that breaks after its first words in five ways: held to its end
 * it is asked for again, and watched it is an error, never a short answer.
 */

import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { type AnswerOptions, createRetryFetch } from '../../../src/index.ts';
import { type Served, serve } from '../../../test/serve.ts';
import { type Api, readRequest, REPLY, streamedAnswer } from '../apis.ts';
import { aiAnthropic, aiOpenAI, aiOpenAIChat } from '../clients/ai-sdk.ts';
import { anthropic } from '../clients/anthropic.ts';
import type { Client } from '../clients/client.ts';
import { openaiChat, openaiResponses } from '../clients/openai.ts';

type Fault = 'reset' | 'early end' | 'stall' | 'only pings' | 'error in the stream';

const faults: readonly Fault[] = ['reset', 'early end', 'stall', 'only pings', 'error in the stream'];
const clients: readonly Client[] = [openaiChat, openaiResponses, anthropic, aiOpenAI, aiOpenAIChat, aiAnthropic];

/** A server that has stalled sends its pings this often. */
const PING_MS = 60;
const watched = { idleTimeoutMs: 200, outputTimeoutMs: 400 } satisfies AnswerOptions;
/** More than the limits, the wait before a retry and a busy machine need. */
const MOST_MS = 3_000;

/** The protocols have no ping in common; a comment is one in each. */
const PING = ': ping\n\n';

const errors: Readonly<Record<Api, object>> = {
  chat: { error: { message: 'The server is overloaded.', type: 'server_error', code: 'server_is_overloaded' } },
  // The SDK hands a `response.failed` on as an event, which is for its user to read.
  responses: { type: 'error', code: 'server_error', message: 'Overloaded.', param: null, sequence_number: 5 },
  messages: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  gemini: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
};

let server: Served | undefined;
afterEach(() => server?.close());

interface Scene {
  readonly baseUrl: string;
  readonly requests: readonly Api[];
}

/** The first stream has the fault after its first words; the others are whole. */
async function play(fault: Fault): Promise<Scene> {
  const requests: Api[] = [];
  server = await serve((request, response, body) => {
    const api = readRequest(request.url ?? '', body.toString())?.api;
    if (api === undefined) return response.writeHead(404).end();
    requests.push(api);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = streamedAnswer(api);
    if (requests.length > 1) return response.end(events.join(''));
    const begun = events.findIndex((event) => event.includes('Hello, '));
    return response.write(events.slice(0, begun + 1).join(''), () => breakOff(fault, api, response));
  });
  return { baseUrl: server.origin, requests };
}

function breakOff(fault: Fault, api: Api, response: ServerResponse): void {
  switch (fault) {
    case 'reset':
      // After the client has read the first words.
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
      return;
    case 'early end':
      response.end();
      return;
    case 'stall':
      return;
    case 'only pings': {
      const pings = setInterval(() => response.write(PING), PING_MS);
      response.on('close', () => clearInterval(pings));
      return;
    }
    case 'error in the stream': {
      const name = 'type' in errors[api] ? `event: ${String(errors[api].type)}\n` : '';
      response.end(`${name}data: ${JSON.stringify(errors[api])}\n\n`);
      return;
    }
  }
}

function ask(client: Client, { baseUrl }: Scene, answers: AnswerOptions): Promise<string> {
  const fetch = createRetryFetch({ baseDelayMs: 1, answers });
  return client.stream({ baseUrl, fetch, ownRetries: 'off' });
}

for (const client of clients) {
  test.each(faults)(`${client.name} has the whole answer, held to its end, after: %s`, async (fault) => {
    const scene = await play(fault);
    expect(await ask(client, scene, { ...watched, holdUntil: 'end' })).toBe(REPLY);
    expect(scene.requests).toHaveLength(2);
  });

  test.each(faults)(`${client.name} has an error, and never a short answer, watched, after: %s`, async (fault) => {
    const scene = await play(fault);
    const startedAt = performance.now();
    const error: unknown = await ask(client, scene, watched).then(
      (text) => `It answered ${JSON.stringify(text)}.`,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect(saidBy(error)).toMatch(EXPECTED[fault]);
    expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
    expect(scene.requests).toHaveLength(1);
  });
}

const EXPECTED: Readonly<Record<Fault, RegExp>> = {
  reset: /terminated|reset|other side closed/i,
  'early end': /ended before the answer was complete/,
  stall: /200 ?ms/,
  'only pings': /400 ?ms/,
  'error in the stream': /overloaded|server_error/i,
};

/** The messages of an error and of its causes. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const more = 'error' in error ? JSON.stringify(error.error) : '';
  return [error.message, more, error.cause === undefined ? '' : saidBy(error.cause)].join(' ');
}
