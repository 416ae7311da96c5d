import { afterEach, describe, expect, type Mock, test, vi } from 'vitest';
import {
  createRetryFetch,
  type Fetch,
  outcomeOf,
  type RetryConfig,
  RetryController,
  RetryTransport,
} from '../../src/index.ts';
import {
  abortedIn,
  AT_ONCE_TURNS,
  fakeRuntime,
  hangingBody,
  heldRuntime,
  observed,
  respond,
  script,
  scriptTransport,
  settle,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';

const reason = new Error('the user left');

failOnUnhandled();

afterEach(() => {
  vi.useRealTimers();
});

/** A call that the test aborts. */
function begun(inner: Fetch, config: RetryConfig = {}) {
  const controller = new AbortController();
  const { events, ...watched } = observed(config);
  const call = createRetryFetch({ fetch: inner, ...watched })(URL_OF_TEST, { signal: controller.signal });
  const types = (): readonly string[] => events.map(({ type }) => type);
  return { controller, call, events, types, abort: () => abortedIn(call, controller, reason) };
}
const refusing: Fetch = async () => respond(503);

/** Refuses the first attempt; the others are answered by `inner`, after `sending` has resolved. */
function afterOne(inner: Fetch): { readonly fetch: Fetch & Mock<Fetch>; readonly sending: Promise<unknown> } {
  const { promise: sending, resolve } = Promise.withResolvers<undefined>();
  const fetch = vi.fn<Fetch>((...args) => {
    if (fetch.mock.calls.length === 1) return refusing(...args);
    resolve(undefined);
    return inner(...args);
  });
  return { fetch, sending };
}
const deaf: Fetch = () => new Promise(() => {});

/** Rejects with an error of its own at an abort. */
const wrapping: Fetch = (_input, init) =>
  new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('wrapped'))));

describe('an abort of a request in flight asks the inner fetch first', () => {
  test('whose own error is what the caller gets, with the attempts before it', async () => {
    const { fetch, sending } = afterOne(wrapping);
    const { events, abort } = begun(fetch, { runtime: fakeRuntime() });
    await sending;
    const { thrown } = await abort();
    expect(thrown).toHaveProperty('message', 'wrapped');
    const history = outcomeOf(Object(thrown))?.history ?? [];
    expect(history).toMatchObject([{ attempt: 1, failure: { status: 503 } }]);
    // The attempt in flight was sent, so it counts; what it would have ended in is not known.
    expect(events.at(-1)).toMatchObject({ type: 'cancelled', attempts: 2, history });
  });

  test.each([0, 1, 2])('whose response is handed over if it was decided %i microtasks before', async (turns) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { controller, call, types } = begun(() => promise);
    const response = respond(200);
    controller.abort(reason);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    resolve(response);
    expect(await call).toBe(response);
    expect(types()).toEqual(['cancelled']);
  });

  test('whose failed response is handed over and not retried', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const inner = vi.fn<Fetch>(() => promise);
    const { controller, call } = begun(inner);
    controller.abort(reason);
    resolve(respond(503));
    expect((await call).status).toBe(503);
    expect(inner).toHaveBeenCalledTimes(1);
  });

  test('in real time, so that fake timers do not keep the call', async () => {
    vi.useFakeTimers();
    const { controller, call } = begun(deaf);
    controller.abort(reason);
    expect(await thrownBy(call)).toBe(reason);
  });

  test('which refuses a call that is aborted already in its own words', async () => {
    const refusal = new DOMException('Never begun', 'AbortError');
    const { events, ...config } = observed({ runtime: fakeRuntime() });
    const call = createRetryFetch({ fetch: async () => Promise.reject(refusal), ...config })(URL_OF_TEST, {
      signal: AbortSignal.abort(reason),
    });
    expect(await thrownBy(call)).toBe(refusal);
    expect(events).toMatchObject([{ type: 'cancelled', attempts: 0, elapsedMs: 0, history: [] }]);
  });
});

