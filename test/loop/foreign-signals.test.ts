import { describe, expect, test } from 'vitest';
import { createRetryFetch, type Fetch, RetryController, type RetryConfig, RetrySession } from '../../src/index.ts';
import { fakeRuntime, heldRuntime, script, settle, thrownBy, URL_OF_TEST } from '../script.ts';

/** A signal that is not an `AbortSignal` of this realm: from a package, or from an older runtime without `reason`. */
class ForeignSignal extends EventTarget {
  aborted = false;
  reason: unknown;
  /** The listeners that are left. */
  listeners = 0;

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners += 1;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners -= 1;
    super.removeEventListener(...args);
  }

  abort(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    this.dispatchEvent(new Event('abort'));
  }
}

const initOf = (signal: ForeignSignal): RequestInit => ({ signal: signal as unknown as AbortSignal });
const hanging: Fetch = () => new Promise(() => {});

describe('a signal that is not an AbortSignal of this realm', () => {
  test.each<[string, RetryConfig]>([
    ['during the first attempt', {}],
    ['during an attempt with a limit', { attemptTimeoutMs: 60_000 }],
  ])('aborts the call %s, and no listener is left', async (_when, config) => {
    const signal = new ForeignSignal();
    const thrown = thrownBy(
      createRetryFetch({ fetch: hanging, runtime: fakeRuntime(), ...config })(URL_OF_TEST, initOf(signal)),
    );
    await settle();
    expect(signal.listeners).toBeGreaterThan(0);
    signal.abort('enough');
    expect([await thrown, signal.listeners]).toEqual(['enough', 0]);
  });

  test.each<[string, RetryConfig]>([
    ['a wait', {}],
    ['a wait that a controller may end', { controller: new RetryController() }],
  ])('aborts the call during %s, and an injected sleep gets a real AbortSignal', async (_what, config) => {
    const signal = new ForeignSignal();
    const runtime = heldRuntime();
    const inner = script(runtime, 503, 200);
    const thrown = thrownBy(createRetryFetch({ fetch: inner, runtime, ...config })(URL_OF_TEST, initOf(signal)));
    await runtime.untilWaiting();
    const given = runtime.waits[0]?.signal;
    expect([given instanceof AbortSignal, given?.aborted]).toEqual([true, false]);
    signal.abort('enough');
    expect([await thrown, given?.aborted, given?.reason, inner.calls.length]).toEqual(['enough', true, 'enough', 1]);
    await settle();
    expect(signal.listeners).toBe(0);
  });

  test('leaves no listener after a call that succeeds with waits and limits', async () => {
    const signal = new ForeignSignal();
    const runtime = fakeRuntime();
    const config = { runtime, attemptTimeoutMs: 60_000, controller: new RetryController() };
    const response = await createRetryFetch({ fetch: script(runtime, 503, 503, 200), ...config })(
      URL_OF_TEST,
      initOf(signal),
    );
    expect([response.status, signal.listeners]).toEqual([200, 0]);
  });

  test('without a reason rejects as fetch would', async () => {
    const signal = new ForeignSignal();
    const thrown = thrownBy(createRetryFetch({ fetch: hanging, runtime: fakeRuntime() })(URL_OF_TEST, initOf(signal)));
    await settle();
    signal.abort(undefined);
    expect(await thrown).toMatchObject({ name: 'AbortError', message: 'This operation was aborted' });
  });

  test.each([[false], [true]])('ends a run of a session if it was aborted before: %j', async (isEarly) => {
    const signal = new ForeignSignal();
    if (isEarly) signal.abort('enough');
    const hang = (): Promise<never> => new Promise(() => {});
    const thrown = thrownBy(new RetrySession().run(hang, { signal: initOf(signal).signal ?? undefined }));
    if (!isEarly) signal.abort('enough');
    expect([await thrown, signal.listeners]).toEqual(['enough', 0]);
  });
});
