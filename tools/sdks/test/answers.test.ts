/**
 * The unmodified SDKs over real sockets. A whole answer is handed on as it is. A page of HTML and a stream that breaks after
 * its first words are errors that say so, never a short answer; held to its end, such a stream is asked for again. Over a
 * bare fetch most of them take a cut answer and a page for an answer.
 */

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Api, answerOf, eventsOf, readRequest } from '../../../bench/apis.ts';
import { type AnswerOptions, createRetryFetch, type RetryEvent } from '../../../src/index.ts';
import { playing, type Served, serve } from '../../../test/serve.ts';
import { aiGoogle } from '../clients/ai-sdk.ts';
import { googleGenAI } from '../clients/google-genai.ts';
import { type Client, clients as all, REPLY } from '../clients/index.ts';
import { kyChat } from '../clients/ky.ts';
import { langchain } from '../clients/langchain.ts';

const FAULTS = ['reset', 'early end', 'stall', 'only pings', 'error in the stream'] as const;
type Fault = (typeof FAULTS)[number];
type Played = 'whole' | 'reset after the end' | 'page' | 'login page' | Fault;

/** The SDKs of the providers, and ai. */
const clients: readonly Client[] = all.filter((client) => client !== langchain && client !== kyChat);

/** A server that has stalled sends its pings this often. The protocols have none in common; a comment is one in each. */
const PING_MS = 60;
const PING = ': ping\n\n';
/** By then the client has read what came before. */
const UNTIL_READ_MS = 50;
const watched = { idleTimeoutMs: 200, outputTimeoutMs: 400 } satisfies AnswerOptions;
/** More than the limits, the wait before a retry and a busy machine need. */
const MOST_MS = 20_000;
const PAGE = '<!DOCTYPE html><html><head><title>Blocked by Example Proxy</title></head><body><p>No</p></body></html>';

const ERRORS: Readonly<Record<Api, object>> = {
  chat: { error: { message: 'The server is overloaded.', type: 'server_error', code: 'server_is_overloaded' } },
  // The SDK hands a `response.failed` on as an event, which is for its user to read.
  responses: { type: 'error', code: 'server_error', message: 'Overloaded.', param: null, sequence_number: 5 },
  messages: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  gemini: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
};

let server: Served | undefined;
afterEach(() => server?.close());

interface Asked {
  /** The text of the answer, or what the SDK throws. */
  readonly outcome: unknown;
  readonly requests: number;
  readonly events: readonly RetryEvent['type'][];
}

/** A page comes each time; after a stream with a fault, the others are whole. */
async function ask(client: Client, played: Played, how: 'ask' | 'stream', answers: AnswerOptions = {}): Promise<Asked> {
  let requests = 0;
  server = await serve((request, response, body) => {
    if (request.url === '/login') return sendPage(response);
    const read = readRequest(request.url ?? '', body.toString());
    if (read === undefined) return response.writeHead(404).end();
    requests += 1;
    if (played === 'page') return sendPage(response);
    if (played === 'login page') return response.writeHead(302, { location: '/login' }).end();
    if (!read.isStreamed || requests > 1)
      return playing(answerOf(read.api, REPLY, read.isStreamed))(request, response, body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return stream(response, played, read.api);
  });
  const events: RetryEvent['type'][] = [];
  const fetch = createRetryFetch({ baseDelayMs: 1, answers, onEvent: ({ type }) => void events.push(type) });
  const outcome: unknown = await client[how]({ baseUrl: server.origin, fetch, ownRetries: 'off' }).catch(
    (error: unknown) => error,
  );
  return { outcome, requests, events };
}

const sendPage = (response: ServerResponse): unknown =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);

function stream(response: ServerResponse, played: Exclude<Played, 'page' | 'login page'>, api: Api): unknown {
  const events = eventsOf(api, REPLY);
  const begun = events.slice(0, events.findIndex((event) => event.includes('Hello, ')) + 1).join('');
  const reset = async (): Promise<void> => {
    await sleep(UNTIL_READ_MS);
    // The client is in this process: on a busy machine it reads in the next turns.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    response.socket?.resetAndDestroy();
  };
  switch (played) {
    case 'whole':
      return response.end(events.join(''));
    case 'reset after the end':
      return response.write(events.join(''), () => void reset());
    case 'reset':
      return response.write(begun, () => void reset());
    case 'early end':
      return response.end(begun);
    case 'stall':
      return response.write(begun);
    case 'only pings': {
      response.write(begun);
      const pings = setInterval(() => response.write(PING), PING_MS);
      return response.on('close', () => clearInterval(pings));
    }
    case 'error in the stream': {
      const name = 'type' in ERRORS[api] ? `event: ${String(ERRORS[api].type)}\n` : '';
      return response.end(`${begun}${name}data: ${JSON.stringify(ERRORS[api])}\n\n`);
    }
  }
}

describe.each(clients)('$name over a fetch with the defaults', (client) => {
  test.each(['ask', 'stream'] as const)('has a whole answer as it is: %s', async (how) => {
    expect(await ask(client, 'whole', how)).toEqual({ outcome: REPLY, requests: 1, events: [] });
  });

  test('has a whole answer whose connection is reset after its end', async () => {
    expect(await ask(client, 'reset after the end', 'stream')).toEqual({ outcome: REPLY, requests: 1, events: [] });
  });

  test('has an error in place of a cut answer', async () => {
    const { outcome, requests, events } = await ask(client, 'early end', 'stream');
    expect(saidBy(outcome)).toMatch(/ended before the answer was complete.*checkEnd/);
    expect([requests, events]).toEqual([1, ['broken']]);
  });

  test.each([
    ['ask', 'page'],
    ['stream', 'page'],
    ['ask', 'login page'],
    ['stream', 'login page'],
  ] as const)('has an error that a person understands: %s, %s', async (how, played) => {
    const { outcome, requests, events } = await ask(client, played, how);
    expect(saidBy(outcome)).toMatch(/A page of HTML answered: Blocked by Example Proxy.*network/);
    expect(saidBy(outcome)).not.toMatch(/<\w/);
    expect([requests, events]).toEqual([2, ['retry', 'attempt', 'failed']]);
  });
});

const EXPECTED: Readonly<Record<Fault, RegExp>> = {
  reset: /terminated|reset|other side closed/i,
  'early end': /ended before the answer was complete/,
  stall: /200 ?ms/,
  'only pings': /400 ?ms/,
  'error in the stream': /overloaded|server_error/i,
};

describe.each(clients.filter((client) => client !== aiGoogle && client !== googleGenAI))(
  '$name over a fetch that watches its streams',
  (client) => {
    test.each(FAULTS)('has the whole answer, held to its end, after: %s', async (fault) => {
      const { outcome, requests } = await ask(client, fault, 'stream', { ...watched, holdUntil: 'end' });
      expect([outcome, requests]).toEqual([REPLY, 2]);
    });

    test.each(FAULTS)('has an error, and never a short answer, watched, after: %s', async (fault) => {
      const startedAt = performance.now();
      const { outcome, requests } = await ask(client, fault, 'stream', watched);
      expect(outcome).toBeInstanceOf(Error);
      expect(saidBy(outcome)).toMatch(EXPECTED[fault]);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
      expect(requests).toBe(1);
    });
  },
);

/** The messages of an error and of its causes. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return `It answered ${JSON.stringify(error)}.`;
  const more = 'error' in error ? JSON.stringify(error.error) : '';
  return [error.message, more, error.cause === undefined ? '' : saidBy(error.cause)].join(' ');
}