describe('an abort rejects with its reason at once', () => {
  test('before the first attempt, which the inner fetch refuses with its own side effects', async () => {
    const inner = vi.fn<Fetch>(fetch);
    const body = new ReadableStream({ cancel: vi.fn<() => void>() });
    const request = new Request(URL_OF_TEST, { method: 'POST', body, duplex: 'half' } as RequestInit);
    const call = createRetryFetch({ fetch: inner })(request, { signal: AbortSignal.abort(reason) });
    expect(await thrownBy(call)).toBe(reason);
    expect(inner).toHaveBeenCalledTimes(1);
    expect(request.bodyUsed).toBe(true);
  });

  test('before the first attempt, even if the inner fetch ignores the signal', async () => {
    const call = createRetryFetch({ fetch: deaf })(URL_OF_TEST, { signal: AbortSignal.abort(reason) });
    expect(await thrownBy(call)).toBe(reason);
  });

  test('before the first attempt of a transport, which is not called', async () => {
    const inner = scriptTransport(200);
    const call = new RetryTransport(inner).get(URL_OF_TEST, {}, AbortSignal.abort(reason));
    expect(await thrownBy(call)).toBe(reason);
    expect(inner.calls).toHaveLength(0);
  });

  test('during a request whose inner fetch ignores the signal, and cancels its late response', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { body, isCancelled } = hangingBody();
    const { thrown, turns } = await begun(() => promise).abort();
    expect(thrown).toBe(reason);
    expect(turns).toBeLessThan(AT_ONCE_TURNS);
    resolve(respond(200, {}, body));
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('during a request whose inner fetch rejects late, which is ignored', async () => {
    const { promise, reject } = Promise.withResolvers<Response>();
    expect((await begun(() => promise).abort()).thrown).toBe(reason);
    reject(new TypeError('fetch failed'));
    await settle();
  });

  test('during a retry', async () => {
    const { fetch, sending } = afterOne(deaf);
    const { abort } = begun(fetch, { runtime: fakeRuntime() });
    await sending;
    const { thrown, turns } = await abort();
    expect([thrown, fetch.mock.calls.length]).toEqual([reason, 2]);
    expect(turns).toBeLessThan(AT_ONCE_TURNS);
  });

  test('while the body of a failed response is read, which is cancelled', async () => {
    const { body, isCancelled } = hangingBody();
    const onRetry = vi.fn<() => void>();
    const { types, abort } = begun(async () => respond(503, {}, body), { onRetry });
    await settle();
    const { thrown, turns } = await abort();
    expect(thrown).toBe(reason);
    expect([types(), onRetry.mock.calls]).toEqual([['cancelled'], []]);
    expect(turns).toBeLessThan(AT_ONCE_TURNS);
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test.each([
    ['without a controller', () => ({})],
    ['with a controller', () => ({ controller: new RetryController() })],
  ])('during a sleep that ignores the signal, %s', async (_title, more) => {
    const runtime = heldRuntime();
    const { abort } = begun(refusing, { runtime, ...more() });
    await runtime.untilWaiting();
    const { thrown, turns } = await abort();
    expect(thrown).toBe(reason);
    expect(turns).toBeLessThan(AT_ONCE_TURNS);
  });

  test('during the real sleep, whose timer is cleared', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const waiting = Promise.withResolvers<undefined>();
    const { abort } = begun(refusing, { onRetry: () => waiting.resolve(undefined) });
    await waiting.promise;
    await settle();
    expect(vi.getTimerCount()).toBe(1);
    expect((await abort()).thrown).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('while it waits for stopIf', async () => {
    const asked = Promise.withResolvers<undefined>();
    const stopIf = (): Promise<boolean> => {
      asked.resolve(undefined);
      return new Promise(() => {});
    };
    const inner = script(fakeRuntime(), 503);
    const { abort } = begun(inner, { stopIf });
    await asked.promise;
    const { thrown, turns } = await abort();
    expect([thrown, inner.calls.length]).toEqual([reason, 1]);
    expect(turns).toBeLessThan(AT_ONCE_TURNS);
  });

  test.each(['onRetry', 'onEvent'] as const)('by %s: no further attempt is made', async (name) => {
    const controller = new AbortController();
    const inner = script(fakeRuntime(), 503);
    const config = { [name]: () => controller.abort(reason), runtime: heldRuntime() };
    expect(
      await thrownBy(createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { signal: controller.signal })),
    ).toBe(reason);
    expect(inner.calls).toHaveLength(1);
  });

  test('of AbortSignal.timeout as a TimeoutError that is not retried', async () => {
    const inner = vi.fn<Fetch>(() => new Promise(() => {}));
    const call = createRetryFetch({ fetch: inner })(URL_OF_TEST, { signal: AbortSignal.timeout(5) });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(inner).toHaveBeenCalledOnce();
  });
});

describe('an abort', () => {
  test('emits `cancelled`, not `failed`, and calls no callback', async () => {
    const runtime = heldRuntime();
    const onExhausted = vi.fn<() => void>();
    const { controller, call, events, types } = begun(refusing, { runtime, onExhausted });
    await runtime.untilWaiting();
    const own = new Error('the user left during the wait');
    await abortedIn(call, controller, own);
    expect(types()).toEqual(['retry', 'cancelled']);
    expect(events[1]).toMatchObject({ attempts: 1, history: [{ attempt: 1, failure: { status: 503 } }] });
    expect(outcomeOf(own)).toBe(events[1]);
    expect(onExhausted).not.toHaveBeenCalled();
  });

  test('after the response came is left to the caller', async () => {
    const { controller, call } = begun(async () => respond(200, {}, 'body'));
    const response = await call;
    controller.abort(reason);
    await expect(response.text()).resolves.toBe('body');
  });
});

describe("a signal that is not the caller's", () => {
  test('ends a call with the very AbortError, unretried, with one last event and no callback', async () => {
    const error = new DOMException('not ours', 'AbortError');
    const onExhausted = vi.fn<() => void>();
    const { events, ...config } = observed({ onExhausted, runtime: fakeRuntime() });
    const inner = script(fakeRuntime(), 503, error);
    expect(await thrownBy(createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST))).toBe(error);
    expect([inner.calls.length, onExhausted.mock.calls]).toEqual([2, []]);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'cancelled']);
    expect(outcomeOf(error)?.history ?? []).toHaveLength(2);
  });
});
