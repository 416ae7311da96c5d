import { afterEach, describe, expect, it } from 'vitest';
import { createGate, createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { problemOf, RefusedError, sendProblem } from '../../src/proxy/problem.ts';
import { fakeRuntime, script, type Step, thrownBy } from '../script.ts';
import { type Served, serve } from '../serve.ts';
import { endEach, talk } from './talk.ts';

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

const SECRET = 'a-key-of-no-known-shape';

const network = (code: string, message = 'connect failed'): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

async function problemAfter(
  step: Step,
  config: RetryConfig = {},
  mark: RetryConfig['exhausted'] = 'mark-permanent',
): Promise<ReturnType<typeof problemOf>> {
  const runtime = fakeRuntime();
  const fetch = script(runtime, step);
  const retrying = createRetryFetch({ fetch, runtime, maxRetries: 2, ...config });
  const error = await thrownBy(retrying('https://api.example.com/v1', { headers: { 'x-api-key': SECRET } }));
  return problemOf(error, fetch.calls.length, mark);
}

describe('of a call whose target gave no answer', () => {
  it('is a 502 that says what happened and how often', async () => {
    expect(await problemAfter(network('ECONNREFUSED'))).toEqual({
      status: 502,
      type: 'connection_error',
      code: 'ECONNREFUSED',
      message: expect.stringMatching(
        /^The target gave no answer in 3 attempts; the last ended in connection_error \(.+\)\.$/,
      ),
      attempts: 3,
      headers: {},
    });
  });

  it.each([
    ['mark-permanent', 'CERT_HAS_EXPIRED', { 'x-should-retry': 'false' }],
    ['mark-permanent', 'ECONNRESET', {}],
    ['mark', 'ECONNRESET', { 'x-should-retry': 'false' }],
    ['return', 'CERT_HAS_EXPIRED', {}],
  ] as const)('with the mark %j has for %s the headers %j', async (mark, code, headers) => {
    expect(await problemAfter(network(code), {}, mark)).toMatchObject({ headers });
  });

  it('repeats no secret, even if the error does', async () => {
    const problem = await problemAfter(network('ECONNRESET', `no route for ${SECRET}`));
    expect(JSON.stringify(problem)).not.toContain(SECRET);
  });

  it('is a 503 with the time to wait if the gate sent nothing', async () => {
    const runtime = { ...fakeRuntime(), now: () => Date.now() };
    const gate = createGate({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 60_000, covers: 'all' } });
    const retrying = createRetryFetch({ fetch: script(runtime, 503), runtime, gate, maxRetries: 0 });
    await retrying('https://api.example.com/v1');
    const error = await thrownBy(retrying('https://api.example.com/v1'));
    expect(problemOf(error, 0, 'return')).toMatchObject({
      status: 503,
      type: 'proxy_refused',
      code: 'circuit-open',
      attempts: 0,
      headers: { 'retry-after': '60' },
    });
  });

  it.each([undefined, null, 'text', new Error('something else')])('is a 502 for %s as well', (error) => {
    expect(problemOf(error, 1, 'return')).toMatchObject({ status: 502, attempts: 1 });
  });
});
