import { afterEach, describe, expect, test } from 'vitest';
import { createRetryFetch, StalledStreamError, TruncatedStreamError } from '../../src/index.ts';
import { fakeRuntime, settle, thrownBy } from '../script.ts';
import { concat } from '../protocol/frames.ts';
import { exchangeOf } from '../http/exchanges.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { type Served, serve } from '../serve.ts';

failOnUnhandled();

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const exchange = exchangeOf('OpenAI Chat');
const begun = concat([exchange.preamble, exchange.content('Hello')]);
const POST = { method: 'POST', body: '{"model":"m"}' };
const watch = { idleTimeoutMs: 200, outputTimeoutMs: 2_000, checkEnd: true };

/** A server that begins to answer; when it has seen the connection close, in milliseconds after the first byte. */
async function begin(end: 'open' | 'eof' | 'reset'): Promise<{ url: string; closed: Promise<number> }> {
  let close: ((ms: number) => void) | undefined;
  const closed = new Promise<number>((resolve) => (close = resolve));
  server = await serve((_request, response) => {
    const startedAt = performance.now();
    response.writeHead(200, { 'content-type': exchange.contentType });
    response.on('close', () => close?.(performance.now() - startedAt));
    response.write(begun, () => {
      if (end === 'eof') response.end();
      if (end === 'reset') setImmediate(() => response.socket?.resetAndDestroy());
    });
  });
  return { url: server.url, closed };
}

describe('over a socket, a watched stream', () => {
  const fetchOf = (): ReturnType<typeof createRetryFetch> =>
    createRetryFetch({ fetch, runtime: fakeRuntime(), answers: { ...watch } });

  test('that goes silent is told, and the server sees the close', async () => {
    const { url, closed } = await begin('open');
    const response = await fetchOf()(url, POST);
    expect(await thrownBy(response.text())).toBeInstanceOf(StalledStreamError);
    expect(await closed).toBeGreaterThanOrEqual(200);
  });

  test('that is cancelled or aborted is closed, and rejects as fetch does', async () => {
    const first = await begin('open');
    const cancelled = await fetchOf()(first.url, POST);
    const reader = cancelled.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await first.closed;
    await server?.close();
    const second = await begin('open');
    const aborting = new AbortController();
    const response = await fetchOf()(second.url, { ...POST, signal: aborting.signal });
    const thrown = thrownBy(response.text());
    await settle();
    aborting.abort();
    expect(await thrown).toMatchObject({ name: 'AbortError' });
    await second.closed;
  });

  test('that ends too early is told, and one that is reset fails as with fetch', async () => {
    const { url } = await begin('eof');
    expect(await thrownBy((await fetchOf()(url, POST)).text())).toBeInstanceOf(TruncatedStreamError);
    await server?.close();
    const reset = await begin('reset');
    expect(await thrownBy((await fetchOf()(reset.url, POST)).text())).toMatchObject({ message: 'terminated' });
  });
});
