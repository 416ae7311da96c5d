import { describe, expect, test } from 'vitest';
import { autoRetryEvents } from '../../src/event-adapters.ts';
import {
  createFallback,
  createGate,
  type OperationContext,
  outcomeOf,
  RetryController,
  type RetryEvent,
  withRetry,
} from '../../src/index.ts';
import { fakeRuntime, heldRuntime, observedOperation, settle, thrownBy } from '../script.ts';

const overloaded = (): Error => Object.assign(new Error('overloaded_error'), { status: 529 });

/** A turn of twelve model calls; each third one fails once, and the turn goes on where it was. */
function turn(report: (context: OperationContext) => void) {
  const attempts: number[] = [];
  let call = 0;
  const operation = async (context: OperationContext): Promise<string> => {
    attempts.push(context.attempt);
    while (call < 12) {
      call += 1;
      if (call % 3 === 0) throw overloaded();
      report(context);
    }
    return 'done';
  };
  return { operation, attempts };
}
const reportProgress = ({ progress }: OperationContext): void => progress();

describe('progress', () => {
  test('begins a new chain: each failure of a turn has all retries, and the schedule from its beginning', async () => {
    const runtime = fakeRuntime();
    const watched = observedOperation({ maxRetries: 1, runtime, jitter: 'none' });
    const { operation, attempts } = turn(reportProgress);
    await expect(withRetry(operation, watched)).resolves.toBe('done');
    expect(attempts).toEqual([1, 2, 2, 2, 2]);
    expect(runtime.slept).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(watched.events).toMatchObject(
      Array.from({ length: 4 }, () => [
        { type: 'retry', retry: 1, maxRetries: 1 },
        { type: 'recovered', attempts: 2, elapsedMs: 1_000, history: [{ attempt: 1 }, { attempt: 2, failure: null }] },
      ]).flat(),
    );
    // One end for each id, as for any call.
    expect(new Set(watched.events.map(({ callId }) => callId)).size).toBe(4);
  });

  test('keeps an id that was given as a text, and asks a function for the next one', async () => {
    for (const [callId, ids] of [
      ['mine', ['mine']] as const,
      [() => `id ${(count += 1)}`, ['id 1', 'id 2', 'id 3', 'id 4']] as const,
    ]) {
      const watched = observedOperation({ runtime: fakeRuntime(), callId });
      await withRetry(turn(reportProgress).operation, watched);
      expect([...new Set(watched.events.map((event) => event.callId))]).toEqual(ids);
    }
  });
  let count = 0;

  test('tells that the call has recovered before the operation ends, and only after a retry', async () => {
    const controller = new RetryController();
    const shown: unknown[] = [];
    let runs = 0;
    const onEvent = autoRetryEvents(({ type, attempt }) => void shown.push([type, attempt]));
    const operation = async ({ progress }: OperationContext): Promise<void> => {
      runs += 1;
      if (runs === 1) throw overloaded();
      shown.push(controller.isRetrying);
      progress();
      progress();
      shown.push(controller.isRetrying, controller.state.status);
      await controller.whenIdle();
    };
    await withRetry(operation, { controller, onEvent, runtime: fakeRuntime() });
    expect(shown).toEqual([['auto_retry_start', 1], true, ['auto_retry_end', 1], false, 'ended']);
  });

  test('counts strategies and the waiting time anew, but not `maxElapsedMs`', async () => {
    const runtime = fakeRuntime();
    const strategies = { overloaded: { maxRetries: 1, baseDelayMs: 5_000 } };
    const config = { runtime, jitter: 'none', strategies } as const;
    await withRetry(turn(reportProgress).operation, { ...config, maxTotalDelayMs: 5_000 });
    expect(runtime.slept).toEqual([5_000, 5_000, 5_000, 5_000]);
    const limited = turn(reportProgress);
    const error = await thrownBy(withRetry(limited.operation, { ...config, maxElapsedMs: 12_000 }));
    expect(error).toMatchObject({ message: 'overloaded_error' });
    expect(outcomeOf(error)).toMatchObject({ because: 'deadline', attempts: 1, history: { length: 1 } });
    expect(limited.attempts).toHaveLength(3);
  });

  test('obeys the first hint after it to the letter, as that of a first failure', async () => {
    const runtime = fakeRuntime();
    let runs = 0;
    const operation = ({ progress }: OperationContext): string => {
      runs += 1;
      progress();
      if (runs < 4)
        throw Object.assign(new Error('overloaded_error'), { status: 429, headers: { 'retry-after': '0' } });
      return 'done';
    };
    await withRetry(operation, { runtime, maxRetries: 1 });
    expect(runtime.slept).toEqual([0, 0, 0]);
  });

  test('ends the time limit of the attempt, of the first one and of a later one', async () => {
    let runs = 0;
    const value = withRetry(
      async ({ progress, signal }) => {
        progress();
        await new Promise((resolve) => setTimeout(resolve, 40));
        runs += 1;
        if (runs === 1) throw overloaded();
        return signal.aborted;
      },
      { attemptTimeoutMs: 10, maxRetries: 1, baseDelayMs: 0 },
    );
    await expect(value).resolves.toBe(false);
  });

  test('of an attempt that is over, or was aborted, changes nothing', async () => {
    const runtime = heldRuntime();
    const watched = observedOperation({ runtime, attemptTimeoutMs: 1 });
    const contexts: OperationContext[] = [];
    const operation = (context: OperationContext): Promise<never> | string => {
      contexts.push(context);
      return contexts.length === 1 ? new Promise(() => {}) : 'done';
    };
    const waiting = runtime.untilWaiting();
    const call = withRetry(operation, watched);
    await waiting;
    contexts[0]?.progress();
    expect(watched.events.map(({ type }) => type)).toEqual(['retry']);
    runtime.waits[0]?.end();
    await call;
    contexts[1]?.progress();
    expect(watched.events.map(({ type }) => type)).toEqual(['retry', 'recovered']);
  });

  test('makes an attempt after which the call may still be aborted: one end for each chain', async () => {
    const caller = new AbortController();
    const watched = observedOperation({ runtime: fakeRuntime(), signal: caller.signal });
    const call = withRetry(async ({ attempt, progress }) => {
      if (attempt === 1) throw overloaded();
      progress();
      await settle();
      caller.abort('enough');
      return new Promise(() => {});
    }, watched);
    expect(await thrownBy(call)).toBe('enough');
    expect(watched.events.map(({ type }) => type)).toEqual(['retry', 'recovered', 'cancelled']);
    expect(watched.events.at(-1)).toMatchObject({ attempts: 1, history: [] });
  });

  test('counts from one on a further target too', async () => {
    const fallback = createFallback({
      targets: [{ name: 'haiku' }],
      maxRetriesBeforeFallback: 0,
      additionalRetries: 1,
    });
    const watched = observedOperation({ runtime: fakeRuntime(), jitter: 'none', fallback });
    await expect(withRetry(turn(reportProgress).operation, watched)).resolves.toBe('done');
    expect(watched.events.filter(({ type }) => type === 'fallback')).toHaveLength(1);
  });

  test('gives a run at most 100 retries in all, also with another target', async () => {
    for (const fallback of [undefined, createFallback({ targets: [{ name: 'haiku' }] })]) {
      const watched = observedOperation({ runtime: fakeRuntime(), fallback });
      let runs = 0;
      const endless = ({ progress }: OperationContext): never => {
        runs += 1;
        progress();
        throw overloaded();
      };
      await thrownBy(withRetry(endless, watched));
      expect(runs).toBe(101);
      expect(watched.events.at(-1)).toMatchObject({ type: 'failed', because: 'retries-exhausted' });
    }
  });

  test('limits no call that makes none', async () => {
    let runs = 0;
    const config = { runtime: fakeRuntime(), maxRetries: 150, baseDelayMs: 0 };
    await thrownBy(withRetry(() => ((runs += 1), Promise.reject(overloaded())), config));
    expect(runs).toBe(151);
  });
});

