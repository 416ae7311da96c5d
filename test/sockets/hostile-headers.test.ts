import { afterEach, describe, expect, test } from 'vitest';
import { createRetryFetch, outcomeOf } from '../../src/index.ts';
import { type Answer, type Served, serve } from '../serve.ts';

let server: Served | undefined;

afterEach(async () => {
  await server?.close();
});

const answerWith =
  (headers: Readonly<Record<string, string>>): Answer =>
  (_request, response) =>
    response.writeHead(429, headers).end('{"error":{"type":"rate_limit_error"}}');

/** As much as Node accepts in a head, nearly. */
const LONG = 15_000;

describe('a header that is too long to be a wait', () => {
  test.each<[name: string, value: string]>([
    ['retry-after', '1'.repeat(LONG)],
    ['retry-after-ms', '1'.repeat(LONG)],
    ['retry-after', `Sun, ${'0'.repeat(LONG)}`],
    ['x-ratelimit-reset-requests', '1h'.repeat(LONG / 2)],
    ['x-should-retry', 'true'.repeat(LONG / 4)],
  ])('is not a hint, and costs no time: %s', async (name, value) => {
    server = await serve(answerWith({ [name]: value }));
    const retrying = createRetryFetch({ fetch, baseDelayMs: 1 });
    const start = process.cpuUsage();
    const response = await retrying(server.url, { method: 'POST', body: '{}' });
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
    expect([response.status, server.counts.requests]).toEqual([429, 4]);
    expect((outcomeOf(response)?.history ?? []).map(({ because }) => because)).toEqual([
      'backoff',
      'backoff',
      'backoff',
      null,
    ]);
  });
});

test('a thousand headers are read as one', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, 'y']));
  server = await serve(answerWith({ ...many, 'retry-after-ms': '1' }));
  const response = await createRetryFetch({ fetch, maxRetries: 1 })(server.url);
  expect((outcomeOf(response)?.history ?? []).map(({ because }) => because)).toEqual(['hint', null]);
});

test('a head that Node refuses is a connection error without a retry, because it would be as large again', async () => {
  server = await serve(answerWith({ 'x-large': 'x'.repeat(1_000_000) }));
  const call = createRetryFetch({ fetch, baseDelayMs: 1 })(server.url);
  await expect(call).rejects.toThrow('fetch failed');
  expect(server.counts.requests).toBe(1);
});
