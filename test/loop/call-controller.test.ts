import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, outcomeOf, type RetryConfig, RetryController } from '../../src/index.ts';
import {
  decisionsOf,
  fakeRuntime,
  heldRuntime,
  observed,
  respond,
  script,
  type ScriptedFetch,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { fetched, reset } from '../scripted-call.ts';

interface Steered {
  readonly controller: RetryController;
  readonly runtime: ReturnType<typeof heldRuntime>;
  readonly inner: ScriptedFetch;
  readonly call: () => Promise<Response>;
}

function steered(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Steered {
  const controller = new RetryController();
  const runtime = heldRuntime();
  const inner = script(runtime, ...steps);
  const retrying = createRetryFetch({ fetch: inner, jitter: 'none', runtime, controller, ...config });
  return { controller, runtime, inner, call: () => retrying(URL_OF_TEST) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a controller', () => {
  test('sends the retry now, and reports that the wait has ended', async () => {
    const { controller, runtime, inner, call } = steered({}, 503, 200);
    const answer = call();
    await runtime.untilWaiting();
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([true, runtime.time + 1_000]);
    controller.retryNow();
    expect(controller.nextAttemptAt).toBeNull();
    expect((await answer).status).toBe(200);
    expect(inner.calls[1]?.at).toBe(inner.calls[0]?.at);
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([false, null]);
  });

  test.each([
    ['giveUp, then retryNow', ['giveUp', 'retryNow'], [503, 1]],
    ['retryNow, then giveUp', ['retryNow', 'giveUp'], [200, 2]],
  ] as const)('does what is called first for a wait: %s', async (_title, methods, [status, requests]) => {
    const { controller, runtime, inner, call } = steered({}, 503, 200);
    const answer = call();
    await runtime.untilWaiting();
    for (const method of methods) controller[method]();
    expect([(await answer).status, inner.calls.length]).toEqual([status, requests]);
  });

  test('knows the wait before a listener gets it, and a listener may end it', async () => {
    const seen: unknown[] = [];
    const { controller, runtime, inner, call } = steered({}, 503, 200);
    controller.subscribe((event) => {
      if (event.type !== 'retry') return;
      seen.push(controller.isRetrying, controller.nextAttemptAt === event.nextAttemptAt);
      controller.retryNow();
    });
    expect((await call()).status).toBe(200);
    expect(seen).toEqual([true, true]);
    expect(inner.calls[1]?.at).toBe(runtime.time);
  });

  test('does not use up the time that the call may wait with waits that it skips', async () => {
    const limits = { baseDelayMs: 30_000, backoffMultiplier: 1, maxTotalDelayMs: 50_000, maxRetries: 4 };
    const { controller, inner, call } = steered(limits, 503);
    controller.subscribe(({ type }) => {
      if (type === 'retry') controller.retryNow();
    });
    expect(outcomeOf(await call())).toMatchObject({ because: 'retries-exhausted' });
    expect(inner.calls).toHaveLength(5);
  });

  test('gives up with the last response, unread, its reason and its callback', async () => {
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const { events, ...config } = observed({ onExhausted });
    const last = fetched(503, 'busy');
    const { controller, runtime, call } = steered(config, () => last);
    const answer = call();
    await runtime.untilWaiting();
    controller.giveUp();
    expect(await answer).toBe(last);
    await expect(last.text()).resolves.toBe('busy');
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    expect(events[1]).toMatchObject({ because: 'given-up', attempts: 1 });
    expect(onExhausted.mock.calls).toEqual([[expect.objectContaining({ message: 'HTTP 503: busy' }), 1]]);
  });

  test.each([
    ['no time, after a backoff', undefined, undefined],
    ['the time that the server named', '30', 30_000],
  ] as const)('gives up with %s', async (_what, hint, possibleInMs) => {
    const headers = hint === undefined ? {} : { 'retry-after': hint };
    const { controller, runtime, call } = steered({ jitter: 'none' }, respond(429, headers));
    const answer = call();
    await runtime.untilWaiting();
    const { time } = runtime;
    controller.giveUp();
    const outcome = outcomeOf(await answer);
    expect(outcome).toMatchObject({ because: 'given-up' });
    expect(outcome?.type === 'failed' && outcome.possibleAt).toBe(
      possibleInMs === undefined ? undefined : time + possibleInMs,
    );
  });

  test.each(['one', 'two'])('gives up before the wait, while `stopIf` has not answered: %s of them', async (count) => {
    const second = count === 'two' ? new RetryController() : undefined;
    const { events, onEvent } = observed();
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const stopIf = (): Promise<boolean> => (asked(), new Promise(() => {}));
    const { controller, inner, call } = steered({ stopIf, onEvent }, 503, 200);
    const retrying = createRetryFetch({ fetch: inner, controller, stopIf, onEvent });
    const answer = second === undefined ? call() : retrying.with({ controller: second })(URL_OF_TEST);
    await isAsked;
    expect([controller.nextAttemptAt, controller.state.status]).toEqual([null, 'idle']);
    controller.retryNow();
    (second ?? controller).giveUp();
    const response = await answer;
    expect([response.status, inner.calls.length, events.map(({ type }) => type)]).toEqual([503, 1, ['failed']]);
    expect(outcomeOf(response)).toMatchObject({ because: 'given-up', attempts: 1 });
  });

  test('gives up with the last error', async () => {
    const error = reset();
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const { controller, runtime, call } = steered({ onExhausted }, error);
    const thrown = thrownBy(call());
    await runtime.untilWaiting();
    controller.giveUp();
    expect(await thrown).toBe(error);
    expect(onExhausted.mock.calls).toEqual([[error, 1]]);
  });

  test('that is switched off prevents retries', async () => {
    const { events, ...config } = observed();
    const { controller, inner, call } = steered(config, 503);
    controller.enabled = false;
    expect((await call()).status).toBe(503);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', because: 'disabled' }]);
    expect(controller.isRetrying).toBe(false);
  });

  test('that is switched off during a wait does not cut the wait, but prevents the retry', async () => {
    const { events, ...config } = observed();
    const { controller, runtime, inner, call } = steered(config, 503);
    let answered = false;
    const answer = call().then((response) => {
      answered = true;
      return response;
    });
    await runtime.untilWaiting();
    controller.enabled = false;
    await settle();
    expect(answered).toBe(false);
    runtime.waits[0]?.end();
    expect((await answer).status).toBe(503);
    expect(inner.calls).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'disabled' });
  });

  test('that is switched off and on again during a wait changes nothing', async () => {
    const { controller, runtime, call } = steered({}, 503, 200);
    const answer = call();
    await runtime.untilWaiting();
    controller.enabled = false;
    controller.enabled = true;
    runtime.waits[0]?.end();
    expect((await answer).status).toBe(200);
  });

  test('steers many calls at once: the earliest is next, and each command applies to all', async () => {
    const { controller, runtime, inner, call } = steered(
      { baseDelayMs: 100 },
      503,
      respond(503, { 'retry-after-ms': '30' }),
      503,
      200,
    );
    const answers = [call(), call(), call()];
    await vi.waitFor(() => expect(runtime.waits).toHaveLength(3));
    expect(controller.nextAttemptAt).toBe(runtime.time + 30);
    const idle = controller.whenIdle();
    controller.retryNow();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect(idle).resolves.toBeUndefined();
    expect([controller.isRetrying, inner.calls.length]).toEqual([false, 6]);
  });

  test('sends its subscribers the events of onEvent, and is idle only after the last of them', async () => {
    const { events, ...config } = observed();
    const { controller, runtime, call } = steered(config, 503, 200);
    const heard: unknown[] = [];
    const leave = controller.subscribe((event) => heard.push(...decisionsOf([event])));
    const answer = call();
    await runtime.untilWaiting();
    const idle = controller.whenIdle().then(() => heard.length);
    controller.retryNow();
    await answer;
    expect(await idle).toBe(2);
    expect(heard).toEqual(events);
    leave();
    const again = call();
    await settle();
    await again;
    expect(heard).toHaveLength(2);
  });

  test('is idle again if a wait fails', async () => {
    const controller = new RetryController();
    const error = new Error('no clock');
    const runtime = { ...fakeRuntime(), sleep: async () => Promise.reject(error) };
    const { events, ...config } = observed({ controller, runtime });
    expect(await thrownBy(createRetryFetch({ fetch: script(fakeRuntime(), 503), ...config })(URL_OF_TEST))).toBe(error);
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([false, null]);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
  });
});
