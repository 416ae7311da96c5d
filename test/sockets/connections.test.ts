import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createRetryFetch, type Fetch } from '../../src/index.ts';
import { AT_ONCE_TURNS, thrownBy, turnsOf } from '../script.ts';
import { OK, playingEachPath, type Served, serve } from '../serve.ts';
import { times } from '../thorough.ts';

/** Connections that one failure in ten leaves would be too many; in a quick run one in five. */
const FAILURES = times({ thorough: 400, otherwise: 100 });
const AT_ONCE = 10;
const MOST_CONNECTIONS = 25;
const CALLS = 200;
let server: Served | undefined;

afterEach(async () => {
  await server?.close();
});

/** Runs tasks, a limited number at a time. */
async function inParallel(count: number, width: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

describe('connections', () => {
  test(`${FAILURES} failures with 64 KiB each, ${AT_ONCE} at a time, need at most ${MOST_CONNECTIONS}`, async () => {
    const body = Buffer.alloc(65_536, 'x');
    server = await serve(playingEachPath((_request, response) => response.writeHead(429).end(body), OK));
    const { url, counts } = server;
    const retrying = createRetryFetch({ fetch, baseDelayMs: 1 });
    await inParallel(FAILURES, AT_ONCE, async (index) => {
      const response = await retrying(`${url}/${index}`);
      expect(response.status).toBe(200);
      await response.text();
    });
    expect(counts.requests).toBe(2 * FAILURES);
    expect(counts.connections).toBeLessThanOrEqual(MOST_CONNECTIONS);
  });

  test('one is enough for consecutive calls, whatever the failures contain', async () => {
    const bodies = ['', 'x', 'x'.repeat(16_384), 'x'.repeat(65_536)];
    let call = 0;
    server = await serve(
      playingEachPath((_request, response) => {
        response.writeHead(503).end(bodies[call % bodies.length]);
        call += 1;
      }, OK),
    );
    const retrying = createRetryFetch({ fetch, baseDelayMs: 1 });
    for (let index = 0; index < 20; index += 1) await (await retrying(`${server.url}/${index}`)).text();
    expect(server.counts.requests).toBe(40);
    expect(server.counts.connections).toBeLessThanOrEqual(2);
  });
});

describe('a connection that fails', () => {
  test('by a reset before the head is retried', async () => {
    server = await serve(playingEachPath('network-error', 'network-error', OK));
    const codes: unknown[] = [];
    const retrying = createRetryFetch({
      fetch,
      baseDelayMs: 1,
      onEvent: (event) => 'failure' in event && codes.push([event.failure.type, event.failure.code]),
    });
    expect((await retrying(server.url, { method: 'POST', body: 'x' })).status).toBe(200);
    expect(codes).toHaveLength(2);
    for (const code of codes)
      expect(code).toEqual(['connection_error', expect.stringMatching(/^(?:ECONNRESET|UND_ERR_SOCKET)$/)]);
  });

  test('because no server listens is retried, and in the end rethrown unchanged', async () => {
    server = await serve(200);
    const { url } = server;
    await server.close();
    let calls = 0;
    const counted: Fetch = (input, init) => {
      calls += 1;
      return fetch(input, init);
    };
    const call = createRetryFetch({ fetch: counted, baseDelayMs: 1, maxRetries: 2 })(url);
    await expect(call).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
    expect(calls).toBe(3);
  });

  test('during the body of a success is left to the caller', async () => {
    server = await serve({ recording: OK, dieAfterBytes: 4 });
    const response = await createRetryFetch({ fetch, baseDelayMs: 1 })(server.url);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(server.counts.requests).toBe(1);
  });
});

describe('an abort over a real connection', () => {
  const reason = new Error('the user left');

  test.each(['sending', 'looking', 'waiting'])('while %s rejects with its reason at once', async (phase) => {
    server = await serve((_request, response) => {
      if (phase === 'sending') return;
      response.writeHead(503, phase === 'waiting' ? { 'retry-after': '30' } : {});
      response.write('beginning');
      if (phase === 'waiting') response.end();
    });
    const controller = new AbortController();
    const call = createRetryFetch({ fetch })(server.url, { signal: controller.signal });
    const thrown = thrownBy(call);
    await new Promise((resolve) => setTimeout(resolve, 60));
    controller.abort(reason);
    expect(await turnsOf(thrown)).toBeLessThan(AT_ONCE_TURNS);
    expect(await thrown).toBe(reason);
  });

  test.each([
    ['of a success', 200],
    ['of a failure that was given up', 503],
  ])('while reading the body %s rejects with its reason', async (_title, status) => {
    server = await serve((_request, response) => {
      response.writeHead(status);
      response.write('beginning');
    });
    const controller = new AbortController();
    for (const attemptTimeoutMs of [undefined, 5_000]) {
      const aborting = attemptTimeoutMs === undefined ? controller : new AbortController();
      const retrying = createRetryFetch({ fetch, maxRetries: 0, attemptTimeoutMs });
      const response = await retrying(server.url, { signal: aborting.signal });
      const text = response.text().catch((error: unknown) => error);
      aborting.abort(reason);
      expect(await turnsOf(text)).toBeLessThan(AT_ONCE_TURNS);
      expect(await text).toBe(reason);
    }
  });

  test(`leaves no listener of ours after ${CALLS} calls on one signal`, async () => {
    server = await serve((request, response) =>
      response.writeHead(request.url?.endsWith('0') === true ? 503 : 200).end('x'),
    );
    const { url } = server;
    const listenersAfter = async (call: Fetch): Promise<number> => {
      const { signal } = new AbortController();
      await inParallel(CALLS, 32, async (index) => void (await (await call(`${url}/${index}`, { signal })).text()));
      return getEventListeners(signal, 'abort').length;
    };
    const bare = await listenersAfter(fetch);
    expect(await listenersAfter(createRetryFetch({ fetch, maxRetries: 0 }))).toBeLessThanOrEqual(bare);
  });
});

describe('attemptTimeoutMs over a real connection', () => {
  test('gives up a server that does not answer', async () => {
    server = await serve(playingEachPath(() => {}, OK));
    const response = await createRetryFetch({ fetch, baseDelayMs: 1, attemptTimeoutMs: 100 })(server.url);
    expect([response.status, server.counts.requests]).toEqual([200, 2]);
  });
});
