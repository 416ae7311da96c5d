import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGate, createRetryFetch, type RetryEvent } from '../../src/index.ts';
import { createUndiciFetch, type UndiciFetch, type UndiciFetchOptions } from '../../src/undici.ts';
import { decisionsOf } from '../script.ts';
import { OK, playingEachPath, type Served, serve } from '../serve.ts';

let server: Served;
let open: UndiciFetch[];

beforeEach(() => {
  open = [];
});

afterEach(async () => {
  await server.close();
  await Promise.all(open.map((undici) => undici.close()));
});

function connect(options?: UndiciFetchOptions): UndiciFetch {
  const undici = createUndiciFetch(options);
  open.push(undici);
  return undici;
}

describe('a fetch over undici', () => {
  test('returns a response that is retried, given up and read like any other', async () => {
    server = await serve({ status: 429, headers: { 'x-a': '1' }, body: '{"error":{"message":"slow down"}}' });
    const events: RetryEvent[] = [];
    const onEvent = (event: RetryEvent): void => void events.push(...decisionsOf([event]));
    const config = { fetch: connect(), baseDelayMs: 1, maxRetries: 2, onEvent };
    const response = await createRetryFetch(config)(server.url);
    const { status, url, headers, bodyUsed } = response;
    expect([status, url, headers.get('x-a'), bodyUsed]).toEqual([429, server.url, '1', false]);
    await expect(response.json()).resolves.toEqual({ error: { message: 'slow down' } });
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'failed']);
    expect(events[0]).toMatchObject({ failure: { type: 'rate_limit', message: 'slow down' } });
  });

  test('keeps to a limit on requests at a time, whose slots are held until each body is read', async () => {
    let running = 0;
    let most = 0;
    server = await serve((_request, response) => {
      running += 1;
      most = Math.max(most, running);
      response.write('begun');
      setTimeout(() => {
        running -= 1;
        response.end();
      }, 20);
    });
    const fetch = createRetryFetch({ fetch: connect(), gate: createGate({ limits: { concurrent: 1 } }) });
    const texts = await Promise.all(Array.from({ length: 4 }, async () => (await fetch(server.url)).text()));
    expect([texts, most]).toEqual([Array(4).fill('begun'), 1]);
  });

  test('marks its final response too', async () => {
    server = await serve({ status: 503, headers: {}, body: 'busy' });
    const response = await createRetryFetch({ fetch: connect(), maxRetries: 0, exhausted: 'mark' })(server.url);
    const { headers, url } = response;
    expect([headers.get('x-should-retry'), url, await response.text()]).toEqual(['false', server.url, 'busy']);
  });

  test('stays within its limit of connections', async () => {
    server = await serve(playingEachPath(503, OK));
    const retrying = createRetryFetch({ fetch: connect({ connections: 3 }), baseDelayMs: 1 });
    const answers = Array.from({ length: 30 }, async (_, index) => (await retrying(`${server.url}/${index}`)).text());
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['{"ok":true}']));
    expect(server.counts).toEqual({ connections: 3, requests: 60 });
  });

  test('rejects with the code of undici for response headers that do not come, which is retried', async () => {
    server = await serve(playingEachPath(() => {}, OK));
    const codes: unknown[] = [];
    const onEvent = (event: RetryEvent): void => void ('failure' in event && codes.push(event.failure.code));
    const fetch = connect({ headersTimeoutMs: 1_000 });
    const response = await createRetryFetch({ fetch, baseDelayMs: 1, onEvent })(server.url);
    expect([response.status, codes]).toEqual([200, ['UND_ERR_HEADERS_TIMEOUT']]);
  });

  test('gives up on a connection that is refused with the code of the system', async () => {
    server = await serve(200);
    await server.close();
    const call = createRetryFetch({ fetch: connect({ connectTimeoutMs: 500 }), baseDelayMs: 1, maxRetries: 1 })(
      server.url,
    );
    await expect(call).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  test('reads the proxy from the environment if the option is set', async () => {
    const seen: (string | undefined)[] = [];
    server = await serve((request, response) => {
      seen.push(request.url);
      response.end('from the proxy');
    });
    vi.stubEnv('http_proxy', new URL(server.url).origin);
    vi.stubEnv('no_proxy', '');
    const response = await connect({ proxy: 'environment', connections: 1 })('http://api.example.test/v1', {
      method: 'GET',
    }).catch((error: unknown) => error);
    // A tunnel or a request for the whole URL: both show that the proxy was used.
    expect(server.counts.connections).toBe(1);
    expect(response).toBeDefined();
    expect(seen.every((url) => url?.includes('api.example.test'))).toBe(true);
  });
});
