import { connect } from 'node:http2';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { type Plan, type PlanName, planOf } from '../plans.ts';
import { type PlayedServer, startPlayedServer } from '../played-server.ts';
import { REPLY } from '../protocols.ts';

const servers: PlayedServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function play(plan: Plan | PlanName): Promise<PlayedServer> {
  const server = await startPlayedServer(typeof plan === 'string' ? planOf(plan) : plan);
  servers.push(server);
  return server;
}

function ask({ origin }: PlayedServer, { stream = false, prompt = 'Hi' } = {}): Promise<Response> {
  return fetch(`${origin}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ stream, messages: [{ role: 'user', content: prompt }] }),
  });
}

describe('a plan of hints', () => {
  test('sends the remaining seconds, and marks a request before their end with how much too early it was', async () => {
    const server = await play('hint-45');
    const first = await ask(server);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '45']);
    await ask(server);
    expect(server.requests[0]?.earlyByMs).toBeUndefined();
    expect(server.requests[1]?.earlyByMs).toBeGreaterThan(40_000);
  });

  test('does not count a request of another conversation as early', async () => {
    const server = await play('hint-45');
    await ask(server, { prompt: 'one' });
    await ask(server, { prompt: 'two' });
    expect(server.requests.map(({ earlyByMs }) => earlyByMs)).toEqual([undefined, undefined]);
  });
});

describe('failures of a connection', () => {
  test('a reset after content is an error for the reader', async () => {
    const server = await play('reset-content');
    const response = await ask(server, { stream: true });
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await (await ask(server, { stream: true })).text()).toContain('message_stop');
  });

  test('a cut after content looks like a regular end, without the last event', async () => {
    const text = await (await ask(await play('cut-content'), { stream: true })).text();
    expect(text).toContain('Hello, ');
    expect(text).not.toContain('message_stop');
  });

  test('a broken JSON body consists of its first half and a reset', async () => {
    const server = await play('broken-json');
    await expect((await ask(server)).json()).rejects.toThrow('terminated');
    expect(await (await ask(server)).text()).toContain(REPLY);
  });

  test('a body without a length breaks in the same way', async () => {
    const response = await ask(await play('broken-chunks'));
    expect(response.headers.get('content-length')).toBeNull();
    await expect(response.json()).rejects.toThrow('terminated');
  });

  test.each([
    ['stalled-json', false],
    ['stalled-preamble', true],
    ['stalled-content', true],
  ] as const)('%s sends a part of the first answer and then nothing', async (plan, stream) => {
    const server = await play(plan);
    const response = await ask(server, { stream });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).not.toContain(REPLY);
    // What is left of the part, and then no end.
    const silence = new Promise((resolve) => setTimeout(resolve, 400, 'silence'));
    const end = (async () => {
      while (!(await reader?.read())?.done);
      return 'end';
    })();
    expect(await Promise.race([end, silence])).toBe('silence');
    await reader?.cancel();
    const next = await ask(server, { stream });
    expect(await next.text()).toContain('Hello');
  });

  test('white space comes before a whole answer', async () => {
    const plan = { ...planOf('white-space'), failure: { kind: 'white-space', ms: 1_500 } } as const;
    const response = await ask(await play(plan));
    const text = await response.text();
    expect(text).toMatch(/^\n\n/);
    expect(text).toContain(REPLY);
  });

  test('a 429 without a hint has none', async () => {
    const response = await ask(await play('limit-60'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, null]);
  });

  test('a server that is down resets the connection instead of an answer', async () => {
    await expect(ask(await play('down-5'))).rejects.toThrow('fetch failed');
  });
});

describe('a plan of so many requests', () => {
  test('fails that many of each conversation', async () => {
    const server = await play('overloaded-3');
    const statuses: number[] = [];
    for (const prompt of ['one', 'one', 'one', 'one', 'two']) statuses.push((await ask(server, { prompt })).status);
    expect(statuses).toEqual([529, 529, 529, 200, 529]);
  });

  test('leaves requests alone that it cannot affect', async () => {
    expect((await ask(await play('broken-json'), { stream: true })).status).toBe(200);
  });
});

test('the server supports HTTP/2 without TLS on the same port', async () => {
  const { origin } = await play('calm');
  const session = connect(origin);
  const request = session.request({ ':method': 'POST', ':path': '/model/claude/converse' });
  request.end('{"messages":[]}');
  expect(await json(request)).toMatchObject({ stopReason: 'end_turn' });
  session.close();
});

test('a web socket is refused with 426, after which a client uses HTTP at once', async () => {
  const server = await play('calm');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/v1/responses`);
  socket.addEventListener('error', resolve);
  await promise;
  expect(server.requests.map(({ method }) => method)).toEqual(['UPGRADE']);
});
