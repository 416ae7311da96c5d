import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type RetryConfig, RetryTransport, outcomeOf } from '../../src/index.ts';
import {
  fakeRuntime,
  hangingBody,
  observed,
  respond,
  script,
  scriptTransport,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { scripted } from '../scripted-call.ts';

const POST: RequestInit = { method: 'POST', body: '{}' };
const HELD: RetryConfig = { answers: { holdJson: true } };
const OF_JSON = { 'content-type': 'application/json' };
const OVERLOADED = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });

afterEach(() => {
  vi.useRealTimers();
});

/** A POST whose first answer is given, and whose second is an empty 200. */
async function posted(config: RetryConfig, first: Step, init: RequestInit = POST) {
  const { inner, call } = scripted(config, first, respond(200, {}, 'second'));
  const response = await call(init);
  return { attempts: inner.calls.length, response };
}

describe('holdJson holds a JSON success to POST, so that an error inside it is retried', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/problem+json',
    ' application/vnd.api.v1+json ;v=1',
  ])('as %s', async (contentType) => {
    const { attempts, response } = await posted(HELD, respond(200, { 'content-type': contentType }, OVERLOADED));
    expect([attempts, await response.text()]).toEqual([2, 'second']);
    expect((outcomeOf(response)?.history ?? [])[0]?.failure).toMatchObject({ type: 'overloaded', status: 200 });
  });

  test.each<[string, RetryConfig, number, Record<string, string>, RequestInit]>([
    ['if it is off', { answers: { holdJson: false } }, 200, OF_JSON, POST],
    ['to a GET', HELD, 200, OF_JSON, {}],
    ['with another status', HELD, 201, OF_JSON, POST],
    ['of another type', HELD, 200, { 'content-type': 'text/plain' }, POST],
    ['of a type that only begins so', HELD, 200, { 'content-type': 'application/jsonp' }, POST],
    ['whose type only ends so', HELD, 200, { 'content-type': 'text/x application/json' }, POST],
    ['of no type', HELD, 200, {}, POST],
    ['that is longer than 1 MiB', HELD, 200, { 'content-type': 'application/json', 'content-length': '1048577' }, POST],
  ])('but not %s', async (_which, config, status, headers, init) => {
    const first = respond(status, headers, new TextEncoder().encode(OVERLOADED));
    const { attempts, response } = await posted(config, () => first, init);
    expect([attempts, response === first, response.bodyUsed]).toEqual([1, true, false]);
  });

  test('even if it has exactly as many bytes as are read', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '65536' };
    expect(await posted(HELD, respond(200, headers, OVERLOADED))).toMatchObject({
      attempts: 2,
    });
  });

  test('and returns the same response of a real success, unread', async () => {
    const first = respond(200, OF_JSON, '{"id":"msg_1","content":[]}');
    const { attempts, response } = await posted(HELD, () => first);
    expect([attempts, response, await response.json()]).toEqual([1, first, { id: 'msg_1', content: [] }]);
  });

  test('and returns one unchanged whose body is too long to be read to its end', async () => {
    const long = OVERLOADED.replace('Overloaded', 'x'.repeat(70_000));
    const first = respond(200, OF_JSON, long);
    const { attempts, response } = await posted(HELD, () => first);
    expect([attempts, await response.text()]).toEqual([1, long]);
  });

  test('and an abort during the reading rejects with its reason and cancels the body', async () => {
    const { body, isCancelled } = hangingBody();
    const abort = new AbortController();
    const { call } = scripted(HELD, () => respond(200, OF_JSON, body));
    const thrown = thrownBy(call({ ...POST, signal: abort.signal }));
    await settle();
    abort.abort('enough');
    expect(await thrown).toBe('enough');
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('and a body that stalls is retried after attemptTimeoutMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body, isCancelled } = hangingBody(new TextEncoder().encode('{"id":'));
    const first = respond(200, OF_JSON, body);
    const answered = posted({ attemptTimeoutMs: 60_000, answers: { holdJson: true } }, () => first);
    await settle();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(isCancelled()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { attempts, response } = await answered;
    expect([attempts, await response.text(), isCancelled()]).toEqual([2, 'second', true]);
    expect((outcomeOf(response)?.history ?? [])[0]?.failure).toMatchObject({ type: 'timeout' });
  });

  test('and a body of white space, then of JSON, is handed over after 30 s without attemptTimeoutMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body } = hangingBody(new TextEncoder().encode('  \n'));
    const first = respond(200, OF_JSON, body);
    const answered = posted(HELD, () => first);
    await settle();
    await vi.advanceTimersByTimeAsync(30_000);
    const { attempts, response } = await answered;
    expect([attempts, response]).toEqual([1, first]);
  });

  test.each<[string, string, number]>([
    ['to a model by default', 'https://api.openai.com/v1/chat/completions', 2],
    ['elsewhere not by default', 'https://api.example.com/payments', 1],
  ])('and holds that of a request %s', async (_where, url, requests) => {
    const runtime = fakeRuntime();
    const inner = script(runtime, () => respond(200, OF_JSON, OVERLOADED), 200);
    await createRetryFetch({ fetch: inner, runtime })(url, { method: 'POST', body: '{"model":"m","messages":[]}' });
    expect(inner.calls).toHaveLength(requests);
  });

  test('and the error of a callback contains it', async () => {
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    await posted({ onRetry, answers: { holdJson: true } }, respond(200, OF_JSON, OVERLOADED));
    expect(onRetry.mock.calls[0]?.[1].message).toBe(`HTTP 200: ${OVERLOADED}`);
  });

  test('and does so if streams are not guarded', async () => {
    const config = { answers: { holdUntil: 'headers', holdJson: true } } as const;
    expect(await posted(config, respond(200, OF_JSON, OVERLOADED))).toMatchObject({
      attempts: 2,
    });
  });
});

