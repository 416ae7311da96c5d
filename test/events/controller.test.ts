import { describe, expect, test, vi } from 'vitest';
import { RetryController } from '../../src/events/controller.ts';
import type { RetryEvent } from '../../src/events/events.ts';
import { type HeldWait, steeringOf } from '../../src/events/steering.ts';

const event: RetryEvent = {
  type: 'cancelled',
  callId: 'id',
  method: 'POST',
  url: 'https://api.example.com/',
  at: 1,
  attempts: 1,
  elapsedMs: 0,
  history: [],
};

const hold = (controller: RetryController, until: number, allowsRetryNow = true): HeldWait =>
  steeringOf(controller).hold(until, allowsRetryNow);

describe('a controller', () => {
  test.each([
    ['retryNow', 'retry-now'],
    ['giveUp', 'given-up'],
  ] as const)('%s ends every wait in progress and no later one', (method, how) => {
    const controller = new RetryController();
    const woken: number[] = [];
    const waits = [1, 2].map((until) => hold(controller, until));
    for (const [index, wait] of waits.entries()) wait.onEnd(() => void woken.push(index));
    controller[method]();
    const later = hold(controller, 3);
    later.onEnd(() => void woken.push(3));
    expect(waits.map(({ ended }) => ended)).toEqual([how, how]);
    expect(later.ended).toBeUndefined();
    expect(woken).toEqual([0, 1]);
    expect(controller.nextAttemptAt).toBe(3);
  });

  test('does not end a wait before which nothing may be sent by `retryNow`', () => {
    const controller = new RetryController();
    const wait = hold(controller, 1, false);
    controller.retryNow();
    expect(wait.ended).toBeUndefined();
    controller.giveUp();
    expect(wait.ended).toBe('given-up');
  });

  test('does not end a wait that was withdrawn', () => {
    const controller = new RetryController();
    const wait = hold(controller, 1);
    wait.withdraw();
    controller.retryNow();
    expect(wait.ended).toBeUndefined();
    expect(controller.nextAttemptAt).toBeNull();
  });

  test.each(['retryNow', 'giveUp'] as const)('%s does not end a wait that begins because another ended', (method) => {
    const controller = new RetryController();
    const begun: HeldWait[] = [];
    hold(controller, 1).onEnd(() => void begun.push(hold(controller, 2)));
    controller[method]();
    expect(begun.map(({ ended }) => ended)).toEqual([undefined]);
  });
});

describe('subscribers', () => {
  test('get every event until they unsubscribe', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(listener);
    steeringOf(controller).publish(event);
    leave();
    leave();
    steeringOf(controller).publish(event);
    expect(listener.mock.calls).toEqual([[event]]);
  });

  test('are functions', () => {
    const subscribe = (): unknown => new RetryController().subscribe(5 as never);
    expect(subscribe).toThrow(new TypeError('Expected `listener` to be a function, got 5.'));
  });

  test('may subscribe twice and unsubscribe once', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(listener);
    controller.subscribe(listener);
    leave();
    steeringOf(controller).publish(event);
    expect(listener).toHaveBeenCalledOnce();
  });

  test('that throw do not affect other subscribers', () => {
    const controller = new RetryController();
    const listener = vi.fn<(heard: RetryEvent) => void>();
    controller.subscribe(() => {
      throw new Error('listener');
    });
    controller.subscribe(listener);
    expect(() => steeringOf(controller).publish(event)).not.toThrow();
    expect(listener).toHaveBeenCalledOnce();
  });

  test('that subscribe during an event get only later events', () => {
    const controller = new RetryController();
    const late = vi.fn<(heard: RetryEvent) => void>();
    const leave = controller.subscribe(() => {
      leave();
      controller.subscribe(late);
    });
    steeringOf(controller).publish(event);
    expect(late).not.toHaveBeenCalled();
    steeringOf(controller).publish(event);
    expect(late).toHaveBeenCalledOnce();
  });

  test('may unsubscribe during an event', () => {
    const controller = new RetryController();
    const heard: string[] = [];
    const leave = controller.subscribe(() => {
      heard.push('first');
      leave();
    });
    controller.subscribe(() => void heard.push('second'));
    steeringOf(controller).publish(event);
    steeringOf(controller).publish(event);
    expect(heard).toEqual(['first', 'second', 'second']);
  });
});
