import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGate, createRetryFetch } from '../../src/index.ts';
import { ConcurrencySlot } from '../../src/gate/concurrency-slot.ts';
import type { GateOutcome } from '../../src/gate/gate.ts';
import { unavailable } from './failures.ts';

test.each<[string, GateOutcome]>([
  ['failed', { type: 'failure', failure: unavailable }],
  ['was aborted', { type: 'cancelled' }],
])('an attempt that %s frees its slot at once, and once', (_, outcome) => {
  const released: ConcurrencySlot[] = [];
  const slot = new ConcurrencySlot(
    {},
    'https://x.example',
    undefined,
    () => 0,
    (freed) => void released.push(freed),
  );
  expect(released).toEqual([]);
  slot.end(outcome);
  slot.end(outcome);
  expect(released).toEqual([slot]);
});

afterEach(() => void vi.useRealTimers());

const stream = (): ReadableStream =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1)) });

/** A fetch that sends one request at a time, and how many it has sent. */
function oneAtATime(answer: () => Response) {
  const sent: number[] = [];
  const inner = async (): Promise<Response> => {
    sent.push(sent.length);
    return answer();
  };
  const fetch = createRetryFetch({ fetch: inner, gate: createGate({ limits: { concurrent: 1 } }), maxRetries: 0 });
  return { sent, fetch };
}

describe('the abort of a call frees its slot', () => {
  test.each<[string, (response: Response) => Promise<unknown> | void]>([
    ['before the body is read', () => {}],
    ['between two reads of the body', (response) => response.body?.getReader().read()],
  ])('%s, at once', async (_when, read) => {
    const { sent, fetch } = oneAtATime(() => new Response(stream()));
    const leaving = new AbortController();
    await read(await fetch('https://x.example', { signal: leaving.signal }));
    const next = fetch('https://x.example');
    await setImmediate();
    expect(sent).toHaveLength(1);
    leaving.abort();
    await next;
    expect(sent).toHaveLength(2);
  });

  test('and leaves no listener, whether it aborts or its body ends', async () => {
    const { fetch } = oneAtATime(() => new Response('answer'));
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    vi.spyOn(signal, 'addEventListener').mockImplementation((_type, listener) => void listeners.add(listener));
    vi.spyOn(signal, 'removeEventListener').mockImplementation((_type, listener) => void listeners.delete(listener));
    const response = await fetch('https://x.example', { signal });
    expect(listeners.size).toBe(1);
    await response.text();
    expect(listeners.size).toBe(0);
  });
});

describe('a response that cannot be changed', () => {
  const bound = (response: Response): Response =>
    new Proxy(response, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

  test.each<[string, (response: Response) => Response]>([
    ['is frozen', (response) => Object.freeze(response)],
    ['is a Proxy', bound],
    [
      'throws when it is looked at',
      (response) =>
        new Proxy(response, { get: (target, name) => (name === 'clone' ? fail() : Reflect.get(target, name, target)) }),
    ],
  ])('because it %s is handed over, and the next call is sent when it has been read', async (_why, wrap) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { sent, fetch } = oneAtATime(() => wrap(new Response('answer')));
    const first = await fetch('https://x.example');
    const next = fetch('https://x.example');
    await first.body?.pipeTo(new WritableStream());
    await vi.advanceTimersByTimeAsync(60);
    await next;
    expect(sent).toHaveLength(2);
  });

  test('keeps its slot while it is read, however long that takes', async () => {
    const released: ConcurrencySlot[] = [];
    const clock = { nowMs: 0 };
    const slot = new ConcurrencySlot(
      {},
      'https://x.example',
      undefined,
      () => clock.nowMs,
      (freed) => void released.push(freed),
    );
    const response = Object.freeze(new Response(stream()));
    slot.end({ type: 'success', response });
    const reader = response.body?.getReader();
    expect(slot.state).toBe('reading');
    slot.releaseIfOver(120_000);
    expect(released).toEqual([]);
    await reader?.cancel();
    slot.releaseIfOver(120_000);
    expect(released).toEqual([slot]);
  });
});

function fail(): never {
  throw new TypeError('not here');
}

test('no timer is left when no call waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { fetch } = oneAtATime(() => new Response('answer'));
  const first = await fetch('https://x.example');
  const next = fetch('https://x.example');
  await first.text();
  await vi.advanceTimersByTimeAsync(2_000);
  await next;
  await vi.advanceTimersByTimeAsync(60);
  expect(vi.getTimerCount()).toBe(0);
});
