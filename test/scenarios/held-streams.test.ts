import { describe, expect, test, vi } from 'vitest';
import { completions, responseOf } from '../../mocks/index.ts';
import { createRetryFetch, presets, type RetryConfig, RetryExhaustedError, RetryTransport } from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, scriptTransport, settle, thrownBy, URL_OF_TEST } from '../script.ts';
import { answerOf, exchangeOf, exchanges, sourceOf, streamed } from '../http/exchanges.ts';
import { concat } from '../protocol/frames.ts';
import { failOnUnhandled } from '../unhandled.ts';

const anthropic = exchangeOf('Anthropic Messages');
const { preamble, error } = anthropic;
const post = { method: 'POST', body: '{}' } as const;
const bytesOf = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer());

failOnUnhandled();

describe.each(Object.entries(exchanges))('a stream of %s', (_name, exchange) => {
  const whole = answerOf(exchange);

  test.each([
    ['fails before its content', [exchange.preamble, exchange.error], 'eof'],
    ['is over before its content', [exchange.preamble], 'eof'],
    ['is reset before its content', [exchange.preamble], 'reset'],
    ['is reset right after the head', [], 'reset'],
  ] as const)('that %s costs a second request, and nothing of the first is seen', async (_how, parts, end) => {
    const runtime = fakeRuntime();
    const first = sourceOf(parts, end);
    const inner = script(runtime, () => streamed(exchange, first), streamed(exchange, sourceOf([whole])));
    const response = await createRetryFetch({ fetch: inner, runtime })(URL_OF_TEST, post);
    expect(Buffer.compare(await bytesOf(response), whole)).toBe(0);
    expect([inner.calls.length, runtime.slept]).toEqual([2, [1_000]]);
  });

  test.each([
    ['fails', [exchange.error], 'eof'],
    ['is over', [], 'eof'],
    ['is reset', [], 'reset'],
  ] as const)('that %s after its content is not asked for again, whatever the policy', async (_how, rest, end) => {
    const policies: RetryConfig[] = [
      {},
      presets.patient,
      presets.agent,
      { retryableStatusCodes: [200, 503] },
      { classify: (failure) => ({ ...failure, retryable: true }) },
    ];
    for (const policy of policies) {
      const runtime = fakeRuntime();
      const { events, ...config } = observed({ ...policy, runtime });
      const source = sourceOf([exchange.preamble, exchange.content('Hello'), ...rest], end);
      const given = streamed(exchange, source);
      const inner = script(runtime, () => given);
      expect(await createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, post)).toBe(given);
      await given.arrayBuffer().catch(() => {});
      await settle();
      expect([inner.calls.length, events, runtime.slept]).toEqual([1, [], []]);
    }
  });
});

describe('a held stream that is given up', () => {
  const failing = (): Response => streamed(anthropic, sourceOf([preamble, error]));

  test('is the last response, with every byte', async () => {
    const runtime = fakeRuntime();
    const given: Response[] = [];
    const { events, ...config } = observed({ runtime, maxRetries: 2 });
    const inner = script(runtime, () => given[given.push(failing()) - 1] ?? failing());
    const response = await createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, post);
    expect(response).toBe(given[2]);
    expect(await bytesOf(response)).toEqual(concat([preamble, error]));
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'failed']);
  });

  test('is in the error of `exhausted`, where it can be read', async () => {
    const runtime = fakeRuntime();
    const config = { runtime, maxRetries: 1, exhausted: 'throw' } as const;
    const thrown = await thrownBy(createRetryFetch({ fetch: script(runtime, failing), ...config })(URL_OF_TEST, post));
    if (!(thrown instanceof RetryExhaustedError)) throw thrown;
    expect(thrown).toMatchObject({ attempts: 2 });
    expect(thrown.response instanceof Response && (await bytesOf(thrown.response))).toEqual(concat([preamble, error]));
  });

  test('of a permanent failure is returned at once', async () => {
    const runtime = fakeRuntime();
    const quota = new TextEncoder().encode('data: {"error":{"code":"insufficient_quota","message":"Quota"}}\n\n');
    const inner = script(runtime, () => streamed(anthropic, sourceOf([quota])));
    const response = await createRetryFetch({ fetch: inner, runtime })(URL_OF_TEST, post);
    expect([inner.calls.length, await bytesOf(response)]).toEqual([1, quota]);
  });

  test('releases the streams of earlier attempts', async () => {
    const runtime = fakeRuntime();
    const first = sourceOf([preamble, error], 'open');
    const inner = script(runtime, () => streamed(anthropic, first), responseOf(completions.anthropicStream('Hello')));
    await (await createRetryFetch({ fetch: inner, runtime })(URL_OF_TEST, post)).text();
    expect(first.isCancelled()).toBe(true);
  });
});

