import { AbortError } from 'p-retry';
import { expect, test } from 'vitest';
import type { OperationContext } from '../../src/index.ts';
import { withRetry } from '../../src/with-retry.ts';
import { fakeRuntime, observedOperation, thrownBy } from '../script.ts';

/** How often an operation is run that throws this once. */
async function runsOf(error: unknown, config: object = {}): Promise<number> {
  let runs = 0;
  const operation = (): string => {
    runs += 1;
    if (runs === 1) throw error;
    return 'done';
  };
  await withRetry(operation, { runtime: fakeRuntime(), ...config }).catch(() => {});
  return runs;
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

test.each([
  ['that was refused a connection', refused, 2],
  ['whose connection was reset, because it may have run', reset, 1],
])('an irreversible operation %s: it is repeated only if nothing can have been sent', async (_what, error, runs) => {
  expect(await runsOf(error, { operation: 'deploy' })).toBe(runs);
});

test.each([
  ['an error of its own', () => Promise.reject(new Error('my own'))],
  ["p-retry's AbortError", () => Promise.reject(new AbortError('my own'))],
  ['nothing', () => new Promise<never>(() => {})],
])('an operation that ends with %s at an abort of the caller: the call rejects with the reason', async (_what, end) => {
  const caller = new AbortController();
  const operation = (): Promise<never> => {
    caller.abort('enough');
    return end();
  };
  expect(await thrownBy(withRetry(operation, { signal: caller.signal }))).toBe('enough');
});

test('a value that an operation still returns at its time limit is the result, and an error is a time-out', async () => {
  let runs = 0;
  const operation = ({ signal }: OperationContext): Promise<string> => {
    runs += 1;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => (runs === 1 ? reject(new Error('my own')) : resolve('paid for')));
    });
  };
  const watched = observedOperation({ attemptTimeoutMs: 15, baseDelayMs: 0 });
  expect(await withRetry(operation, watched)).toBe('paid for');
  expect(watched.events).toMatchObject([{ type: 'retry', failure: { type: 'timeout' } }, { type: 'recovered' }]);
});

test('a value that an operation still returns at an abort is the result, also with a time limit', async () => {
  for (const attemptTimeoutMs of [undefined, 60_000]) {
    const caller = new AbortController();
    const operation = async ({ signal }: OperationContext): Promise<string> => {
      caller.abort('enough');
      expect(signal.aborted).toBe(true);
      await Promise.resolve();
      return 'paid for';
    };
    expect(await withRetry(operation, { signal: caller.signal, attemptTimeoutMs })).toBe('paid for');
  }
});

test('a 499 is an answer of the server: `classify` may retry it, and the call then fails as any other', async () => {
  const error = Object.assign(new Error('Client Closed Request'), { status: 499 });
  expect(await runsOf(error, { classify: () => 'retry' })).toBe(2);
  const watched = observedOperation({ runtime: fakeRuntime(), maxRetries: 1, classify: () => 'retry' });
  await thrownBy(withRetry(() => Promise.reject(error), watched));
  expect(watched.events.map(({ type }) => type)).toEqual(['retry', 'failed']);
});