describe('a stream that ends before its first content', () => {
  const EVENTS = { 'content-type': 'text/event-stream' };
  const MESSAGE_START = 'event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\n';
  const broken = (cause?: unknown): Response =>
    respond(
      200,
      EVENTS,
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(MESSAGE_START)),
        pull: (controller) => (cause === undefined ? controller.close() : controller.error(cause)),
      }),
    );
  const connectionReset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

  test.each<[string, unknown, RegExp]>([
    ['by its end', undefined, /^The stream ended before its first content$/],
    ['by an error of the network', connectionReset, /^The stream ended before its first content: .*ECONNRESET/],
  ])('%s is retried as an interrupted stream', async (_how, cause, message) => {
    const { attempts, response } = await posted({}, () => broken(cause));
    expect([attempts, await response.text()]).toEqual([2, 'second']);
    expect((outcomeOf(response)?.history ?? [])[0]?.failure).toMatchObject({
      type: 'stream_interrupted',
      status: 200,
      phase: 'stream',
      message: expect.stringMatching(message),
      ...(cause !== undefined && { code: 'ECONNRESET' }),
    });
  });

  test('by a signal that is not that of the caller rejects with the same error, without a retry', async () => {
    const aborted = new DOMException('gone', 'AbortError');
    const { inner, call } = scripted({}, () => broken(aborted));
    expect(await thrownBy(call(POST))).toBe(aborted);
    expect(inner.calls).toHaveLength(1);
  });

  test('shows nothing of the stream in the error of a callback', async () => {
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    await posted({ onRetry }, () => broken());
    expect(onRetry.mock.calls[0]?.[1].message).toBe('HTTP 200');
  });

  test('is waited for no longer than attemptTimeoutMs, which ends at the first content', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body } = hangingBody(new TextEncoder().encode(MESSAGE_START));
    const answered = posted({ attemptTimeoutMs: 50 }, () => respond(200, EVENTS, body));
    await settle();
    await vi.advanceTimersByTimeAsync(50);
    await settle();
    expect((outcomeOf((await answered).response)?.history ?? [])[0]?.failure).toMatchObject({
      type: 'timeout',
      retryable: true,
    });
  });

  test('is retried after attemptTimeoutMs also if its timer was late, and the response headers came meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body } = hangingBody(new TextEncoder().encode(MESSAGE_START));
    const answered = posted({ attemptTimeoutMs: 50 }, () => {
      const late = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
      vi.advanceTimersByTime(40);
      late.mockRestore();
      return respond(200, EVENTS, body);
    });
    await settle();
    await vi.advanceTimersByTimeAsync(500);
    expect((outcomeOf((await answered).response)?.history ?? [])[0]?.failure?.type).toBe('timeout');
  });

  test('has its wait counted from its end, not from its head', async () => {
    const runtime = fakeRuntime();
    const late = (): Response => {
      const stream = new ReadableStream<Uint8Array>(
        {
          start: (controller) => controller.enqueue(new TextEncoder().encode(MESSAGE_START)),
          pull: (controller) => {
            runtime.time += 400;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      return respond(200, EVENTS, stream);
    };
    const inner = script(runtime, late, 200);
    const startedAt = runtime.time;
    await createRetryFetch({ fetch: inner, runtime, jitter: 'none' })(URL_OF_TEST, POST);
    expect(inner.calls.map(({ at }) => at - startedAt)).toEqual([0, 1_400]);
  });

  test('is returned if streams are not guarded, even if JSON is', async () => {
    const first = broken();
    const { attempts, response } = await posted({ answers: { holdUntil: 'headers', holdJson: true } }, () => first);
    expect([attempts, response]).toEqual([1, first]);
  });
});

describe('an inner transport may return less than a Response:', () => {
  const transportOf = (answer: unknown) => {
    const calls: unknown[] = [];
    const get = (...args: unknown[]): never => (calls.push(args), answer) as never;
    return { calls, inner: { get, post: get } };
  };

  test.each([
    ['an answer that is no promise', { ok: true, status: 200 }],
    ['an answer without headers', { ok: true }],
    ['headers without get()', { ok: true, status: 200, headers: {} }],
    ['headers in a Map, without a content type', { ok: true, status: 200, headers: new Map() }],
    ['nothing', undefined],
    ['a text', 'done'],
  ])('%s is returned itself, after one attempt', async (_what, answer) => {
    const { inner, calls } = transportOf(answer);
    const transport = new RetryTransport(inner, { runtime: fakeRuntime(), answers: { holdJson: true } });
    expect([await transport.post(URL_OF_TEST, {}), calls.length]).toEqual([answer, 1]);
  });

  test('a status that is not valid in HTTP is a failure of unknown type, returned without a retry', async () => {
    const odd = { ok: false, status: Number.NaN, text: async () => '', json: async () => ({}) };
    const { inner, calls } = transportOf(Promise.resolve(odd));
    const { events, ...config } = observed({ runtime: fakeRuntime() });
    const response = await new RetryTransport(inner, config).get(URL_OF_TEST);
    expect([response.status, calls.length, events.at(-1)]).toMatchObject([
      Number.NaN,
      1,
      { type: 'failed', because: 'not-retryable', failure: { type: 'unknown' } },
    ]);
  });
});

describe('the headers that an attempt adds', () => {
  test('are one key for all attempts, over a transport too', async () => {
    const inner = scriptTransport(503, 503, 200);
    const config = { runtime: fakeRuntime(), idempotencyKeyHeader: 'idempotency-key' };
    await new RetryTransport(inner, config).post(URL_OF_TEST, {}, { 'x-own': '1' });
    const sent = inner.calls.map(([, , headers]) => new Headers(headers as Record<string, string>));
    expect(new Set(sent.map((headers) => headers.get('idempotency-key'))).size).toBe(1);
    expect(sent.map((headers) => headers.get('x-own'))).toEqual(['1', '1', '1']);
  });

  test('are none without an option: the inner fetch gets the same init object of the caller first', async () => {
    const { inner, call } = scripted({}, 200);
    const init = { method: 'POST', body: 'x' };
    await call(init);
    expect(inner.calls[0]?.init).toBe(init);
  });
});

test('a listener that aborts at the event of an attempt prevents it', async () => {
  const abort = new AbortController();
  const runtime = fakeRuntime();
  const inner = script(runtime, 503, 200);
  const retrying = createRetryFetch({
    fetch: inner,
    runtime,
    onEvent: ({ type }) => {
      if (type === 'attempt') abort.abort('heard enough');
    },
  });
  expect(await thrownBy(retrying(URL_OF_TEST, { signal: abort.signal }))).toBe('heard enough');
  expect(inner.calls).toHaveLength(1);
});