describe('progress under a gate', () => {
  test('is a success, and keeps the slot until the operation ends', async () => {
    const gate = createGate({ limits: { concurrent: 1 } });
    const events: RetryEvent[] = [];
    const end = Promise.withResolvers<string>();
    const first = withRetry(
      ({ progress }) => {
        progress();
        return end.promise;
      },
      { gate },
    );
    await settle();
    let hasRun = false;
    const second = withRetry(() => ((hasRun = true), 'second'), { gate, onEvent: (event) => void events.push(event) });
    await settle();
    expect(hasRun).toBe(false);
    end.resolve('first');
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  });

  test('pays into the retry budget, and closes a circuit', async () => {
    const gate = createGate({
      retryBudget: { capacity: 2, ratio: 1 },
      cooldown: false,
      circuitBreaker: { opensAfter: { failures: 2 } },
    });
    const runtime = fakeRuntime();
    const { operation } = turn(reportProgress);
    await expect(withRetry(operation, { gate, runtime, baseDelayMs: 0 })).resolves.toBe('done');
    expect(gate.readings(runtime.now())).toMatchObject([{ circuit: 'closed' }]);
    const stuck = turn(() => {});
    const error = await thrownBy(withRetry(stuck.operation, { gate, runtime, baseDelayMs: 0 }));
    expect(outcomeOf(error)).toMatchObject({ type: 'failed' });
  });

  test('after it a refusal counts as one of a first attempt', async () => {
    const gate = createGate({ cooldown: false, retryBudget: { capacity: 1, ratio: 0.5 } });
    const runtime = fakeRuntime();
    let runs = 0;
    const operation = ({ progress }: OperationContext): string => {
      runs += 1;
      if (runs > 1) progress();
      if (runs < 3) throw Object.assign(new Error('bad gateway'), { status: 502 });
      return 'done';
    };
    const error = await thrownBy(withRetry(operation, { gate, runtime, baseDelayMs: 0 }));
    // The progress has paid half a token, and a retry takes one.
    expect(outcomeOf(error)).toMatchObject({ because: 'retry-budget-empty' });
    expect(gate.readings(runtime.now())).toMatchObject([{ tokens: 0.5 }]);
  });
});
