import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { askWithConsent } from '../../examples/ask-a-person.ts';
import { retried } from '../../examples/replace-retry-decorator.ts';
import { retryWithBackoff } from '../../examples/replace-retry-with-backoff.ts';
import { RetryError, retryWithExponentialBackoff } from '../../examples/replace-sdk-retry.ts';
import { show } from '../../examples/retry-stream.ts';
import { sessionOf } from '../../examples/usage-limit.ts';
import type { Failure } from '../../src/index.ts';
import { settle, thrownBy } from '../script.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const overloaded = (): Error => Object.assign(new Error('overloaded_error'), { status: 529 });
const usedUp = (): Error =>
  Object.assign(new Error('You have reached your usage limit. It resets in 5 hours.'), {
    status: 429,
    code: 'insufficient_quota',
  });

/** A function that rejects with these in turn, and then resolves with "done". */
function failing(...errors: readonly unknown[]) {
  let calls = 0;
  const fn = vi.fn(async () => {
    calls += 1;
    if (calls <= errors.length) throw errors[calls - 1];
    return 'done';
  });
  return fn;
}

/** What comes of a call when all its waits are over. */
async function finished<T>(call: Promise<T>): Promise<T> {
  call.catch(() => {});
  await vi.advanceTimersByTimeAsync(3_600_000);
  return call;
}

describe('usage-limit', () => {
  test('goes on at once with another account, which the storage takes its time to find', async () => {
    const found = Promise.withResolvers<boolean>();
    const switchAccount = vi.fn(() => found.promise);
    const session = sessionOf({ switch: switchAccount });
    const fn = failing(usedUp());
    const run = session.run(fn);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([switchAccount.mock.calls.length, fn.mock.calls.length]).toEqual([1, 1]);
    found.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    await expect(run).resolves.toBe('done');
  });

  test('waits as after any other failure if there is none, and is given up in the end', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const accounts of [{ switch: async () => false }, { switch: () => Promise.reject(new Error('no storage')) }]) {
      const fn = failing(usedUp(), usedUp(), usedUp(), usedUp());
      const run = sessionOf(accounts).run(fn);
      run.catch(() => {});
      await vi.advanceTimersByTimeAsync(1_900);
      expect(fn).toHaveBeenCalledTimes(1);
      expect(await thrownBy(finished(run))).toMatchObject({ code: 'insufficient_quota' });
      expect(fn).toHaveBeenCalledTimes(4);
    }
    expect(error).toHaveBeenCalledTimes(3);
  });
});

describe('ask-a-person', () => {
  test('asks with the model that was chosen, and gives up when the person does', async () => {
    const asked: string[] = [];
    const told: Failure['type'][] = [];
    const answers = ['second', undefined];
    const missing = (model: string): Error => Object.assign(new Error(`model_not_found: ${model}`), { status: 404 });
    const call = askWithConsent(
      async (model) => {
        asked.push(model);
        throw missing(model);
      },
      async ({ type }) => (told.push(type), answers.shift()),
      'first',
    );
    expect(await thrownBy(finished(call))).toEqual(missing('second'));
    expect(asked).toEqual(['first', 'second']);
    expect(told).toHaveLength(2);
  });

  test('asks no one about an answer, nor about an abort', async () => {
    const choose = vi.fn(async () => 'other');
    expect(await askWithConsent(async (model) => model, choose, 'first')).toBe('first');
    const gone = new DOMException('gone', 'AbortError');
    expect(await thrownBy(askWithConsent(() => Promise.reject(gone), choose, 'first'))).toBe(gone);
    expect(choose).not.toHaveBeenCalled();
  });
});

test('retry-stream: what came before the content of a failed stream is not shown', async () => {
  const said: unknown[][] = [];
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(words));
  let calls = 0;
  await finished(
    show(async function* () {
      calls += 1;
      yield { type: 'start' };
      if (calls === 1) throw overloaded();
      yield { type: 'text', text: 'Hello' };
    }),
  );
  expect(said).toEqual([
    ['start', ''],
    ['text', 'Hello'],
  ]);
});

