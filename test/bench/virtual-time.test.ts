import { expect, test } from 'vitest';
import { VirtualTime } from '../../bench/virtual-time.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('hours pass at once, timers fire in order, and every clock agrees', async () => {
  const clock = new VirtualTime();
  const realStart = performance.now();
  const seen = await clock.run(async () => {
    const [wall, monotonic] = [Date.now(), performance.now()];
    const order: string[] = [];
    const late = pause(7_200_000).then(() => order.push('late'));
    await pause(3_600_000);
    order.push('early');
    await late;
    return { order, wallMs: Date.now() - wall, monotonicMs: performance.now() - monotonic };
  });
  expect(seen).toEqual({ order: ['early', 'late'], wallMs: 7_200_000, monotonicMs: 7_200_000 });
  expect(clock.elapsedMs).toBe(7_200_000);
  expect(performance.now() - realStart).toBeLessThan(60_000);
});

test('a timer that is cleared does not move the clock', async () => {
  const clock = new VirtualTime();
  await clock.run(async () => {
    clearTimeout(setTimeout(() => undefined, 600_000));
    await pause(5);
  });
  expect(clock.elapsedMs).toBe(5);
});

test('a timer that is wound again starts anew, and outlives a clear', async () => {
  const clock = new VirtualTime();
  const firedAtMs: number[] = [];
  await clock.run(async () => {
    const timer = setTimeout(() => void firedAtMs.push(clock.elapsedMs), 100);
    setTimeout(() => void firedAtMs.push(0), 500);
    await pause(60);
    timer.refresh();
    clock.clear();
    await pause(1_000);
  });
  expect(firedAtMs).toEqual([160]);
});

test('the globals are restored afterwards, even after a failure', async () => {
  const before = [globalThis.setTimeout, globalThis.clearTimeout, Date.now];
  const failure = new Error('it failed');
  await expect(new VirtualTime().run(() => Promise.reject(failure))).rejects.toBe(failure);
  expect([globalThis.setTimeout, globalThis.clearTimeout, Date.now]).toEqual(before);
  expect(Object.hasOwn(performance, 'now')).toBe(false);
});

test('a call that waits for nothing and never ends is an error, not a hang', async () => {
  const run = new VirtualTime().run(() => new Promise(() => undefined));
  await expect(run).rejects.toThrow('neither an answer nor a timer');
});
