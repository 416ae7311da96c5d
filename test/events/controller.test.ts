import { describe, expect, test, vi } from 'vitest';
import {
  beginRetrying,
  type ControlledWait,
  offerWait,
  publish,
  RetryController,
} from '../../src/events/controller.ts';
import type { RetryEvent } from '../../src/events/events.ts';
import { settle } from '../script.ts';

const event: RetryEvent = {
  type: 'cancelled',
  requestId: 'id',
  method: 'POST',
  url: 'https://api.example.com/',
  at: 1,
  attempts: 1,
  elapsedMs: 0,
  history: [],
};

function wait(until: number): { readonly offered: ControlledWait; readonly ends: string[] } {
  const ends: string[] = [];
  return { offered: { until, end: (how) => void ends.push(how) }, ends };
}

describe('a controller', () => {
  test('is on, idle and without waits at first', () => {
    const controller = new RetryController();
    expect([controller.enabled, controller.isRetrying, controller.nextAttemptAt]).toEqual([true, false, null]);
  });

  test('counts the calls that retry', () => {
    const controller = new RetryController();
    const endFirst = beginRetrying(controller);
    const endSecond = beginRetrying(controller);
    endFirst();
    expect(controller.isRetrying).toBe(true);
    endSecond();
    expect(controller.isRetrying).toBe(false);
  });

  test('names the earliest of its waits', () => {
    const controller = new RetryController();
    const withdraw = [500, 100, 900].map((until) => offerWait(controller, wait(until).offered));
    expect(controller.nextAttemptAt).toBe(100);
    withdraw[1]?.();
    expect(controller.nextAttemptAt).toBe(500);
    withdraw[0]?.();
    withdraw[2]?.();
    expect(controller.nextAttemptAt).toBeNull();
  });

  test.each([
    ['retryNow', 'retry-now'],
    ['giveUp', 'given-up'],
  ] as const)('%s ends every wait in progress and no later one', (method, how) => {
    const controller = new RetryController();
    const waits = [wait(1), wait(2)];
    for (const { offered } of waits) offerWait(controller, offered);
    controller[method]();
    const later = wait(3);
    offerWait(controller, later.offered);
    expect(waits.map(({ ends }) => ends)).toEqual([[how], [how]]);
    expect(later.ends).toEqual([]);
  });

  test('can end waits that withdraw themselves meanwhile', () => {
    const controller = new RetryController();
    const second = wait(2);
    const withdrawSecond = offerWait(controller, second.offered);
    const withdrawFirst = offerWait(controller, { until: 1, end: () => withdrawFirst() });
    withdrawSecond();
    expect(() => controller.retryNow()).not.toThrow();
    expect(second.ends).toEqual([]);
    expect(controller.nextAttemptAt).toBeNull();
  });

  test.each(['retryNow', 'giveUp'] as const)('%s does not end a wait that begins because another ended', (method) => {
    const controller = new RetryController();
    const next = wait(2);
    offerWait(controller, { until: 1, end: () => void offerWait(controller, next.offered) });
    controller[method]();
    expect(next.ends).toEqual([]);
  });

  test('with nothing to steer does nothing', () => {
    const controller = new RetryController();
    expect(() => (controller.retryNow(), controller.giveUp())).not.toThrow();
  });
});

describe('idleness', () => {
  test('is told at once when no call retries', async () => {
    await expect(new RetryController().whenIdle()).resolves.toBeUndefined();
  });

  test('is told to everybody when the last call ends', async () => {
    const controller = new RetryController();
    const ends = [beginRetrying(controller), beginRetrying(controller)];
    const told = vi.fn<() => void>();
    void controller.whenIdle().then(told);
    void controller.whenIdle().then(told);
    ends[0]?.();
    await settle();
    expect(told).not.toHaveBeenCalled();
    ends[1]?.();
    await settle();
    expect(told).toHaveBeenCalledTimes(2);
  });

  test('is told anew for what begins later', async () => {
    const controller = new RetryController();
    beginRetrying(controller)();
    const end = beginRetrying(controller);
    const told = vi.fn<() => void>();
    void controller.whenIdle().then(told);
    await settle();
    expect(told).not.toHaveBeenCalled();
    end();
    await settle();
    expect(told).toHaveBeenCalledOnce();
  });
});

describe('subscribers', () => {
  test('hear every event until they leave', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(listener);
    publish(controller, event);
    leave();
    leave();
    publish(controller, event);
    expect(listener.mock.calls).toEqual([[event]]);
  });

  test('may subscribe twice and leave once', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(listener);
    controller.subscribe(listener);
    leave();
    publish(controller, event);
    expect(listener).toHaveBeenCalledOnce();
  });

  test('that throw do not keep others from hearing', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    controller.subscribe(() => {
      throw new Error('listener');
    });
    controller.subscribe(listener);
    expect(() => publish(controller, event)).not.toThrow();
    expect(listener).toHaveBeenCalledOnce();
  });

  test('that join while others are told hear only what comes next', () => {
    const controller = new RetryController();
    const late = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(() => {
      leave();
      controller.subscribe(late);
    });
    publish(controller, event);
    expect(late).not.toHaveBeenCalled();
    publish(controller, event);
    expect(late).toHaveBeenCalledOnce();
  });

  test('may leave while they are told', () => {
    const controller = new RetryController();
    const heard: string[] = [];
    const leave = controller.subscribe(() => {
      heard.push('first');
      leave();
    });
    controller.subscribe(() => void heard.push('second'));
    publish(controller, event);
    publish(controller, event);
    expect(heard).toEqual(['first', 'second', 'second']);
  });
});
