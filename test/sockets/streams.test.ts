import { fc, test as property } from '@fast-check/vitest';
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { AT_ONCE_TURNS, fakeRuntime, observed, settle, thrownBy, turnsOf } from '../script.ts';
import { answerOf, cut, type Exchange, exchangeOf, exchanges, longAnswerOf } from '../http/exchanges.ts';
import { concat } from '../protocol/frames.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { type Answer, type Served, serve } from '../serve.ts';
import { times } from '../thorough.ts';

/** What one request is answered with, after the head: parts in their own packets, and then the end. */
interface Script {
  readonly parts: readonly Uint8Array[];
  readonly end: 'eof' | 'reset' | 'open';
}

let server: Served | undefined;

/** Waits until the socket has accepted all bytes, so that a reset does not overtake them. */
const flushed = (response: ServerResponse, part: Uint8Array): Promise<void> =>
  new Promise((resolve) => response.write(part, () => setImmediate(resolve)));

async function play(response: ServerResponse, contentType: string, { parts, end }: Script): Promise<void> {
  response.writeHead(200, { 'content-type': contentType, 'x-request-id': 'r1' });
  response.flushHeaders();
  await settle();
  for (const part of parts) await flushed(response, part);
  if (end === 'eof') response.end();
  else if (end === 'reset') response.socket?.resetAndDestroy();
}

/** Starts a server that answers the n-th request with the n-th script; the last repeats. */
async function serveScripts({ contentType }: Exchange, first: Script, ...others: readonly Script[]): Promise<Served> {
  const stepOf =
    (script: Script): Answer =>
    (_request, response) =>
      play(response, contentType, script);
  server = await serve(stepOf(first), ...others.map(stepOf));
  return server;
}

const post = (url: string, config: RetryConfig = {}, signal?: AbortSignal): Promise<Response> =>
  createRetryFetch({ fetch, runtime: fakeRuntime(), ...config })(url, {
    method: 'POST',
    body: '{}',
    ...(signal !== undefined && { signal }),
  });

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** What a body gives until it ends or breaks. */
async function readAll(response: Response): Promise<{ readonly bytes: Buffer; readonly error: unknown }> {
  const taken: Uint8Array[] = [];
  try {
    for await (const part of response.body ?? []) taken.push(part);
  } catch (error) {
    return { bytes: Buffer.concat(taken), error };
  }
  return { bytes: Buffer.concat(taken), error: undefined };
}

failOnUnhandled();

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const overSockets = Object.entries(exchanges).filter(([name]) => /^(?:Anthropic|OpenAI)/.test(name));

describe.each(overSockets)('over a socket, a stream of %s', (_name, exchange) => {
  const { preamble, error, content, end } = exchange;
  const whole = answerOf(exchange);
  const good: Script = { parts: [whole], end: 'eof' };

  test.each<[string, Script, string]>([
    ['fails after its preamble', { parts: [preamble, error], end: 'eof' }, 'fails'],
    ['is reset right after the head', { parts: [], end: 'reset' }, 'breaks'],
    ['is reset after its preamble', { parts: [preamble], end: 'reset' }, 'breaks'],
  ])('that %s is retried, and arrives completely', async (_how, failing, how) => {
    const { url, counts } = await serveScripts(exchange, failing, good);
    const { events, ...config } = observed();
    const response = await post(url, config);
    expect((await bytesOf(response)).equals(whole)).toBe(true);
    expect([response.status, counts.requests]).toEqual([200, 2]);
    expect(events).toMatchObject([
      { type: 'retry', retry: 1, failure: { status: 200, phase: 'stream' } },
      { type: 'recovered', attempts: 2 },
    ]);
    const [retry] = events;
    expect(retry?.type === 'retry' && retry.failure.type === 'stream_interrupted').toBe(how === 'breaks');
  });

  test.each<[string, Script]>([
    ['fails', { parts: [preamble, content('Hello'), error], end: 'eof' }],
    ['is over', { parts: [preamble, content('Hello')], end: 'eof' }],
    ['is reset', { parts: [preamble, content('Hello')], end: 'reset' }],
  ])('that %s after its first content is not retried', async (how, script) => {
    const { url, counts } = await serveScripts(exchange, script, good);
    const response = await post(url);
    const { bytes, error: broken } = await readAll(response);
    expect(bytes.equals(concat(script.parts))).toBe(true);
    expect(broken instanceof TypeError).toBe(how === 'is reset');
    expect(counts.requests).toBe(1);
  });

  test('that is cancelled after its first event ends on the server too', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server = await serve((_request, response) => {
      response.on('close', resolve);
      void play(response, exchange.contentType, { parts: [preamble, content('Hello')], end: 'open' });
    });
    const reader = (await post(server.url)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    await closed;
    expect(server.counts.requests).toBe(1);
  });

  test('that was held is the response of fetch', async () => {
    const { url } = await serveScripts(exchange, { parts: [preamble, content('Hello'), end], end: 'eof' });
    let given: Response | undefined;
    const inner = async (...args: Parameters<typeof fetch>): Promise<Response> => (given = await fetch(...args));
    const response = await createRetryFetch({ fetch: inner })(url, { method: 'POST', body: '{}' });
    expect(response).toBe(given);
    expect([response.url, response.redirected, response.bodyUsed]).toEqual([url, false, false]);
    expect(response.headers.get('x-request-id')).toBe('r1');
    const clone = response.clone();
    expect([clone.url, (await bytesOf(clone)).equals(await bytesOf(response))]).toEqual([url, true]);
  });

  const long = longAnswerOf(exchange);
  const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 12 });

  property.prop([sizes], { numRuns: times({ thorough: 4, otherwise: 1 }) })(
    'arrives byte for byte, however its ten thousand events are cut',
    async (pieces) => {
      const loopback = await serveScripts(exchange, {
        parts: [...cut(long.subarray(0, 2_000), pieces), ...cut(long.subarray(2_000), [...pieces, 1_021])],
        end: 'eof',
      });
      const bytes = await bytesOf(await post(loopback.url));
      await loopback.close();
      expect([bytes.equals(long), loopback.counts.requests]).toEqual([true, 1]);
    },
    60_000,
  );
});

describe('over a socket, a head and then nothing', () => {
  const exchange = exchangeOf('Anthropic Messages');
  const nothing: Script = { parts: [], end: 'open' };

  test('ends at the time limit of the attempt, and another attempt is made', async () => {
    const { url, counts } = await serveScripts(exchange, nothing, { parts: [answerOf(exchange)], end: 'eof' });
    // On a busy machine an answer may take longer too.
    const response = await post(url, { attemptTimeoutMs: 60, maxRetries: 100 });
    expect((await bytesOf(response)).equals(answerOf(exchange))).toBe(true);
    expect(counts.requests).toBeGreaterThan(1);
  });

  test('rejects with the reason of an abort at once, and closes the connection', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    server = await serve((_request, response) => {
      response.on('close', close);
      void play(response, exchange.contentType, { parts: [exchange.preamble], end: 'open' }).then(ask);
    });
    const controller = new AbortController();
    const call = thrownBy(post(server.url, {}, controller.signal));
    await asked;
    const reason = new Error('the user left');
    controller.abort(reason);
    expect(await turnsOf(call)).toBeLessThan(AT_ONCE_TURNS);
    expect(await call).toBe(reason);
    await closed;
    expect([server.counts.requests, getEventListeners(controller.signal, 'abort').length]).toEqual([1, 0]);
  });
});