describe('replace-retry-with-backoff', () => {
  test('retries errors and contents, and reports each wait', async () => {
    const contents = ['', 'done'];
    let calls = 0;
    const onRetry = vi.fn();
    const call = retryWithBackoff(
      async () => {
        calls += 1;
        if (calls === 1) throw overloaded();
        return contents.shift() ?? '';
      },
      { onRetry, shouldRetryOnContent: (content) => content === '' },
    );
    expect(await finished(call)).toBe('done');
    expect(onRetry.mock.calls).toEqual([
      [1, expect.objectContaining({ status: 529 }), expect.any(Number)],
      [2, new Error('The content was refused.'), expect.any(Number)],
    ]);
  });

  test('retries what `shouldRetryOnError` names, also what the library would not', async () => {
    const odd = new Error('odd');
    expect(await finished(retryWithBackoff(failing(odd), { shouldRetryOnError: (error) => error === odd }))).toBe(
      'done',
    );
    const fn = failing(odd);
    expect(await thrownBy(finished(retryWithBackoff(fn)))).toBe(odd);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  test('asks a person when the retries are used up, and begins again if the person agrees', async () => {
    const onPersistentError = vi.fn(async () => true);
    const fn = failing(overloaded(), overloaded(), overloaded());
    expect(await finished(retryWithBackoff(fn, { maxAttempts: 2, onPersistentError }))).toBe('done');
    expect(onPersistentError).toHaveBeenCalledTimes(1);
    const caller = new AbortController();
    const aborted = retryWithBackoff(failing(overloaded()), { signal: caller.signal, onPersistentError });
    await settle();
    caller.abort('enough');
    expect(await thrownBy(aborted)).toBe('enough');
    expect(onPersistentError).toHaveBeenCalledTimes(1);
  });
});

describe('replace-retry-decorator', () => {
  interface Model {
    calls: number;
    readonly name: string;
  }

  async function* method(this: Model, words: readonly string[]): AsyncGenerator<string> {
    this.calls += 1;
    if (this.calls === 1) throw overloaded();
    for (const word of words) yield `${this.name}: ${word}`;
    if (this.calls === 2) throw overloaded();
  }

  test('retries a generator until its first value, and passes on `this` and the arguments', async () => {
    const onRetry = vi.fn();
    const stream = retried({ onRetry })(method);
    const model: Model = { calls: 0, name: 'model' };
    const seen: string[] = [];
    const reading = (async () => {
      for await (const word of stream.call(model, ['a', 'b'])) seen.push(word);
    })();
    expect(await thrownBy(finished(reading))).toMatchObject({ status: 529 });
    expect([seen, model.calls]).toEqual([['model: a', 'model: b'], 2]);
    expect(onRetry.mock.calls).toEqual([[expect.objectContaining({ status: 529 }), 1, expect.any(Number)]]);
  });

  test('retries only what `shouldRetry` names, if it is given', async () => {
    const shouldRetry = vi.fn(() => false);
    const model: Model = { calls: 0, name: 'model' };
    const stream = retried({ shouldRetry })(method).call(model, ['a']);
    expect(await thrownBy(stream.next())).toMatchObject({ status: 529 });
    expect(shouldRetry.mock.calls).toEqual([[expect.objectContaining({ status: 529 }), 1]]);
  });
});

describe('replace-sdk-retry', () => {
  test('throws the errors of all attempts when the retries are used up, or end with a permanent error', async () => {
    const errors = [overloaded(), overloaded(), overloaded()];
    const error = await thrownBy(finished(retryWithExponentialBackoff()(failing(...errors))));
    expect(error).toBeInstanceOf(RetryError);
    expect(error).toMatchObject({ reason: 'maxRetriesExceeded', errors, cause: errors[2] });
    const denied = Object.assign(new Error('invalid x-api-key'), { status: 401 });
    const permanent = await thrownBy(finished(retryWithExponentialBackoff()(failing(errors[0], denied))));
    expect(permanent).toMatchObject({ reason: 'errorNotRetryable', errors: [errors[0], denied] });
  });

  test('throws a first error that is permanent, and an abort, as they are', async () => {
    const denied = Object.assign(new Error('invalid x-api-key'), { status: 401 });
    expect(await thrownBy(retryWithExponentialBackoff()(failing(denied)))).toBe(denied);
    const abort = new AbortController();
    const call = retryWithExponentialBackoff({ abortSignal: abort.signal })(failing(overloaded()));
    await settle();
    abort.abort('enough');
    expect(await thrownBy(call)).toBe('enough');
    expect(await finished(retryWithExponentialBackoff()(failing(overloaded())))).toBe('done');
  });
});
