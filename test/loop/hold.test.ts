import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { completions, recording, type RecordingName, responseOf } from '../../mocks/index.ts';
import type { RetryConfig } from '../../src/policy/config.ts';
import { isStreamed, lookInside, needsHold, peekSettled } from '../../src/loop/hold.ts';
import { resolveConfig } from '../../src/policy/policy.ts';
import { hangingBody, respond, settle, thrownBy } from '../script.ts';
import { exchanges, sourceOf, streamed } from '../stream/exchanges.ts';
import { failOnUnhandled } from '../unhandled.ts';

const SSE = { contentType: 'text/event-stream' };
const SECRET = 'sesame-of-forty-thieves';
const PREAMBLE = new TextEncoder().encode('event: message_start\ndata: {}\n\n');

const look = (
  response: Response,
  config: RetryConfig = { guardJson: true },
  signal?: AbortSignal,
): ReturnType<typeof lookInside> =>
  lookInside(response, resolveConfig(config), signal, Date.UTC(2026, 10, 20), { secrets: [SECRET] });

const json = (value: unknown, headers: Record<string, string> = {}): Response =>
  respond(200, { 'content-type': 'application/json', ...headers }, JSON.stringify(value));

failOnUnhandled();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a success is looked into', () => {
  test.each<[what: string, contentType: string, config: RetryConfig, expected: boolean]>([
    ['server-sent events', 'text/event-stream', {}, true],
    ['server-sent events with a charset', 'text/event-stream; charset=utf-8', {}, true],
    ['lines of JSON', 'application/x-ndjson', {}, true],
    ['lines of JSON by their other name, which begins like JSON', 'application/jsonl', {}, true],
    ['lines of JSON by their long name', 'application/jsonlines', {}, true],
    ['a stream of JSON', 'application/stream+json', {}, true],
    ['frames of AWS', 'application/vnd.amazon.eventstream', {}, true],
    ['streams with limits', 'text/event-stream', { guardStreams: { maxHoldMs: 1 } }, true],
    ['streams, but not without the guard', 'text/event-stream', { guardStreams: false }, false],
    ['streams, but not for the guard of JSON', 'text/event-stream', { guardStreams: false, guardJson: true }, false],
    ['JSON, but not by default', 'application/json', {}, false],
    ['JSON with a charset, but not by default', 'application/json; charset=utf-8', {}, false],
    ['JSON, when told so', 'application/json', { guardJson: true }, true],
    ['JSON, when told so and streams are not', 'application/json', { guardStreams: false, guardJson: true }, true],
    ['JSON with a charset, when told so', 'application/json;charset=utf-8', { guardJson: true }, true],
    ['JSON in capitals, when told so', 'Application/JSON ; charset=utf-8', { guardJson: true }, true],
    ['JSON of a kind, when told so', 'application/problem+json', { guardJson: true }, true],
    ['text, never', 'text/plain', { guardJson: true }, false],
    ['no stream of events, never', 'application/octet-stream', { guardJson: true }, false],
  ])('%s', (_what, contentType, config, expected) => {
    const response = respond(200, { 'content-type': contentType }, '{}');
    expect(needsHold(resolveConfig(config), 'POST', response)).toBe(expected);
    expect(needsHold(resolveConfig(config), 'GET', response)).toBe(false);
  });

  test('unless it is known to be a big JSON', () => {
    const policy = resolveConfig({ guardJson: true });
    const sized = (length: string): Response => json({}, { 'content-length': length });
    expect([sized('65536'), sized('65537')].map((response) => needsHold(policy, 'POST', response))).toEqual([
      true,
      false,
    ]);
  });

  test.each([201, 202, 206, 302, 400, 529])('only with status 200, not %i', (status) => {
    const response = respond(status, { 'content-type': 'text/event-stream' }, 'data: {}\n\n');
    expect(needsHold(resolveConfig({}), 'POST', response)).toBe(false);
  });

  test('only with a body that can be read twice', async () => {
    const body = (): ReadableStream<Uint8Array> => sourceOf([PREAMBLE]).body;
    const headers = new Headers({ 'content-type': 'text/event-stream' });
    const used = respond(200, { 'content-type': 'text/event-stream' }, 'data: {}\n\n');
    const reader = used.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
    const locked = streamed(SSE, sourceOf([PREAMBLE]));
    locked.body?.getReader();
    const refused: readonly unknown[] = [
      used,
      locked,
      respond(200, { 'content-type': 'text/event-stream' }, null),
      respond(204, { 'content-type': 'text/event-stream' }),
      respond(200, {}, body()),
      { status: 200, headers, body: body(), bodyUsed: false },
      { status: 200, headers, body: { pipe: () => {} }, bodyUsed: false, clone: () => {} },
      { status: 200, headers, bodyUsed: false, clone: () => {} },
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: body(), clone: () => {} },
      { status: 200 },
      undefined,
    ];
    for (const response of refused) expect(needsHold(resolveConfig({}), 'POST', response)).toBe(false);
  });

  test('as a stream or as a whole', () => {
    expect(isStreamed(streamed(SSE, sourceOf([])))).toBe(true);
    expect(isStreamed(json({}))).toBe(false);
  });
});

