import { expect, test } from 'vitest';
import { withRetry } from '../../src/with-retry.ts';
import { fakeRuntime } from '../script.ts';

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
  ['retryable', { retryable: false }],
  ['isRetryable', { isRetryable: false }],
])(
  'an error that says of itself, as `%s`, that it is final ends the call, also with retryUnknownErrors',
  async (_name, word) => {
    expect(await runsOf(Object.assign(new Error('odd'), word), { retryUnknownErrors: true })).toBe(1);
  },
);

test('an error of the program ends the call, also with retryUnknownErrors', async () => {
  expect(await runsOf(new TypeError('x is not a function'), { retryUnknownErrors: true })).toBe(1);
});
