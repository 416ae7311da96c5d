import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { OPERATION_WORDING, readError } from '../../src/classify/index.ts';

const MEBIBYTE = 1_048_576;

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Reads an error with a message of 32 MiB, which is in no variable afterwards. */
function readLong(): void {
  const message = `connection lost ${Buffer.alloc(32 * MEBIBYTE, 'x').toString('latin1')}`;
  expect(readError(new Error(message), { wording: OPERATION_WORDING }).message).toMatch(/^connection lost/);
}

test('an error with a message of many megabytes is not kept in memory once it was read', () => {
  const before = heapUsed();
  readLong();
  let keptBytes = Infinity;
  for (let round = 0; round < 5 && keptBytes >= 16 * MEBIBYTE; round += 1) keptBytes = heapUsed() - before;
  expect(keptBytes).toBeLessThan(16 * MEBIBYTE);
});

test('the whole body of an error counts before what a schema of its SDK has left of it', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '11s' }];
  const error = { code: 429, message: 'Resource exhausted' };
  const data = { error };
  const responseBody = JSON.stringify({ error: { ...error, details } });
  const thrown = Object.assign(new Error('Resource exhausted'), { statusCode: 429, data, responseBody });
  expect(classify({ error: thrown })).toMatchObject({ type: 'rate_limit', retryAfterMs: 11_000 });
});
