import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, test } from 'vitest';
import { GATE_CHANNEL, publishGateEvents, publishRetryEvents, RETRY_CHANNEL } from '../src/diagnostics.ts';
import { createGate, createRetryFetch, type RetryEvent } from '../src/index.ts';
import { decisionsOf, fakeRuntime, script } from './script.ts';

describe('the diagnostics channels', () => {
  const heard: unknown[] = [];
  const listen = (message: unknown): void => void heard.push(message);
  afterEach(() => {
    unsubscribe(RETRY_CHANNEL, listen);
    unsubscribe(GATE_CHANNEL, listen);
    heard.length = 0;
  });

  test('get the same event objects as the listener of the call, after it', async () => {
    const runtime = fakeRuntime();
    const own: RetryEvent[] = [];
    const fetch = createRetryFetch({
      fetch: script(runtime, 503, 200),
      runtime,
      onEvent: publishRetryEvents((event) => {
        expect(heard).toHaveLength(own.length);
        own.push(event);
      }),
    });
    subscribe(RETRY_CHANNEL, listen);
    await fetch('https://api.example.com/');
    expect(decisionsOf(own).map(({ type }) => type)).toEqual(['retry', 'recovered']);
    expect(heard).toEqual(own);
  });

  test('get every event, even if the listener of the call throws', async () => {
    const runtime = fakeRuntime();
    const onEvent = publishRetryEvents(() => {
      throw new Error('from the listener');
    });
    subscribe(RETRY_CHANNEL, listen);
    await createRetryFetch({ fetch: script(runtime, 503, 200), runtime, onEvent })('https://api.example.com/');
    expect(heard).toContainEqual(expect.objectContaining({ type: 'recovered' }));
  });

  test('get the events of a gate', async () => {
    subscribe(GATE_CHANNEL, listen);
    const gate = createGate({ circuitBreaker: { opensAfter: { failures: 1 } }, onEvent: publishGateEvents() });
    await createRetryFetch({ fetch: script(fakeRuntime(), 503), gate, maxRetries: 0 })('https://api.example.com/');
    expect(heard).toContainEqual(expect.objectContaining({ type: 'circuit', phase: 'open' }));
  });

  test('get an event whose listener rejects, and the rejection is caught', () => {
    subscribe(RETRY_CHANNEL, listen);
    const event = { type: 'retry' } as RetryEvent;
    const rejecting = (): unknown => Promise.reject(new Error('rejected'));
    publishRetryEvents(rejecting)(event);
    expect(heard).toEqual([event]);
  });

  test('get nothing if no tool subscribes', () => {
    publishRetryEvents()({ type: 'retry' } as RetryEvent);
    expect(heard).toEqual([]);
  });
});
