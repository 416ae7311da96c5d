import { expect, test } from 'vitest';
import { WAIT_MS, withoutWaits } from '../../../bench/peers/short-waits.ts';

test('a wait of the policy ends before any other task, any other timer stays a timer', async () => {
  const order: string[] = [];
  await withoutWaits(async () => {
    const limit = setTimeout(() => order.push('limit'), 60_000);
    const wait = new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS)).then(() => order.push('wait'));
    const turn = new Promise((resolve) => setImmediate(resolve)).then(() => order.push('turn'));
    await Promise.all([wait, turn]);
    clearTimeout(limit);
  });
  expect(order).toEqual(['wait', 'turn']);
});

test('the globals are restored afterwards, even after a failure', async () => {
  const before = [globalThis.setTimeout, globalThis.clearTimeout];
  await expect(withoutWaits(() => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
  expect([globalThis.setTimeout, globalThis.clearTimeout]).toEqual(before);
});
