/**
 * The unmodified SDKs over a fetch with the defaults: a cut answer and a page of HTML are errors that say so, and a whole
 * answer is not. Over a bare fetch most of them take both for an answer.
 */

import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createRetryFetch, type RetryEvent } from '../../../src/index.ts';
import { type Served, serve } from '../../../test/serve.ts';
import { type Api, readRequest, REPLY, streamedAnswer, wholeAnswer } from '../apis.ts';
import { type Client, clients as all } from '../clients/index.ts';
import { kyChat } from '../clients/ky.ts';
import { langchain } from '../clients/langchain.ts';

type Played = 'whole' | 'cut' | 'reset after the end' | 'page' | 'login page';

/** The SDKs of the providers, and ai. */
const clients: readonly Client[] = all.filter((client) => client !== langchain && client !== kyChat);
const PAGE = '<!DOCTYPE html><html><head><title>Blocked by Example Proxy</title></head><body><p>No</p></body></html>';

let server: Served | undefined;
afterEach(() => server?.close());

interface Asked {
  /** The text of the answer, or what the SDK throws. */
  readonly outcome: unknown;
  readonly requests: number;
  readonly events: readonly RetryEvent['type'][];
}

async function ask(client: Client, played: Played, how: 'ask' | 'stream'): Promise<Asked> {
  let requests = 0;
  server = await serve((request, response, body) => {
    if (request.url === '/login') return sendPage(response);
    const read = readRequest(request.url ?? '', body.toString());
    if (read === undefined) return response.writeHead(404).end();
    requests += 1;
    return answer(response, played, read.api, read.isStreamed);
  });
  const events: RetryEvent['type'][] = [];
  const fetch = createRetryFetch({ baseDelayMs: 1, onEvent: ({ type }) => void events.push(type) });
  const outcome: unknown = await client[how]({ baseUrl: server.origin, fetch, ownRetries: 'off' }).catch(
    (error: unknown) => error,
  );
  return { outcome, requests, events };
}

function answer(response: ServerResponse, played: Played, api: Api, isStreamed: boolean): unknown {
  if (played === 'page') return sendPage(response);
  if (played === 'login page') return response.writeHead(302, { location: '/login' }).end();
  if (!isStreamed)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wholeAnswer(api)));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = streamedAnswer(api);
  if (played === 'whole') return response.end(events.join(''));
  if (played === 'reset after the end')
    // After the client has read the end.
    return response.write(events.join(''), () => setTimeout(() => response.socket?.resetAndDestroy(), 50));
  return response.end(events.slice(0, events.findIndex((event) => event.includes('Hello, ')) + 1).join(''));
}

const sendPage = (response: ServerResponse): unknown =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);

for (const client of clients) {
  test.each(['ask', 'stream'] as const)(`${client.name} has a whole answer as it is: %s`, async (how) => {
    expect(await ask(client, 'whole', how)).toEqual({ outcome: REPLY, requests: 1, events: [] });
  });

  test(`${client.name} has a whole answer whose connection is reset after its end`, async () => {
    expect(await ask(client, 'reset after the end', 'stream')).toEqual({ outcome: REPLY, requests: 1, events: [] });
  });

  test(`${client.name} has an error in place of a cut answer`, async () => {
    const { outcome, requests, events } = await ask(client, 'cut', 'stream');
    expect(saidBy(outcome)).toMatch(/ended before the answer was complete.*checkEnd/);
    expect([requests, events]).toEqual([1, ['broken']]);
  });

  test.each([
    ['ask', 'page'],
    ['stream', 'page'],
    ['ask', 'login page'],
    ['stream', 'login page'],
  ] as const)(`${client.name} has an error that a person understands: %s, %s`, async (how, played) => {
    const { outcome, requests, events } = await ask(client, played, how);
    expect(saidBy(outcome)).toMatch(/A page of HTML answered: Blocked by Example Proxy.*network/);
    expect(saidBy(outcome)).not.toMatch(/<\w/);
    expect([requests, events]).toEqual([2, ['retry', 'attempt', 'failed']]);
  });
}

/** The messages of an error and of its causes. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return `It answered ${JSON.stringify(error)}.`;
  return [error.message, error.cause === undefined ? '' : saidBy(error.cause)].join(' ');
}
