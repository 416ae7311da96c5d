import { afterEach, expect, it } from 'vitest';
import { problemOf, rawProblem, sendProblem } from '../../src/proxy/problem.ts';
import { RefusedError } from '../../src/proxy/refused-error.ts';
import { type Served, serve } from '../serve.ts';
import { endEach, talk } from './talk.ts';

const PROBLEM = problemOf(new RefusedError(403, 'foreign_host', 'Not “here”.'));
const LINE =
  '{"type":"error","error":{"type":"proxy_refused","code":"foreign_host","message":"Not “here”."},"attempts":0}\n';

let served: Served | undefined;
endEach();
afterEach(() => served?.close());

/** A server that answers everything with the problem, before the rest of the request is there. */
async function refuse(): Promise<string> {
  served = await serve(200);
  served.server.removeAllListeners('request');
  for (const event of ['request', 'checkExpectation'] as const)
    served.server.on(event, (request, response) => sendProblem(request, response, PROBLEM));
  return served.origin;
}

it('is one line of JSON, with its length in bytes', () => {
  const bytes = Buffer.byteLength(LINE);
  expect(rawProblem(PROBLEM)).toBe(
    `HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\nconnection: close\r\n\r\n${LINE}`,
  );
});

it('reaches a client that sends its whole request before it reads', async () => {
  const length = 20_000_000;
  const { socket, over } = talk(await refuse());
  socket.pause();
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(length), resolve));
  socket.resume();
  expect(await over).toMatchObject({
    failed: false,
    text: expect.stringMatching(/^connection: close\r$[^]*"attempts":0\}\n$/im),
  });
});

it('does not wait for a body that the client holds back', async () => {
  const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-A: 1\r\nExpect: 200-maybe\r\n\r\n';
  const url = await refuse();
  const startedAt = performance.now();
  expect((await talk(url, text).over).text).toContain('foreign_host');
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

it('does not wait forever for the rest of a request', async () => {
  const startedAt = performance.now();
  const { over } = talk(await refuse(), 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel');
  expect((await over).text).toContain('foreign_host');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
