import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RetryConfig } from '../../src/policy/config.ts';
import type { AttemptChanges, Exchange, Settled } from '../../src/loop/exchange.ts';
import type { FallbackRequest } from '../../src/fallback/fallback.ts';
import { resolveConfig } from '../../src/policy/policy.ts';
import { Sender } from '../../src/loop/sender.ts';
import { hangingBody, respond, settle } from '../script.ts';
import { sourceOf, streamed } from '../stream/exchanges.ts';
import { failOnUnhandled } from '../unhandled.ts';

const SSE = { contentType: 'text/event-stream' };
const CONTENT = new TextEncoder().encode('event: content_block_delta\ndata: {}\n\n');
const OVERLOADED = new TextEncoder().encode('event: error\ndata: {"error":{"type":"overloaded_error"}}\n\n');

/** A sender whose exchange answers with `answer`, and what the exchange was told of each attempt. */
function senderOf(
  answer: () => Promise<Response>,
  config: RetryConfig = {},
  signal?: AbortSignal,
  learn: (request: FallbackRequest) => void = () => {},
) {
  const sent: { readonly last: boolean; readonly changes: AttemptChanges | undefined }[] = [];
  const exchange: Exchange<Response> = {
    method: 'POST',
    url: 'https://api.example.com',
    headers: undefined,
    signal,
    replayable: true,
    send: (_attempt, last, changes) => {
      sent.push({ last, changes });
      return answer();
    },
    defer: () => {},
    release: () => {},
  };
  const sender = new Sender(resolveConfig(config), exchange, { secrets: [], learn });
  const attempt = async (): Promise<Settled<Response>> =>
    sender.inspect(await sender.send(sent.length + 1, false, undefined), Date.now());
  return { sender, sent, attempt };
}

const errorOf = (settled: Settled<Response>): unknown => ('error' in settled ? settled.error : undefined);

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('an attempt', () => {
  test('without anything to add gets the arguments of the caller', async () => {
    const response = respond(200);
    const { sender, sent } = senderOf(async () => response);
    expect(await sender.send(1, true, undefined)).toEqual({ response });
    expect(sent).toEqual([{ last: true, changes: undefined }]);
  });

  test('that throws has that error', async () => {
    const error = new Error('refused');
    const { attempt } = senderOf(async () => Promise.reject(error), { attemptTimeoutMs: 1_000 });
    expect(await attempt()).toEqual({ error });
  });

  test('carries its number from the first retry on, and one key each time', async () => {
    const { sender, sent } = senderOf(async () => respond(200), {
      attemptHeader: 'x-retry-count',
      idempotencyKeyHeader: 'idempotency-key',
    });
    for (const attempt of [1, 2, 3]) await sender.send(attempt, false, undefined);
    const headers = sent.map(({ changes }) => changes?.headers ?? {});
    expect(headers.map((header) => header['x-retry-count'])).toEqual([undefined, '1', '2']);
    expect(new Set(headers.map((header) => header['idempotency-key'])).size).toBe(1);
    expect(headers[0]?.['idempotency-key']).toMatch(/^[\da-f-]{32,36}$/);
  });

  test.each([
    ['at once', (request: FallbackRequest) => request],
    ['later', async (request: FallbackRequest) => request],
  ])('to a target teaches the announcer what the target was sent, rewritten %s', async (_when, requestFor) => {
    const learn = vi.fn<(request: FallbackRequest) => void>();
    const { sender, sent } = senderOf(async () => respond(200), {}, undefined, learn);
    await sender.send(1, false, { name: 'second', requestFor });
    const request = { url: 'https://second.example.com', headers: { 'x-api-key': 'k' }, body: '{}' };
    expect(await sent[0]?.changes?.target?.requestFor(request)).toEqual(request);
    expect([sent[0]?.changes?.target?.name, learn.mock.calls]).toEqual(['second', [[request]]]);
  });

  test.each([
    ['a plain answer', () => respond(200, {}, 'ok')],
    ['a failed answer', () => respond(503, {}, 'busy')],
    ['a stream with content', () => streamed(SSE, sourceOf([CONTENT]))],
  ])('is given back as it is: %s', async (_what, answer) => {
    const response = answer();
    const { attempt } = senderOf(async () => response, { attemptTimeoutMs: 1_000 });
    expect(await attempt()).toEqual({ response });
    expect(response.bodyUsed).toBe(false);
  });

  test('that needs no look is given back in the same turn', () => {
    const { sender } = senderOf(async () => respond(200));
    const settled = { response: respond(200, {}, 'ok') };
    expect(sender.inspect(settled, 0)).toBe(settled);
  });

  test('with a failure inside a success has both', async () => {
    const response = streamed(SSE, sourceOf([OVERLOADED]));
    const { attempt } = senderOf(async () => response);
    const settled = await attempt();
    expect(settled).toMatchObject({ inBand: { verdict: { failure: { type: 'overloaded' } } } });
    expect('response' in settled && settled.response === response).toBe(true);
  });
});

describe('the limit on an attempt', () => {
  const config = { attemptTimeoutMs: 1_000 };
  const limitOf = (sent: readonly { readonly changes: AttemptChanges | undefined }[]): AbortSignal | undefined =>
    sent.at(-1)?.changes?.signal;

  test('runs while a stream is held, ends it with an error that names it, and lets both of its branches go', async () => {
    const source = sourceOf([], 'open');
    const { attempt } = senderOf(async () => streamed(SSE, source), config);
    const settling = attempt();
    await settle();
    vi.advanceTimersByTime(1_000);
    expect(errorOf(await settling)).toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('1000 ms (attemptTimeoutMs)'),
    });
    await settle();
    expect(source.isCancelled()).toBe(true);
  });

  test('is over once a stream is let go', async () => {
    const { attempt, sent } = senderOf(async () => streamed(SSE, sourceOf([CONTENT], 'open')), config);
    await attempt();
    vi.advanceTimersByTime(10_000);
    expect(limitOf(sent)?.aborted).toBe(false);
  });

  test('does not cut a JSON answer whose head came in time', async () => {
    const { body } = hangingBody(new TextEncoder().encode('{"id":'));
    const response = respond(200, { 'content-type': 'application/json' }, body);
    const { attempt, sent } = senderOf(async () => response, { attemptTimeoutMs: 100, guardJson: true });
    const settling = attempt();
    await settle();
    vi.advanceTimersByTime(100);
    await settle();
    vi.advanceTimersByTime(150);
    expect(await settling).toEqual({ response });
    expect(limitOf(sent)?.aborted).toBe(false);
  });

  test('still follows the abort of the caller after the stream is let go', async () => {
    const caller = new AbortController();
    const { attempt, sent } = senderOf(async () => streamed(SSE, sourceOf([CONTENT])), config, caller.signal);
    await attempt();
    caller.abort('enough');
    expect(limitOf(sent)).toMatchObject({ aborted: true, reason: 'enough' });
  });
});

describe('an abort while a stream is held', () => {
  test.each([
    ['without a limit', {}],
    ['with a limit', { attemptTimeoutMs: 1_000 }],
  ])('gives its reason and lets the stream go, %s', async (_how, config) => {
    const caller = new AbortController();
    const source = sourceOf([], 'open');
    const { attempt } = senderOf(async () => streamed(SSE, source), config, caller.signal);
    const settling = attempt();
    await settle();
    const reason = new Error('the user left');
    caller.abort(reason);
    expect(errorOf(await settling)).toBe(reason);
    await settle();
    expect(source.isCancelled()).toBe(true);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });
});
