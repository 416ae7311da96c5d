import { expect, it } from 'vitest';
import { createGate, createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { gatewayProblem } from '../../src/proxy/problem.ts';
import { fakeRuntime, script, type Step, thrownBy } from '../script.ts';

const SECRET = 'a-key-of-no-known-shape';

const network = (code: string, message = 'connect failed'): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

async function problemAfter(
  step: Step,
  config: RetryConfig = {},
  mark: RetryConfig['exhausted'] = 'mark-permanent',
): Promise<ReturnType<typeof gatewayProblem>> {
  const runtime = fakeRuntime();
  const fetch = script(runtime, step);
  const retrying = createRetryFetch({ fetch, runtime, maxRetries: 2, ...config });
  const error = await thrownBy(retrying('https://api.example.com/v1', { headers: { 'x-api-key': SECRET } }));
  return gatewayProblem(error, fetch.calls.length, mark);
}

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
  expect(gatewayProblem(error, 0, 'return')).toMatchObject({
    status: 503,
    type: 'proxy_refused',
    code: 'circuit-open',
    attempts: 0,
    headers: { 'retry-after': '60' },
  });
});

it.each([undefined, null, 'text', new Error('something else')])('is a 502 for %s as well', (error) => {
  expect(gatewayProblem(error, 1, 'return')).toMatchObject({ status: 502, attempts: 1 });
});
