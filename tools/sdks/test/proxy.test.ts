import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RetryConfig, RetryEvent } from '../../../src/index.ts';
import { type Proxy, startProxy } from '../../../src/proxy/index.ts';
import { type ApiServer, type PlayedStep, type Scene, startApiServer } from '../api-server.ts';
import type { Api } from '../../../bench/apis.ts';
import { anthropic } from '../clients/anthropic.ts';
import { type Client, REPLY } from '../clients/client.ts';
import { openaiChat, openaiResponses } from '../clients/openai.ts';
import { outage, refusedStream, spentQuota } from '../situations.ts';

// The SDKs as they are installed: with their own fetch, and their own retries on. Only the base URL is another.

const clients: readonly Client[] = [openaiChat, openaiResponses, anthropic];

let server: ApiServer;
let proxy: Proxy | undefined;
const events: RetryEvent[] = [];
beforeAll(async () => {
  server = await startApiServer(Date.now);
});
afterEach(async () => {
  await proxy?.cancel();
  events.length = 0;
});
afterAll(() => server.close());

async function playBehindProxy(
  steps: readonly [PlayedStep, ...PlayedStep[]],
  retry: RetryConfig = {},
): Promise<{ readonly scene: Scene; readonly baseUrl: string }> {
  const scene = server.play(...steps);
  const config: RetryConfig = { baseDelayMs: 1, maxRetries: 4, ...retry };
  proxy = await startProxy({ target: scene.baseUrl, retry: config, onEvent: (event) => events.push(event) });
  return { scene, baseUrl: proxy.url };
}

/** The bad minute of the demonstration: a 429, a 502, a reset, an error in the stream, and then the answer. */
function badMinute(api: Api): readonly [PlayedStep, ...PlayedStep[]] {
  const overloaded = (status: number): PlayedStep => ({
    status,
    statusText: '',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  });
  return [overloaded(429), overloaded(502), 'reset', refusedStream.steps[api][0], 'reply'];
}

const stopped: RetryConfig = { maxRetries: 1, exhausted: 'mark' };

describe.each(clients)('$name behind the proxy', (client) => {
  const question = (baseUrl: string, signal?: AbortSignal) =>
    ({ baseUrl, fetch: undefined, ownRetries: 'on', signal }) as const;

  test('streams its answer through several failures', async () => {
    const instant = { runtime: { sleep: async () => {} } };
    const { scene, baseUrl } = await playBehindProxy(badMinute(client.api), instant);
    expect(await client.stream(question(baseUrl))).toBe(REPLY);
    expect(scene.requests).toHaveLength(5);
    const retried = ['retry', 'attempt'];
    expect(events.map(({ type }) => type)).toEqual([...retried, ...retried, ...retried, ...retried, 'recovered']);
  });

  test('gets a whole answer too', async () => {
    const { scene, baseUrl } = await playBehindProxy(['reset', 'reply']);
    expect(await client.ask(question(baseUrl))).toBe(REPLY);
    expect(scene.requests).toHaveLength(2);
  });

  test('throws its own error for a call that was given up, after one request for each of its own retries', async () => {
    const { scene, baseUrl } = await playBehindProxy(outage.steps[client.api], { maxRetries: 1 });
    const error: unknown = await client.ask(question(baseUrl)).catch((thrown: unknown) => thrown);
    expect(client.readError(error)).toMatchObject({ status: client.api === 'messages' ? 529 : 503 });
    expect(scene.requests).toHaveLength(4);
  });

  test('sends none of its own retries if every last failure is marked', async () => {
    const { scene, baseUrl } = await playBehindProxy(outage.steps[client.api], stopped);
    const error: unknown = await client.ask(question(baseUrl)).catch((thrown: unknown) => thrown);
    expect(client.readError(error)).toMatchObject({ status: client.api === 'messages' ? 529 : 503 });
    expect(scene.requests).toHaveLength(2);
  });

  test('says in its own error that the target gave no answer', async () => {
    const { scene, baseUrl } = await playBehindProxy(['reset'], stopped);
    const error: unknown = await client.stream(question(baseUrl)).catch((thrown: unknown) => thrown);
    expect(client.readError(error)).toMatchObject({
      status: 502,
      text: expect.stringMatching(/The target gave no answer in 2 attempts; the last ended in connection_error/),
    });
    expect(scene.requests).toHaveLength(2);
  });

  test('sends one request for a spent quota', async () => {
    const { scene, baseUrl } = await playBehindProxy(spentQuota.steps[client.api]);
    await expect(client.ask(question(baseUrl))).rejects.toThrow(/429|quota/i);
    expect(scene.requests).toHaveLength(1);
  });

  test('ends a wait when its user aborts, and no further request is sent', async () => {
    const { scene, baseUrl } = await playBehindProxy(outage.steps[client.api], { baseDelayMs: 60_000 });
    const leaving = new AbortController();
    const call = client.stream(question(baseUrl, leaving.signal)).catch((thrown: unknown) => thrown);
    while (proxy?.waiting !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort();
    expect(client.isAbort(await call)).toBe(true);
    while (proxy.running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(events.map(({ type }) => type)).toEqual(['retry', 'cancelled']);
    expect(scene.requests).toHaveLength(1);
  });
});
