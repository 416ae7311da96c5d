import { afterEach, expect, it } from 'vitest';
import { createGate } from '../../src/index.ts';
import { problemOf, RefusedError, sendProblem } from '../../src/proxy/problem.ts';
import { type Served, serve } from '../serve.ts';
import { ask, endEach, KEY, startBoth, startFor, talk } from './talk.ts';

const PROBLEM = problemOf(new RefusedError(403, 'foreign_host', 'Not “here”.'));
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

it.each([
  ['mark-permanent', 'CERT_HAS_EXPIRED', 'false'],
  ['mark-permanent', 'ENOTFOUND', null],
  ['mark', 'ENOTFOUND', 'false'],
  ['return', 'CERT_HAS_EXPIRED', null],
] as const)(
  'with the mark %j is for %s a 502 with x-should-retry: %s, without secrets',
  async (exhausted, code, mark) => {
    const cause = Object.assign(new Error(`no way for ${KEY}`), { code });
    const proxy = await startFor({
      target: 'https://api.example.com',
      retry: { exhausted, maxRetries: 0 },
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    });
    const response = await ask({ proxy });
    const text = await response.text();
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, mark]);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        code,
        message: expect.stringMatching(/^The target gave no answer in 1 attempt; the last ended in \w+ \(.+\)\.$/),
      },
      attempts: 1,
    });
    expect(text).not.toContain(KEY);
  },
);

it('is a 503 with the time to wait if the gate sent nothing', async () => {
  const gate = createGate({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 60_000, covers: 'all' } });
  const setting = await startBoth(503, { retry: { gate, maxRetries: 0 } });
  await ask(setting);
  const response = await ask(setting, { body: '{"model":"m","other":1}' });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
  expect(await response.json()).toMatchObject({ error: { type: 'proxy_refused', code: 'circuit-open' }, attempts: 0 });
});

it.each([undefined, null, 'text', new Error('something else')])(
  'is a 502 for %s as well, which may be repeated',
  (error) => {
    const { status, attempts, headers } = problemOf(error, 1, 'mark-permanent');
    expect({ status, attempts, headers }).toEqual({ status: 502, attempts: 1, headers: {} });
  },
);
