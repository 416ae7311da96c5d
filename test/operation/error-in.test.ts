import { AbortError } from 'p-retry';
import { describe, expect, test } from 'vitest';
import { type AttemptResult, createGate, outcomeOf, withRetry } from '../../src/index.ts';
import { fakeRuntime, heldRuntime, observedOperation, settle, thrownBy } from '../script.ts';

const overloaded = (): Error => Object.assign(new Error('overloaded_error'), { status: 529 });

/** An operation that returns these in turn; the last repeats. */
function returning<T>(...values: readonly [T, ...T[]]) {
  let runs = 0;
  return { operation: (): T => values[Math.min(runs++, values.length - 1)] ?? values[0], count: () => runs };
}

describe('errorIn', () => {
  test.each([
    ['a text', 'empty answer', 'empty answer'],
    ['true', true, 'The value was refused by `errorIn`.'],
  ])(
    'that says %s retries a value, and the call resolves with the last one if no retry is left',
    async (_what, wrong, message) => {
      const values = [{ text: '' }, { text: '' }] as const;
      const told: unknown[] = [];
      const watched = observedOperation({ maxRetries: 1, runtime: fakeRuntime() });
      const { operation } = returning<{ readonly text: string }>(...values);
      const value = await withRetry(operation, {
        ...watched,
        onRetry: (_attempt, error) => void told.push(error.message),
        errorIn: ({ text }) => text === '' && wrong,
      });
      expect(value).toBe(values[1]);
      expect(told).toEqual([message]);
      expect(watched.events).toMatchObject([
        { type: 'retry', failure: { message, retryable: true } },
        { type: 'failed', because: 'retries-exhausted', history: [{ attempt: 1 }, { attempt: 2 }] },
      ]);
      // Another call may return the same value.
      expect(outcomeOf(value)).toBeUndefined();
    },
  );

  test('accepts a value with undefined, null, false or an empty text, and is not asked about what was thrown', async () => {
    for (const nothing of [undefined, null, false, '']) {
      let runs = 0;
      const operation = (): number => {
        runs += 1;
        if (runs === 1) throw overloaded();
        return runs;
      };
      const asked: number[] = [];
      const errorIn = (value: number): unknown => (asked.push(value), nothing);
      await expect(withRetry(operation, { runtime: fakeRuntime(), errorIn })).resolves.toBe(2);
      expect(asked).toEqual([2]);
    }
  });

  test('may give the error that a value reports, which is read like one that was thrown', async () => {
    interface Message {
      readonly stopReason: 'error' | 'stop';
      readonly errorMessage?: string;
    }
    const messages = [
      {
        stopReason: 'error',
        errorMessage: '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      },
      { stopReason: 'error', errorMessage: 'Invalid API key' },
    ] as const;
    const watched = observedOperation({ runtime: fakeRuntime() });
    const value = await withRetry(returning<Message>(...messages).operation, {
      ...watched,
      errorIn: ({ stopReason, errorMessage }) => stopReason === 'error' && new Error(errorMessage),
    });
    expect(value).toBe(messages[1]);
    expect(watched.events).toMatchObject([
      { type: 'retry', failure: { type: 'overloaded', status: 529 } },
      { type: 'failed', because: 'not-retryable', failure: { type: 'auth_invalid' } },
    ]);
  });

  test.each<[string, unknown, number]>([
    ['what no rule knows, as `retryUnknownErrors` is about what was thrown', new Error('boom'), 1],
    ["p-retry's AbortError", new AbortError(overloaded()), 1],
    ['an error that says so itself', { retryable: true, message: 'later' }, 2],
    ['an error that says no', Object.assign(overloaded(), { retryable: false }), 1],
  ])('that gives %s is read as if that was thrown', async (_what, wrong, runs) => {
    const { operation, count } = returning('bad');
    const config = { runtime: fakeRuntime(), maxRetries: 1, retryUnknownErrors: true, errorIn: () => wrong };
    await expect(withRetry(operation, config)).resolves.toBe('bad');
    expect(count()).toBe(runs);
  });

  test('that throws rejects the call with that, and one that is asynchronous with a TypeError', async () => {
    const stop = new Error('stop');
    const { operation, count } = returning('value');
    const throws = (): never => {
      throw stop;
    };
    expect(await thrownBy(withRetry(operation, { errorIn: throws }))).toBe(stop);
    expect(await thrownBy(withRetry(operation, { errorIn: () => Promise.reject(stop) }))).toEqual(
      new TypeError('Expected `errorIn()` to be an error, true, a text or undefined, got an object.'),
    );
    await settle();
    expect(count()).toBe(2);
  });

  test('does not repeat what cannot be undone', async () => {
    const { operation, count } = returning(1);
    await withRetry(operation, { operation: 'deploy', errorIn: () => true });
    expect(count()).toBe(1);
  });

  test('comes before `classify` and `stopIf`, which get its error', async () => {
    const wrong = new Error('boom');
    const order: unknown[] = [];
    const { operation, count } = returning('value');
    await withRetry(operation, {
      runtime: fakeRuntime(),
      errorIn: () => wrong,
      classify: (
        { type, retryable }: { readonly type: string; readonly retryable: boolean },
        { error }: AttemptResult,
      ) => {
        order.push(type, retryable, error === wrong);
        return 'retry';
      },
      stopIf: ({ error, failure }) => (order.push(failure.retryable, error === wrong), true),
    });
    expect(order).toEqual(['unknown', false, true, true, true]);
    expect(count()).toBe(1);
  });

  test('is not asked about a value that came after the abort of the caller', async () => {
    const caller = new AbortController();
    const call = withRetry(
      () => {
        caller.abort('enough');
        return 'paid for';
      },
      { signal: caller.signal, errorIn: () => true },
    );
    await expect(call).resolves.toBe('paid for');
  });
});

describe('the history of an operation', () => {
  test('has the errors, which no log shows', async () => {
    const errors = [overloaded(), new Error('boom')];
    let runs = 0;
    const error = await thrownBy(withRetry(() => Promise.reject(errors[runs++]), { runtime: fakeRuntime() }));
    const history = outcomeOf(error)?.history ?? [];
    expect(history.map((record) => record.error)).toEqual(errors);
    for (const record of history) {
      expect(Object.keys(record)).not.toContain('error');
      expect({ ...record }).not.toHaveProperty('error');
    }
    expect(JSON.stringify(history)).not.toContain('"error"');
  });

  test('has what `errorIn` found', async () => {
    const wrong = { status: 529, message: 'overloaded' };
    const watched = observedOperation({ runtime: fakeRuntime() });
    const { operation } = returning('bad', 'good');
    await withRetry(operation, { ...watched, errorIn: (value) => value === 'bad' && wrong });
    expect(watched.events.at(-1)).toMatchObject({ history: [{ error: wrong }, { failure: null }] });
  });

  test('keeps an error when the wait after it becomes longer', async () => {
    const gate = createGate({ limits: { concurrent: 1 } });
    const runtime = heldRuntime();
    const watched = observedOperation({ gate, runtime });
    const error = overloaded();
    const end = Promise.withResolvers<void>();
    let runs = 0;
    const call = withRetry(() => ((runs += 1), runs === 1 ? Promise.reject(error) : 'done'), watched);
    await settle();
    const other = withRetry(() => end.promise, { gate });
    await settle();
    runtime.waits[0]?.end();
    await settle();
    expect(runs).toBe(1);
    end.resolve();
    await Promise.all([call, other]);
    expect(watched.events.at(-1)).toMatchObject({ type: 'recovered', history: [{ error }, { failure: null }] });
  });
});
