import { afterEach, expect, test } from 'vitest';
import { completions } from '../mocks/index.ts';
import { thrownBy } from './script.ts';
import { freePort, playingEachPath, serve, type Served, type SocketSteps } from './serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

async function start(...steps: SocketSteps): Promise<string> {
  server = await serve(...steps);
  return server.url;
}

test('each request gets the next step, and the last one repeats', async () => {
  const url = await start(503, completions.openai('Hello'), (_request, response, body) => response.end(body));
  const first = await fetch(url);
  expect([first.status, await first.text()]).toEqual([503, '']);
  expect(await (await fetch(url)).json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  for (const body of ['one', 'two']) expect(await (await fetch(url, { method: 'POST', body })).text()).toBe(body);
  expect(server?.counts.requests).toBe(4);
});

test('each path may have the steps on its own', async () => {
  const url = await start(playingEachPath(429, 200));
  const statuses: number[] = [];
  for (const path of ['/a', '/b', '/a', '/b', '/a']) statuses.push((await fetch(url + path)).status);
  expect(statuses).toEqual([429, 429, 200, 200, 200]);
});

test('a recording has its status, its headers and its bytes', async () => {
  const response = await fetch(await start('openai-429-tpm-6ms'));
  expect([response.status, response.headers.get('content-type')]).toEqual([429, 'application/json']);
  expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
});

test('a network error is a reset before the response headers, and a body that dies one after its bytes', async () => {
  const answer = { status: 200, headers: {}, body: 'Hello' };
  const url = await start('network-error', { recording: answer, dieAfterBytes: 4 });
  expect(await thrownBy(fetch(url))).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  const reader = (await fetch(url)).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('Hell');
  expect(await thrownBy(Promise.resolve(reader?.read()))).toMatchObject({ message: 'terminated' });
});

test('a body in pieces arrives in pieces, and a stall keeps the connection open until the server closes', async () => {
  const answer = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: 1\n\ndata: 2\n\n' };
  const url = await start({ recording: answer, chunkDelayMs: 20 }, { recording: answer, stallAfterBytes: 9 });
  const pieces: string[] = [];
  for await (const piece of (await fetch(url)).body ?? []) pieces.push(new TextDecoder().decode(piece));
  expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  const stalled = thrownBy((await fetch(url)).text());
  await server?.close();
  expect(await stalled).toMatchObject({ message: 'terminated' });
});

test('at a free port nothing listens', async () => {
  const error = await thrownBy(fetch(`http://127.0.0.1:${await freePort()}/`));
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});
