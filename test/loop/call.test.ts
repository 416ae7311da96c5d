import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, RetryController, outcomeOf } from '../../src/index.ts';
import { fakeRuntime, hangingBody, observed, respond, script, settle, thrownBy, URL_OF_TEST } from '../script.ts';
import { fetched, reset, scripted } from '../scripted-call.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a call that gives up on a response', () => {
  test('returns the same object, unread, with its url, headers and status', async () => {
    const last = fetched(503, 'busy', { 'x-request-id': 'abc' });
    const response = await scripted({ maxRetries: 1 }, 503, () => last).call();
    expect(response).toBe(last);
    expect([response.status, response.url, response.headers.get('x-request-id'), response.bodyUsed]).toEqual([
      503,
      URL_OF_TEST,
      'abc',
      false,
    ]);
    await expect(response.text()).resolves.toBe('busy');
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 425, 501, 505])('returns a %i at once', async (status) => {
    const { call, inner } = scripted({}, status);
    expect((await call()).status).toBe(status);
    expect(inner.calls).toHaveLength(1);
  });

  test('returns an endless stream as the same stream', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body, isCancelled } = hangingBody(new TextEncoder().encode('first'));
    const call = scripted({ maxRetries: 0 }, () => fetched(503, body)).call();
    await vi.advanceTimersByTimeAsync(250);
    const response = await call;
    expect(isCancelled()).toBe(false);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  });

  test('has every attempt in its history', async () => {
    const response = await scripted({ maxRetries: 2 }, 503, reset(), 429).call();
    expect(outcomeOf(response)?.history ?? []).toMatchObject([
      { attempt: 1, delayMs: 1_000, because: 'backoff', failure: { status: 503, type: 'overloaded' } },
      { attempt: 2, delayMs: 2_000, because: 'backoff', failure: { type: 'connection_error', code: 'ECONNRESET' } },
      { attempt: 3, delayMs: null, because: null, failure: { status: 429, type: 'rate_limit' } },
    ]);
  });
});

describe('a call that gives up on an error', () => {
  test('rethrows the same object, with its history', async () => {
    const errors = [reset(), reset(), reset()] as const;
    const thrown = await thrownBy(scripted({ maxRetries: 2 }, ...errors).call());
    expect(thrown).toBe(errors[2]);
    expect(outcomeOf(errors[2])?.history ?? []).toHaveLength(3);
    expect(outcomeOf(errors[0])?.history ?? []).toEqual([]);
  });

  test('rethrows an unknown error at once', async () => {
    const error = new RangeError('a bug');
    const { call, inner } = scripted({}, error);
    expect(await thrownBy(call())).toBe(error);
    expect(inner.calls).toHaveLength(1);
    expect(outcomeOf(error)?.history ?? []).toMatchObject([{ failure: { type: 'unknown' } }]);
  });
});

describe('a success', () => {
  test('at the first attempt has no history', async () => {
    expect(outcomeOf(await scripted({}, 200).call())?.history ?? []).toEqual([]);
  });

  test('after retries has the whole history, itself included', async () => {
    const response = await scripted({}, 503, 200).call();
    const history = outcomeOf(response)?.history ?? [];
    expect(history).toMatchObject([
      { attempt: 1, failure: { status: 503 }, delayMs: 1_000 },
      { attempt: 2, failure: null, delayMs: null, because: null },
    ]);
    expect(Object.isFrozen(history)).toBe(true);
    expect(history.every((record) => Object.isFrozen(record))).toBe(true);
  });
});

describe('times in the history', () => {
  test('come from the clock of the runtime', async () => {
    const runtime = fakeRuntime();
    const start = runtime.time;
    const slow = (status: number) => () => {
      runtime.time += 30;
      return respond(status);
    };
    const response = await createRetryFetch({ fetch: script(runtime, slow(503), slow(200)), runtime, jitter: 'none' })(
      URL_OF_TEST,
    );
    expect(outcomeOf(response)?.history ?? []).toMatchObject([
      { startedAt: start, durationMs: 30 },
      // The wait counts from the response head; a clock of whole milliseconds may have lost one of them.
      { startedAt: start + 30 + 1_000, durationMs: 30 },
    ]);
  });

  test('are never negative if the clock is set back', async () => {
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ runtime });
    const back = (): Response => {
      runtime.time -= 60_000;
      return respond(503);
    };
    const response = await createRetryFetch({ fetch: script(runtime, back, back, back, back), ...config })(URL_OF_TEST);
    for (const { durationMs } of outcomeOf(response)?.history ?? []) expect(durationMs).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'failed', elapsedMs: 0 });
  });
});

describe('a discarded response', () => {
  test('is read to its end if it is small', async () => {
    let ended = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (ended) return;
        ended = true;
        controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    await scripted({}, () => fetched(503, body), 200).call();
    expect(ended).toBe(true);
  });

  test.each([
    ['without a controller', {}],
    ['with one', { controller: new RetryController() }],
  ])('is cancelled if it is large or slow, %s', async (_title, config) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { body, isCancelled } = hangingBody();
    const call = scripted(config, () => fetched(503, body), 200).call();
    await vi.advanceTimersByTimeAsync(250);
    expect((await call).status).toBe(200);
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('whose cancellation never ends delays nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const stubborn = new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => new Promise(() => {}) });
    const call = scripted({}, () => fetched(503, stubborn), 200).call();
    await vi.advanceTimersByTimeAsync(250);
    expect((await call).status).toBe(200);
  });
});

describe('a runtime', () => {
  test('may be an instance of a class', async () => {
    class Clock {
      readonly slept: number[] = [];
      time = 5;
      now(): number {
        return this.time;
      }
      random(): number {
        return this.time > 0 ? 1 : 0;
      }
      async sleep(ms: number): Promise<void> {
        this.slept.push(ms);
        this.time += ms;
      }
    }
    const clock = new Clock();
    const response = await createRetryFetch({ fetch: script(fakeRuntime(), 503, 200), runtime: clock })(URL_OF_TEST);
    expect([response.status, clock.slept]).toEqual([200, [1_200]]);
  });
});