describe('a JSON answer that carries a failure', () => {
  test.each([
    ['OpenRouter', { error: { code: 429, message: 'Provider returned error' } }, 'rate_limit', true],
    ['Responses', { object: 'response', status: 'failed', error: { code: 'server_error' } }, 'server_error', true],
    ['Ollama', { error: 'model runner has unexpectedly stopped' }, 'server_error', true],
    ['a quota', { error: { code: 'insufficient_quota', message: 'Quota' } }, 'quota_exhausted', false],
  ])('is found: %s', async (_who, value, type, retryable) => {
    const response = json(value);
    const found = await look(response);
    expect(found?.verdict.failure).toMatchObject({ type, retryable, status: 200, phase: 'stream' });
    expect(found?.body).toBe(JSON.stringify(value));
    expect([response.bodyUsed, await response.json()]).toEqual([false, value]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['an answer', responseOf(completions.openai('Hello'))],
    ['a job that has failed', json({ object: 'batch', status: 'failed', error: {} })],
    ['an error of another protocol', json({ jsonrpc: '2.0', error: { code: -32_000 } })],
    ['half of a JSON', respond(200, { 'content-type': 'application/json' }, '{"error":{"code":42')],
    ['an empty body', respond(200, { 'content-type': 'application/json' }, '')],
    ['more than is read', json({ error: { message: 'x'.repeat(70_000) } })],
  ])('is not %s', async (_what, response) => {
    const copy = response.clone();
    expect(await look(response)).toBeNull();
    expect(await response.text()).toBe(await copy.text());
  });

  test('is not waited for longer than a look takes', async () => {
    const { body, isCancelled } = hangingBody(new TextEncoder().encode('{"error":"no end"}'));
    const response = respond(200, { 'content-type': 'application/json' }, body);
    const looking = look(response);
    await settle();
    await vi.advanceTimersByTimeAsync(250);
    expect(await looking).toBeNull();
    expect([response.bodyUsed, isCancelled()]).toEqual([false, false]);
  });

  test('rejects with the reason of an abort', async () => {
    const controller = new AbortController();
    const looking = thrownBy(
      look(
        respond(200, { 'content-type': 'application/json' }, hangingBody().body),
        { guardJson: true },
        controller.signal,
      ),
    );
    controller.abort('enough');
    expect(await looking).toBe('enough');
  });

  test('is only looked into where streams are not guarded', async () => {
    const response = streamed(SSE, sourceOf([PREAMBLE]));
    expect(await look(response, { guardStreams: false, guardJson: true })).toBeNull();
  });
});

describe('a stream that fails before its content', () => {
  test.each<[RecordingName, string, boolean]>([
    ['anthropic-stream-first-event-overloaded', 'overloaded', true],
    ['openai-stream-responses-insufficient-quota', 'quota_exhausted', false],
    ['vllm-stream-400-in-band', 'context_too_long', false],
  ])('is what its event says: %s', async (name, type, retryable) => {
    const found = await look(responseOf(recording(name)));
    expect(found?.verdict).toMatchObject({ basis: 'evidence', failure: { type, retryable, phase: 'stream' } });
    expect(found?.body).toMatch(/^\{.*\}$/s);
  });

  test.each(Object.entries(exchanges))('is retryable when its error is transient: %s', async (_name, exchange) => {
    const found = await look(streamed(exchange, sourceOf([exchange.preamble, exchange.error])));
    expect(found?.verdict.failure).toMatchObject({ retryable: true, status: 200, phase: 'stream' });
  });

  test('is interrupted when it is over, which names no code', async () => {
    const found = await look(streamed(SSE, sourceOf([PREAMBLE])));
    expect(found).toEqual({
      body: '',
      verdict: {
        basis: 'evidence',
        serverSaid: null,
        failure: {
          type: 'stream_interrupted',
          retryable: true,
          category: 'retryable',
          status: 200,
          message: 'The stream ended before its first content',
          phase: 'stream',
        },
      },
    });
    expect(Object.isFrozen(found?.verdict.failure)).toBe(true);
  });

  test('is interrupted when it breaks, with the code and the words of what broke it, scrubbed', async () => {
    const cause = Object.assign(new Error(`other side closed https://${SECRET}@example.com`), {
      code: 'UND_ERR_SOCKET',
    });
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated', { cause })) });
    const found = await look(respond(200, { 'content-type': 'text/event-stream' }, body));
    expect(found?.verdict.failure).toMatchObject({
      type: 'stream_interrupted',
      retryable: true,
      code: 'UND_ERR_SOCKET',
    });
    expect(found?.verdict.failure.message).toMatch(/^The stream ended before its first content: /);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  test.each(['AbortError', 'TimeoutError'])('is not failed by an %s, which is somebody’s signal', async (name) => {
    const error = new DOMException('enough', name);
    const body = new ReadableStream({ pull: (controller) => controller.error(error) });
    expect(await thrownBy(look(respond(200, { 'content-type': 'text/event-stream' }, body)))).toBe(error);
  });

  test('lets a stream go that is well', async () => {
    const response = responseOf(completions.anthropicStream('Hello'));
    expect(await look(response, {})).toBeNull();
    expect(await response.text()).toContain('Hello');
  });
});

describe('a look at what an attempt gave', () => {
  test('reads a response that failed by its status', async () => {
    expect(await peekSettled({ response: respond(503, {}, 'busy') }, undefined)).toMatchObject({ drained: true });
  });

  test('does not read again what was found inside a success, whose rest is on the wire', async () => {
    const response = streamed(SSE, sourceOf([PREAMBLE]));
    const inBand = await look(response);
    if (inBand === null) throw new Error('Expected a failure inside the stream.');
    expect(await peekSettled({ response, inBand }, undefined)).toEqual({ body: '', drained: false });
  });

  test('has nothing to read in what was thrown, or is no response', () => {
    expect(peekSettled({ error: new Error('x') }, undefined)).toBeUndefined();
    expect(peekSettled({ response: 'text' }, undefined)).toBeUndefined();
  });
});
