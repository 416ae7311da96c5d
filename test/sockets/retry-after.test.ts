import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { OK, playingEachPath, type Served, serve } from '../serve.ts';

let server: Served | undefined;

afterEach(async () => {
  await server?.close();
});

/** Starts a server that asks each path once to wait, and notes how long each took to come back. */
async function startWaiting(
  headers: Record<string, string>,
): Promise<{ readonly url: string; readonly waitedMs: number[] }> {
  const answeredAt = new Map<string, number>();
  const waitedMs: number[] = [];
  const answer = playingEachPath((request, response) => {
    response.writeHead(429, headers).end('{"error":{"type":"rate_limit_error"}}');
    answeredAt.set(request.url ?? '', performance.now());
  }, OK);
  server = await serve((request, response, body) => {
    const at = answeredAt.get(request.url ?? '');
    if (at !== undefined) waitedMs.push(performance.now() - at);
    answer(request, response, body);
  });
  return { url: server.url, waitedMs };
}

describe('no retry comes before its Retry-After', () => {
  const kinds: readonly [string, RetryConfig][] = [
    ['jitterFactor 1', { jitterFactor: 1 }],
    ['jitter none', { jitter: 'none' }],
    ['a clamp above it', { jitter: 'none', retryAfter: 'clamp' }],
  ];

  test.each(kinds)('in 20 runs of 20 ms, with %s', async (_title, config) => {
    const { url, waitedMs } = await startWaiting({ 'retry-after-ms': '20' });
    const retrying = createRetryFetch({ fetch, ...config });
    for (let batch = 0; batch < 4; batch += 1) {
      const runs = Array.from({ length: 5 }, (_, run) => retrying(`${url}/${batch}-${run}`));
      for (const response of await Promise.all(runs)) expect(await response.text()).toBe('{"ok":true}');
    }
    expect(waitedMs).toHaveLength(20);
    expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(20);
  });

  test('that is a date, however long the body takes', async () => {
    let target = 0;
    const arrivals: number[] = [];
    server = await serve((_request, response) => {
      arrivals.push(Date.now());
      if (arrivals.length > 1) {
        response.end('ok');
        return;
      }
      // A whole second, as dates have, at least 400 ms away; without a `date` the client's own clock counts.
      target = Math.ceil((Date.now() + 400) / 1_000) * 1_000;
      response.sendDate = false;
      response.writeHead(503, { 'retry-after': new Date(target).toUTCString() });
      response.write('slow');
      setTimeout(() => response.end(' body'), 150);
    });
    const response = await createRetryFetch({ fetch, jitter: 'none' })(server.url);
    await response.text();
    expect(arrivals).toHaveLength(2);
    expect(arrivals[1]).toBeGreaterThanOrEqual(target);
  });
});

describe('a Retry-After that is too long', () => {
  test.each(['2592000', '1000000000'])('of %s s leads to one request and a readable 429 at once', async (seconds) => {
    server = await serve((_request, response) => {
      response
        .writeHead(429, { 'retry-after': seconds, 'content-type': 'application/json' })
        .end('{"error":{"message":"come back later"}}');
    });
    const sleep = vi.fn<(ms: number) => Promise<void>>(async () => {});
    const retrying = createRetryFetch({ fetch, runtime: { sleep } });
    const response = await retrying(server.url, { method: 'POST', body: '{}' });
    expect(sleep).not.toHaveBeenCalled();
    expect([response.status, response.url, response.headers.get('retry-after')]).toEqual([429, server.url, seconds]);
    await expect(response.json()).resolves.toEqual({ error: { message: 'come back later' } });
    expect(server.counts.requests).toBe(1);
  });
});