describe('the time limit of a held attempt', () => {
  test('given up, rejects with a TimeoutError that names the limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ runtime, maxRetries: 1, attemptTimeoutMs: 5_000 });
    const sources = [sourceOf([preamble], 'open'), sourceOf([], 'open')] as const;
    const [first, second] = [streamed(anthropic, sources[0]), streamed(anthropic, sources[1])];
    const inner = script(
      runtime,
      () => first,
      () => second,
    );
    const call = thrownBy(createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, post));
    await vi.advanceTimersByTimeAsync(5_000);
    await settle();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await call).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('5000 ms') });
    expect(events).toMatchObject([{ failure: { type: 'timeout' } }, { failure: { type: 'timeout' } }]);
    await settle();
    expect(sources.map((source) => source.isCancelled())).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('ended by a signal of another program is permanent', async () => {
    const runtime = fakeRuntime();
    const ended = new DOMException('enough', 'AbortError');
    const body = new ReadableStream({ pull: (controller) => controller.error(ended) });
    const onRetry = vi.fn<() => void>();
    const inner = script(runtime, () => respond(200, { 'content-type': 'text/event-stream' }, body));
    expect(await thrownBy(createRetryFetch({ fetch: inner, runtime, onRetry })(URL_OF_TEST, post))).toBe(ended);
    expect([inner.calls.length, onRetry.mock.calls]).toEqual([1, []]);
  });
});

describe('a stream that is not held', () => {
  const failing = (status = 200): Response =>
    respond(status, { 'content-type': 'text/event-stream' }, new TextDecoder().decode(error));

  test.each<[what: string, init: RequestInit, config: RetryConfig, status: number]>([
    ['the answer to a GET', {}, {}, 200],
    ['without the guard', post, { answers: { holdUntil: 'headers' } }, 200],
    ['of another status', post, {}, 202],
  ])('is returned unchanged: %s', async (_what, init, config, status) => {
    const runtime = fakeRuntime();
    const given = failing(status);
    const clone = vi.spyOn(given, 'clone');
    const inner = script(runtime, () => given);
    expect(await createRetryFetch({ fetch: inner, runtime, ...config })(URL_OF_TEST, init)).toBe(given);
    expect([inner.calls.length, clone.mock.calls.length]).toEqual([1, 0]);
  });

  test('has a body that is not a web stream, as in some fetches', async () => {
    const given = failing();
    const clone = vi.fn<() => Response>();
    Object.defineProperties(given, { body: { value: { pipe: () => {} } }, clone: { value: clone } });
    const inner = scriptTransport(given);
    expect(await new RetryTransport(inner).post(URL_OF_TEST, {})).toBe(given);
    expect([inner.calls.length, clone.mock.calls]).toEqual([1, []]);
  });
});

test('a wait counts from the event with the hint, not from the head', async () => {
  const runtime = fakeRuntime();
  const limited = new TextEncoder().encode('data: {"error":{"message":"Please try again in 20s"}}\n\n');
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        runtime.time += 25_000;
        controller.enqueue(limited.slice());
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const whole = streamed(anthropic, sourceOf([answerOf(anthropic)]));
  const inner = script(runtime, () => streamed(anthropic, { body }), whole);
  await createRetryFetch({ fetch: inner, runtime })(URL_OF_TEST, post);
  expect(runtime.slept[0]).toBeGreaterThanOrEqual(20_000);
});
