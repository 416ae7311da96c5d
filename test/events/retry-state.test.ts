import { describe, expect, test, vi } from 'vitest';
import { steeringOf } from '../../src/events/steering.ts';
import { classify, createRetryFetch, RetryController, type RetryEvent, type RetryState } from '../../src/index.ts';
import { retryEvent } from '../sample-events.ts';
import { type HeldRuntime, heldRuntime, respondError, script, type Step, thrownBy, URL_OF_TEST } from '../script.ts';

interface Shown {
  readonly controller: RetryController;
  readonly runtime: HeldRuntime;
  /** Every state that a view would have drawn. */
  readonly drawn: RetryState[];
  readonly ask: (init?: RequestInit) => Promise<Response>;
}

function shown(...steps: readonly [Step, ...Step[]]): Shown {
  const controller = new RetryController();
  const runtime = heldRuntime();
  const drawn: RetryState[] = [];
  controller.onChange(() => void drawn.push(controller.state));
  const fetch = createRetryFetch({ fetch: script(runtime, ...steps), controller, runtime, jitter: 'none' });
  return { controller, runtime, drawn, ask: (init) => fetch(URL_OF_TEST, init) };
}

const overloaded = respondError(429, { type: 'overloaded_error', message: 'Overloaded' });

describe('a store', () => {
  test('is idle, and stays so when nothing fails', async () => {
    const { controller, drawn, ask } = shown(200);
    expect(controller.state).toEqual({ status: 'idle' });
    await ask();
    expect(drawn).toEqual([]);
  });

  test('shows the wait with its reason, then the attempt, then the end', async () => {
    const { drawn, runtime, ask } = shown(overloaded, 200);
    const startedAt = runtime.time;
    const answer = ask();
    await runtime.untilWaiting();
    expect(drawn).toHaveLength(1);
    expect(drawn[0]).toMatchObject({
      status: 'waiting',
      retry: 1,
      maxRetries: 3,
      delayMs: 1_000,
      nextAttemptAt: startedAt + 1_000,
      because: 'backoff',
      failure: { type: 'overloaded', status: 429 },
    });
    runtime.waits[0]?.end();
    await answer;
    expect(drawn.slice(1)).toMatchObject([
      { status: 'sending', retry: 1, at: startedAt + 1_000, failure: { type: 'overloaded' } },
      { status: 'ended', outcome: { type: 'recovered', attempts: 2, elapsedMs: 1_000 } },
    ]);
  });

  test('returns the same frozen object until something changes', async () => {
    const { controller, runtime, ask } = shown(503, 200);
    const idle = controller.state;
    expect(controller.state).toBe(idle);
    const answer = ask();
    await runtime.untilWaiting();
    const waiting = controller.state;
    expect(waiting).not.toBe(idle);
    expect(controller.state).toBe(waiting);
    expect([idle, waiting].every(Object.isFrozen)).toBe(true);
    runtime.waits[0]?.end();
    await answer;
  });

  test('shows that a wait is over when it is cut short', async () => {
    const { controller, drawn, runtime, ask } = shown(503, 200);
    const startedAt = runtime.time;
    const answer = ask();
    await runtime.untilWaiting();
    controller.retryNow();
    expect((await answer).status).toBe(200);
    expect(runtime.time).toBe(startedAt);
    expect(drawn.map(({ status }) => status)).toEqual(['waiting', 'sending', 'ended']);
  });

  describe('if no failure came before the wait', () => {
    const call = { callId: 'id', method: 'POST', url: URL_OF_TEST, at: 1_000 } as const;
    const delayed = { ...call, type: 'delayed', delayMs: 500, nextAttemptAt: 1_500, because: 'pace' } as const;
    const failure = classify({ status: 503 });

    function heard(...events: readonly RetryEvent[]): readonly RetryState[] {
      const { controller, drawn } = shown(200);
      for (const event of events) steeringOf(controller).publish(event);
      return drawn;
    }

    test('shows a first attempt that waits for its turn, and nothing more when it is sent', () => {
      const drawn = heard({ ...delayed, attempt: 1 }, { ...call, type: 'attempt', attempt: 1 });
      expect(drawn).toMatchObject([
        { status: 'waiting', retry: 0, maxRetries: null, failure: undefined, because: 'pace', nextAttemptAt: 1_500 },
        { status: 'idle' },
      ]);
    });

    test('keeps the failure when the moment of a retry moves', () => {
      if (failure === null) throw new TypeError('A 503 is a failure.');
      const drawn = heard(retryEvent(1, { ...call, failure }), { ...delayed, attempt: 2 });
      expect(drawn.at(-1)).toMatchObject({ retry: 1, maxRetries: 3, failure, because: 'pace', nextAttemptAt: 1_500 });
    });
  });

  test.each([
    ['a permanent failure', 401, 'not-retryable', 1],
    ['a person who gives up', 503, 'given-up', 1],
  ] as const)('keeps the reason of the end: %s', async (_, status, because, attempts) => {
    const { controller, runtime, ask } = shown(status);
    const answer = ask();
    if (because === 'given-up') {
      await runtime.untilWaiting();
      controller.giveUp();
    }
    expect((await answer).status).toBe(status);
    expect(controller.state).toMatchObject({ status: 'ended', outcome: { type: 'failed', because, attempts } });
  });

  test('distinguishes an abort from a failure', async () => {
    const { controller, runtime, ask } = shown(503);
    const abort = new AbortController();
    const answer = ask({ signal: abort.signal });
    await runtime.untilWaiting();
    abort.abort();
    await thrownBy(answer);
    expect(controller.state).toMatchObject({ status: 'ended', outcome: { type: 'cancelled', attempts: 1 } });
  });

  test('shows the call with the earliest next attempt, and the other one when that has ended', async () => {
    const late = respondError(503, {}, { 'retry-after': '20' });
    const early = respondError(503, {}, { 'retry-after': '10' });
    const { controller, runtime, ask } = shown(late, early, 200, 200);
    const answers = [ask()];
    await runtime.untilWaiting();
    expect(controller.state).toMatchObject({ delayMs: 20_000 });
    answers.push(ask());
    await runtime.untilWaiting();
    expect(controller.state).toMatchObject({ delayMs: 10_000 });
    runtime.waits[1]?.end();
    await answers[1];
    expect(controller.state).toMatchObject({ status: 'waiting', delayMs: 20_000 });
    runtime.waits[0]?.end();
    await answers[0];
    expect(controller.state).toMatchObject({ status: 'ended', outcome: { type: 'recovered' } });
  });

  test('forgets how the last call ended, and reports that once', async () => {
    const { controller, drawn, ask } = shown(401);
    await ask();
    controller.clear();
    controller.clear();
    expect(drawn.map(({ status }) => status)).toEqual(['ended', 'idle']);
  });

  test('calls no listener that has unsubscribed', async () => {
    const { controller, ask } = shown(401);
    const listener = vi.fn();
    const leave = controller.onChange(listener);
    leave();
    await ask();
    expect(listener).not.toHaveBeenCalled();
  });
});
