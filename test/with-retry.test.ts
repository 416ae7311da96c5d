import pRetry, { AbortError } from 'p-retry';
import { describe, expect, test } from 'vitest';
import { createFallback, type OperationContext, presets, RetrySession, withRetry, outcomeOf } from '../src/index.ts';
import { ApiError, failing, fakeRuntime, observedOperation, settle, thrownBy } from './script.ts';

const reset = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

describe('an operation', () => {
  test('that succeeds is run once, without events', async () => {
    const { operation, contexts } = failing();
    const watched = observedOperation();
    await expect(withRetry(operation, watched)).resolves.toBe('done');
    expect(contexts).toEqual([
      { attempt: 1, signal: expect.any(AbortSignal), target: undefined, progress: expect.any(Function) },
    ]);
    expect(watched.events).toEqual([]);
  });

  test('that fails is run again under the same waits and events as a request', async () => {
    const runtime = fakeRuntime();
    const watched = observedOperation({ runtime, jitter: 'none', operation: 'model_request' });
    const { operation, contexts } = failing(new ApiError(503), reset());
    await expect(withRetry(operation, watched)).resolves.toBe('done');
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(runtime.slept).toEqual([1_000, 2_000]);
    expect(watched.events).toMatchObject([
      { type: 'retry', method: 'RUN', url: 'model_request', retry: 1, failure: { type: 'overloaded', status: 503 } },
      { type: 'retry', retry: 2, failure: { type: 'connection_error', code: 'ECONNRESET' } },
      { type: 'recovered', attempts: 3 },
    ]);
  });

  test('whose error has a date in `Retry-After` is run again at that moment of the injected clock', async () => {
    const runtime = fakeRuntime();
    const headers = { 'retry-after': new Date(runtime.time + 7_000).toUTCString() };
    const { operation } = failing(Object.assign(new ApiError(429), { headers }));
    await withRetry(operation, { runtime, jitter: 'none' });
    expect(runtime.slept).toEqual([7_000]);
  });

  test('that fails to the end rejects with the same error, with its history', async () => {
    const last = new ApiError(529);
    const { operation } = failing(new ApiError(529), last);
    const error = await thrownBy(withRetry(operation, { maxRetries: 1, runtime: fakeRuntime() }));
    expect(error).toBe(last);
    expect(outcomeOf(last)?.history ?? []).toMatchObject([{ attempt: 1 }, { attempt: 2, failure: { status: 529 } }]);
  });

  test('resolves with the very result, of which `outcomeOf` knows nothing', async () => {
    const result = { answer: 42 };
    let attempts = 0;
    const operation = (): object => {
      attempts += 1;
      if (attempts === 1) throw new ApiError(529);
      return result;
    };
    expect(await withRetry(operation, { runtime: fakeRuntime() })).toBe(result);
    // Another call may return the same object.
    expect(outcomeOf(result)).toBeUndefined();
  });

  test.each([
    ['a bug', new TypeError('x is not a function')],
    ['a refusal', new ApiError(401)],
    ['an exhausted quota', new ApiError(429, 'You exceeded your current quota')],
    ['a message that mentions 503 under another status', new ApiError(400, 'model-503 is unknown')],
    ['a number that only looks like a status', new Error('more than 15000 tokens')],
    ['what is no error', 'oops'],
    ['the abort of another signal', new DOMException('gone', 'AbortError')],
    ['an overload that says it is not retryable', Object.assign(new Error('overloaded'), { retryable: false })],
    ['a 503 that says it is not retryable', Object.assign(new ApiError(503), { retryable: false })],
    ['a quota that says it is retryable', Object.assign(new Error('insufficient_quota'), { isRetryable: true })],
  ])('that throws %s is not run again', async (_title, error) => {
    const { operation, contexts } = failing(error);
    await expect(withRetry(operation, { runtime: fakeRuntime() })).rejects.toBe(error);
    expect(contexts).toHaveLength(1);
  });

  test.each([
    ['an unknown error that says it is retryable', Object.assign(new Error('provider error'), { retryable: true })],
    ['a 503 whose SDK says that it is not retryable', Object.assign(new ApiError(503), { isRetryable: false })],
    ['a connection that was aborted, in words', new Error('ECONNABORTED')],
  ])('that throws %s is run again', async (_title, error) => {
    const { operation, contexts } = failing(error);
    await withRetry(operation, { runtime: fakeRuntime() });
    expect(contexts).toHaveLength(2);
  });

  test('may return a value that looks like a failed response', async () => {
    const result = { ok: false, status: 503 };
    await expect(withRetry(() => result)).resolves.toBe(result);
  });

  test.each([
    [{ signal: {} }, 'Expected `signal` to be an AbortSignal, got an object.'],
    [{ singal: null }, 'Unknown option `singal`. Did you mean `signal`?'],
  ])('with the options %j is refused at once', (config: object, message) => {
    expect(() => withRetry(() => 'done', config)).toThrow(new TypeError(message));
    expect(() => new RetrySession(config)).toThrow(new TypeError(message));
  });

  test('may have null as its signal, as in fetch', async () => {
    const config: object = { signal: null };
    expect([await withRetry(() => 'done', config), await new RetrySession(config).run(() => 'done')]).toEqual([
      'done',
      'done',
    ]);
  });

  test('gets the signal of the caller, and the time limit of the attempt', async () => {
    const { signal } = new AbortController();
    await withRetry((context) => expect(context.signal).toBe(signal), { signal });
    const { operation, contexts } = failing();
    await withRetry(operation, { signal, attemptTimeoutMs: 60_000 });
    expect(contexts[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(contexts[0]?.signal).not.toBe(signal);
  });

  test('gets the name of the target of a chain, and a signal on every attempt', async () => {
    const fallback = createFallback({ targets: [{ name: 'haiku' }] });
    const { operation, contexts } = failing(new ApiError(529));
    await withRetry(operation, { maxRetries: 0, fallback, runtime: fakeRuntime() });
    expect(contexts.map(({ target }) => target)).toEqual([undefined, 'haiku']);
    expect(contexts.map(({ signal }) => signal instanceof AbortSignal)).toEqual([true, true]);
  });

  test('that is not a function is refused', () => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => withRetry('run')).toThrow('Expected `operation` to be a function, got string.');
  });

  test('with options that are no object is refused', () => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => withRetry(() => 'done', null)).toThrow('Expected `config` to be an object such as { maxRetries: 3 }');
  });

  test('gets no signal through the prototype of its options, which parsed JSON can set', async () => {
    const config = Object.assign({}, JSON.parse('{"__proto__":{"signal":{"aborted":true}}}'));
    const { operation, contexts } = failing();
    await expect(withRetry(operation, config)).resolves.toBe('done');
    expect(contexts).toMatchObject([{ signal: { aborted: false } }]);
  });
});

