import { describe, expect, test } from 'vitest';
import {
  createRetryFetch,
  type OperationContext,
  presets,
  RetryController,
  RetrySession,
  type RetryState,
} from '../src/index.ts';
import { failOnUnhandled } from './unhandled.ts';
import {
  ApiError,
  failing,
  fakeRuntime,
  heldRuntime,
  observedOperation,
  script,
  settle,
  thrownBy,
  URL_OF_TEST,
} from './script.ts';

failOnUnhandled();

describe('a session', () => {
  test('continues its schedule after a failure that no retry can help, until a success starts it again', async () => {
    const runtime = fakeRuntime();
    const session = new RetrySession({ ...presets.background, runtime });
    const down = new ApiError(503);
    const { operation } = failing(down, down, new ApiError(401, 'crashed'));
    await thrownBy(session.run(operation));
    expect(session.retries).toBe(2);
    await session.run(failing(down).operation);
    expect(session.retries).toBe(0);
    await session.run(failing(down).operation);
    // The first wait of the schedule comes once, and again only after a success.
    expect(runtime.slept).toEqual([3_000, 5_000, 10_000, 3_000]);
  });

  test('does not count a retry whose wait was given up', async () => {
    const runtime = heldRuntime();
    const session = new RetrySession({ runtime });
    const waiting = runtime.untilWaiting();
    const run = thrownBy(session.run(failing(new ApiError(503)).operation));
    await waiting;
    session.giveUp();
    expect(await run).toBeInstanceOf(ApiError);
    expect(session.retries).toBe(0);
  });

  test('counts the retries of all runs that overlap', async () => {
    const runtime = heldRuntime();
    const session = new RetrySession({ runtime });
    const down = (): never => {
      throw new ApiError(503);
    };
    const runs = [thrownBy(session.run(down)), thrownBy(session.run(down))];
    await settle();
    for (const { end } of Array.from(runtime.waits)) end();
    await settle();
    expect(session.retries).toBe(2);
    session.cancel();
    await Promise.all(runs);
    expect(session.retries).toBe(0);
  });

  test.each<[string, object]>([
    ['an exhaustion', {}],
    ['the end of its time', { maxTotalDelayMs: 1_500 }],
    ['a veto', { stopIf: () => true }],
  ])('starts its schedule again after %s', async (_end, config) => {
    const runtime = fakeRuntime();
    const session = new RetrySession({ maxRetries: 1, jitter: 'none', runtime, ...config });
    const { operation, contexts } = failing(...Array.from({ length: 9 }, () => new ApiError(503)));
    await thrownBy(session.run(operation));
    const made = contexts.length;
    expect(session.retries).toBe(0);
    await thrownBy(session.run(operation));
    expect(contexts).toHaveLength(2 * made);
    expect(new Set(runtime.slept).size).toBeLessThan(2);
  });

  test('starts its schedule again after its wait was given up, or ended by an abort', async () => {
    for (const end of ['giveUp', 'cancel', 'abort'] as const) {
      const runtime = heldRuntime();
      const session = new RetrySession({ runtime, jitter: 'none' });
      const caller = new AbortController();
      const run = thrownBy(
        session.run(failing(...Array.from({ length: 9 }, () => new ApiError(503))).operation, {
          signal: caller.signal,
        }),
      );
      for (const ms of [1_000, 2_000]) {
        await settle();
        expect(runtime.waits.map((wait) => wait.ms)).toEqual([ms]);
        if (ms === 1_000) runtime.waits[0]?.end();
      }
      if (end === 'abort') caller.abort('enough');
      else session[end]();
      await run;
      const next = heldRuntime();
      void session.run(failing(new ApiError(503)).operation, { runtime: next });
      await settle();
      expect(next.waits.map(({ ms }) => ms)).toEqual([1_000]);
      session.cancel();
    }
  });

  test('can be switched off and on at run time', async () => {
    const session = new RetrySession({ runtime: fakeRuntime() });
    expect(session.enabled).toBe(true);
    session.enabled = false;
    const off = failing(new ApiError(503));
    await thrownBy(session.run(off.operation));
    expect(off.contexts).toHaveLength(1);
    session.enabled = true;
    await expect(session.run(failing(new ApiError(503)).operation)).resolves.toBe('done');
  });

  test('shows whether it is retrying, and when it is idle again', async () => {
    const runtime = heldRuntime();
    const watched = observedOperation({ runtime });
    const session = new RetrySession(watched);
    expect(session.isRetrying).toBe(false);
    await session.whenIdle();
    const waiting = runtime.untilWaiting();
    const run = session.run(failing(new ApiError(503)).operation);
    await waiting;
    expect(session.isRetrying).toBe(true);
    const idle = session.whenIdle().then(() => watched.events.at(-1)?.type);
    runtime.waits[0]?.end();
    // The last event has been delivered by then.
    expect(await idle).toBe('recovered');
    await expect(run).resolves.toBe('done');
    expect(session.isRetrying).toBe(false);
  });

  test('is cancelled as a whole: the wait ends, and the abort is rethrown, not the failure before it', async () => {
    const runtime = heldRuntime();
    const watched = observedOperation({ runtime });
    const session = new RetrySession(watched);
    const waiting = runtime.untilWaiting();
    const { operation, contexts } = failing(new ApiError(503));
    const run = thrownBy(session.run(operation));
    await waiting;
    session.cancel();
    expect(await run).toMatchObject({ name: 'AbortError', message: 'The session was cancelled.' });
    expect(contexts).toHaveLength(1);
    expect(session.retries).toBe(0);
    expect(watched.events.at(-1)).toMatchObject({ type: 'cancelled' });
  });

  test('that is cancelled during an operation aborts its signal', async () => {
    const session = new RetrySession();
    let signal: AbortSignal | undefined;
    const run = thrownBy(
      session.run((context) => {
        signal = context.signal;
        return new Promise(() => {});
      }),
    );
    await settle();
    const reason = new Error('closing');
    session.cancel(reason);
    expect(await run).toBe(reason);
    expect(signal?.reason).toBe(reason);
  });

  test('that was cancelled accepts later runs: an old signal has no effect on them', async () => {
    const session = new RetrySession({ runtime: fakeRuntime() });
    const signals: (AbortSignal | undefined)[] = [];
    const first = thrownBy(session.run(({ signal }) => (signals.push(signal), new Promise(() => {}))));
    await settle();
    session.cancel();
    await first;
    await session.run(({ signal }) => void signals.push(signal));
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  test('ends with the signal of a run or its own, and leaves the others alone', async () => {
    const whole = new AbortController();
    const one = new AbortController();
    const session = new RetrySession({ signal: whole.signal });
    const hang = (): Promise<never> => new Promise(() => {});
    const first = session.run(hang, { signal: one.signal }).catch((reason: unknown) => reason);
    const second = session.run(hang).catch((reason: unknown) => reason);
    one.abort('one');
    expect(await first).toBe('one');
    whole.abort('all');
    expect(await second).toBe('all');
  });

  test('uses the given callbacks, and a controller beside itself', async () => {
    const controller = new RetryController();
    const types: string[] = [];
    controller.subscribe(({ type }) => void types.push(type));
    const calls: number[] = [];
    const onRetry = (attempt: number): void => void calls.push(attempt);
    const session = new RetrySession({ controller, onRetry, runtime: fakeRuntime() });
    await session.run(failing(new ApiError(503)).operation);
    expect(calls).toEqual([1]);
    expect(types).toEqual(['retry', 'attempt', 'recovered']);
  });

  test('is the controller of its runs, and of other calls', async () => {
    const runtime = heldRuntime();
    const session = new RetrySession({ runtime });
    expect(session).toBeInstanceOf(RetryController);
    const types: string[] = [];
    session.subscribe(({ type }) => void types.push(type));
    const states: RetryState['status'][] = [];
    session.onChange(() => void states.push(session.state.status));
    const error = new ApiError(503);
    const run = thrownBy(session.run(() => Promise.reject(error)));
    await settle();
    expect(session.state).toMatchObject({ status: 'waiting', retry: 1, failure: { status: 503 } });
    session.retryNow();
    await settle();
    session.giveUp();
    expect(await run).toBe(error);
    const fetch = createRetryFetch({
      fetch: script(fakeRuntime(), 503, 200),
      controller: session,
      runtime: fakeRuntime(),
    });
    await fetch(URL_OF_TEST);
    expect(types).toEqual(['retry', 'attempt', 'retry', 'failed', 'retry', 'attempt', 'recovered']);
    expect(states).toEqual(['waiting', 'sending', 'waiting', 'ended', 'waiting', 'sending', 'ended']);
  });

  test('takes options for one run: listeners are added, and the signal counts beside its own', async () => {
    const heard: string[] = [];
    const whole = new AbortController();
    const session = new RetrySession({
      maxRetries: 5,
      runtime: fakeRuntime(),
      signal: whole.signal,
      onEvent: ({ type }) => void heard.push(`session ${type}`),
    });
    const { operation, contexts } = failing(...Array.from({ length: 9 }, () => new ApiError(503)));
    const onEvent = ({ type }: { readonly type: string }): void => void heard.push(`run ${type}`);
    await thrownBy(session.run(operation, { maxRetries: 0, onEvent }));
    expect([contexts.length, heard]).toEqual([1, ['session failed', 'run failed']]);
    const own = new AbortController();
    const run = thrownBy(session.run(() => new Promise(() => {}), { signal: own.signal }));
    whole.abort('all');
    expect(await run).toBe('all');
  });

  test('resolves with a value in which `errorIn` found an error, of the run or of the session', async () => {
    const session = new RetrySession({ maxRetries: 1, runtime: fakeRuntime(), errorIn: (value) => value === '' });
    let runs = 0;
    expect(await session.run(() => ((runs += 1), ''))).toBe('');
    expect(await session.run(() => ((runs += 1), 1), { errorIn: (value) => value === 1 && 'one' })).toBe(1);
    expect(await session.run(() => ((runs += 1), ''), { errorIn: undefined })).toBe('');
    expect(runs).toBe(5);
  });

  test('that is cancelled leaves no rejection unhandled, also of runs whose promises are not kept', async () => {
    const runtime = heldRuntime();
    const session = new RetrySession({ runtime });
    void session.run(() => new Promise(() => {}));
    void session.run(() => Promise.reject(new ApiError(503)));
    void session.run(async ({ signal }) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
    });
    await settle();
    session.cancel();
    await settle();
    await session.whenIdle();
    expect(session.isRetrying).toBe(false);
  });

  test('reports the progress of every running operation: its schedule starts again', async () => {
    const runtime = heldRuntime();
    const watched = observedOperation({ runtime, jitter: 'none', maxRetries: 1 });
    const session = new RetrySession(watched);
    const go = Promise.withResolvers<void>();
    const operation = async ({ attempt }: OperationContext): Promise<string> => {
      if (attempt === 1) throw new ApiError(503);
      await go.promise;
      if (attempt === 2 && runtime.time === 1_800_000_001_000) throw new ApiError(503);
      return 'done';
    };
    const run = session.run(operation);
    await settle();
    session.progress();
    expect(watched.events.map(({ type }) => type)).toEqual(['retry']);
    runtime.waits[0]?.end();
    await settle();
    expect(session.retries).toBe(1);
    session.progress();
    expect([session.retries, session.isRetrying, watched.events.map(({ type }) => type)]).toEqual([
      0,
      false,
      ['retry', 'recovered'],
    ]);
    go.resolve();
    await settle();
    expect(runtime.waits.map(({ ms }) => ms)).toEqual([1_000]);
    runtime.waits[0]?.end();
    expect(await run).toBe('done');
    expect(watched.events.map(({ type }) => type)).toEqual(['retry', 'recovered', 'retry', 'recovered']);
  });

  test('gives a run that has made progress the retries that the run before it had used', async () => {
    const session = new RetrySession({ maxRetries: 1, runtime: fakeRuntime() });
    await thrownBy(session.run(failing(new ApiError(503), new ApiError(401)).operation));
    expect(session.retries).toBe(1);
    let runs = 0;
    const value = session.run(({ progress }) => {
      runs += 1;
      progress();
      if (runs === 1) throw new ApiError(503);
      return 'done';
    });
    await expect(value).resolves.toBe('done');
  });

  test('that is invalid is refused at once', () => {
    expect(() => new RetrySession({ maxRetries: -1 })).toThrow('Expected `maxRetries` to be an integer ≥ 0');
  });

  test('refuses a run with what is no function, and with options that are invalid', () => {
    const session = new RetrySession();
    // @ts-expect-error -- callers in JavaScript
    expect(() => session.run('run')).toThrow('Expected `operation` to be a function');
    // @ts-expect-error -- callers in JavaScript
    expect(() => session.run(() => 'done', { signal: 'signal' })).toThrow(
      'Expected `signal` to be an AbortSignal, got "signal".',
    );
    // @ts-expect-error -- callers in JavaScript
    expect(() => session.run(() => 'done', null)).toThrow('Expected `config` to be an object');
    const before: object = new AbortController().signal;
    expect(() => session.run(() => 'done', before)).toThrow('Write { signal }.');
  });
});
