import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OwnWait } from '../../src/proxy/own-wait.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

it('ends at its moment and not before, however far away that is', async () => {
  const moment = 30 * 86_400_000;
  let isOver = false;
  void new OwnWait(moment, never).over.then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(moment - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

it('ends within a minute if the machine was asleep at its moment', async () => {
  let isOver = false;
  void new OwnWait(3_600_000, never).over.then(() => (isOver = true));
  vi.setSystemTime(7_200_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isOver).toBe(true);
});

it('is no longer if the clock is set back', async () => {
  let isOver = false;
  void new OwnWait(120_000, never).over.then(() => (isOver = true));
  vi.setSystemTime(-3_600_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(isOver).toBe(true);
});

it('ends at once on retryNow and giveUp, or with the reason of an abort, and leaves no timer', async () => {
  const hurried = new OwnWait(1_000, never);
  hurried.retryNow();
  await hurried.over;
  const given = new OwnWait(1_000, never);
  given.giveUp();
  await expect(given.over).rejects.toMatchObject({ code: 'given_up', headers: { 'x-should-retry': 'false' } });
  const reason = new Error('gone');
  const abort = new AbortController();
  const aborted = new OwnWait(1_000, abort.signal);
  abort.abort(reason);
  await expect(aborted.over).rejects.toBe(reason);
  await expect(new OwnWait(1_000, abort.signal).over).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});