describe("p-retry's AbortError", () => {
  const wrongKey = new ApiError(401, 'wrong key');
  const overloaded = new ApiError(503);
  const usedUp = new ApiError(429, 'You exceeded your current quota');

  test.each([
    ['an error with a status', new AbortError(wrongKey), wrongKey, { type: 'auth_invalid', status: 401 }],
    ['a failure that is otherwise retried', new AbortError(overloaded), overloaded, { type: 'overloaded' }],
    ['a used-up quota', new AbortError(usedUp), usedUp, { type: 'quota_exhausted' }],
    ['a broken connection', new AbortError(reset()), reset(), { type: 'connection_error' }],
    ['a text', new AbortError('wrong key'), new Error('wrong key'), { type: 'unknown' }],
    ['an AbortError of its own', new AbortError(new AbortError(wrongKey)), wrongKey, { type: 'auth_invalid' }],
    ['a bug', new AbortError(new TypeError('x')), new TypeError('x'), { type: 'unknown' }],
  ])('with %s ends the call with that error, as in p-retry', async (_title, thrown, wrapped, failure) => {
    const { operation, contexts } = failing(thrown);
    const watched = observedOperation({ runtime: fakeRuntime(), retryUnknownErrors: true });
    const error = await thrownBy(withRetry(operation, watched));
    expect(error).toBe(await thrownBy(pRetry(() => Promise.reject(thrown))));
    expect(error).toStrictEqual(wrapped);
    expect(contexts).toHaveLength(1);
    expect(watched.events).toMatchObject([
      { type: 'failed', attempts: 1, because: 'not-retryable', failure: { ...failure, retryable: false } },
    ]);
  });

  test.each([
    ['of an aborted fetch', new DOMException('gone', 'AbortError')],
    ['of an older library', Object.assign(new Error('gone'), { name: 'AbortError' })],
    ['whose `originalError` is no error', Object.assign(new Error('gone'), { name: 'AbortError', originalError: 'x' })],
  ])('is not confused with an AbortError %s, which is a cancellation', async (_title, thrown) => {
    const { operation, contexts } = failing(thrown);
    const watched = observedOperation({ runtime: fakeRuntime() });
    await expect(withRetry(operation, watched)).rejects.toBe(thrown);
    expect(contexts).toHaveLength(1);
    expect(watched.events).toMatchObject([{ type: 'cancelled' }]);
  });

  test('after the abort of the caller is a cancellation', async () => {
    const caller = new AbortController();
    const watched = observedOperation({ runtime: fakeRuntime() });
    const operation = (): never => {
      caller.abort();
      throw new AbortError(wrongKey);
    };
    const call = withRetry(operation, { ...watched, signal: caller.signal });
    await expect(call).rejects.toBeInstanceOf(Error);
    expect(watched.events).toMatchObject([{ type: 'cancelled' }]);
  });

  test('ends the call at its target, also if the chain has another', async () => {
    const { operation, contexts } = failing(new AbortError(overloaded));
    const fallback = createFallback({ primary: 'first', targets: [{ name: 'second' }], maxRetriesBeforeFallback: 0 });
    await expect(withRetry(operation, { fallback, runtime: fakeRuntime() })).rejects.toBe(overloaded);
    expect(contexts).toHaveLength(1);
  });

  test('ends the call also where a used-up quota would be waited for', async () => {
    const headers = { 'retry-after': '3600' };
    const { operation, contexts } = failing(new AbortError(Object.assign(usedUp, { headers })));
    await expect(withRetry(operation, { ...presets.patient, runtime: fakeRuntime() })).rejects.toBe(usedUp);
    expect(contexts).toHaveLength(1);
  });

  test('after a retry ends the call, and in a session only this run', async () => {
    const runtime = fakeRuntime();
    const watched = observedOperation({ runtime, jitter: 'none' });
    const session = new RetrySession(watched);
    const { operation, contexts } = failing(overloaded, new AbortError(wrongKey));
    await expect(session.run(operation)).rejects.toBe(wrongKey);
    expect(contexts).toHaveLength(2);
    expect(watched.events.at(-1)).toMatchObject({ type: 'failed', attempts: 2, failure: { type: 'auth_invalid' } });
    await expect(session.run(operation)).resolves.toBe('done');
  });

  test('of an attempt whose time limit is over has no effect on the next attempt', async () => {
    const lateThrow = Promise.withResolvers<never>();
    const operation = async ({ attempt }: OperationContext): Promise<string> => {
      if (attempt === 1) return lateThrow.promise;
      if (attempt > 2) return 'done';
      lateThrow.reject(new AbortError(wrongKey));
      await settle();
      throw overloaded;
    };
    await expect(withRetry(operation, { runtime: fakeRuntime(), attemptTimeoutMs: 1 })).resolves.toBe('done');
  });

  test('that wraps itself ends the call too', async () => {
    const loop = new AbortError('round');
    Object.assign(loop, { originalError: loop });
    await expect(withRetry(failing(loop).operation, { runtime: fakeRuntime() })).rejects.toBe(loop);
  });
});

describe('retryUnknownErrors', () => {
  const runsOf = (error: unknown, retryUnknownErrors: boolean): Promise<number> => {
    let runs = 0;
    const operation = (): never => {
      runs += 1;
      throw error;
    };
    const config = { runtime: fakeRuntime(), retryUnknownErrors, maxRetries: 2 };
    return withRetry(operation, config).catch(() => runs);
  };

  test.each<[string, unknown, number]>([
    ['an error that no rule knows', new Error('boom'), 3],
    ['a thrown text', 'boom', 3],
    ['a thrown nothing', null, 3],
    ...[TypeError, SyntaxError, ReferenceError, RangeError, EvalError, URIError].map(
      (Class): [string, unknown, number] => [`a ${Class.name} of the program`, new Class('x is odd'), 1],
    ),
    ['an error that says `retryable: false`', Object.assign(new Error('boom'), { retryable: false }), 1],
    ['an error that says `isRetryable: false`', Object.assign(new Error('boom'), { isRetryable: false }), 1],
    ['a failed assertion', Object.assign(new Error('expected'), { name: 'AssertionError' }), 1],
  ])('retries %s as the option says', async (_what, error, runs) => {
    expect(await runsOf(error, true)).toBe(runs);
    expect(await runsOf(error, false)).toBe(1);
  });
});
