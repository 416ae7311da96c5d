/** A slot and the body that holds it; `ends-of-answers` has all ways in which an answer may end. */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGate, createRetryFetch } from '../../src/index.ts';
import { ConcurrencySlot } from '../../src/gate/concurrency-slot.ts';
import type { GateOutcome } from '../../src/gate/gate.ts';
import { unavailable } from './failures.ts';

afterEach(() => void vi.useRealTimers());

const CHUNKS = ['one ', 'two ', 'three'];

/** A response with three chunks, how many of them were pulled, and why it was cancelled. */
function chunked(type?: 'bytes') {
  const seen: { pulled: number; cancelled?: unknown } = { pulled: 0 };
  const source = {
    pull(controller: ReadableStreamDefaultController | ReadableByteStreamController): void {
      const chunk = CHUNKS[seen.pulled];
      seen.pulled += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
    cancel: (reason: unknown) => void (seen.cancelled = reason),
  };
  const stream =
    type === 'bytes' ? new ReadableStream({ ...source, type }) : new ReadableStream(source, { highWaterMark: 0 });
  return { seen, response: new Response(stream) };
}

/** A slot, the releases that were told, and its clock. */
function slotOf(outcome?: GateOutcome) {
  const clock = { nowMs: 0 };
  const released: ConcurrencySlot[] = [];
  const slot = new ConcurrencySlot(
    'https://x.example',
    undefined,
    () => clock.nowMs,
    (freed) => void released.push(freed),
  );
  if (outcome !== undefined) slot.end(outcome);
  return { slot, clock, released, isHeld: () => released.length === 0 };
}

const held = (response: unknown) => slotOf({ type: 'success', response });

test.each<[string, GateOutcome]>([
  ['failed', { type: 'failure', failure: unavailable }],
  ['was aborted', { type: 'cancelled' }],
  ['got a response without a body', { type: 'success', response: new Response(null) }],
  ['got what is no response', { type: 'success', response: { value: 1 } }],
])('an attempt that %s frees its slot at once, and once', (_, outcome) => {
  const { slot, released } = slotOf();
  expect([released, slot.state]).toEqual([[], 'sending']);
  slot.end(outcome);
  slot.end(outcome);
  expect(released).toEqual([slot]);
});

describe('a slot is held until the body has ended', () => {
  test('when it is read whole, also if it is not what it claims to be', async () => {
    const { response } = chunked();
    const { slot, isHeld } = held(response);
    const reading = response.json().catch(String);
    expect([isHeld(), slot.state]).toEqual([true, 'reading']);
    expect(await reading).toMatch(/SyntaxError/);
    expect([isHeld(), response.bodyUsed]).toEqual([false, true]);
  });

  test.each([undefined, 'bytes'] as const)('when it is read as a stream (%s), chunk by chunk', async (type) => {
    const { seen, response } = chunked(type);
    const { isHeld } = held(response);
    const { body } = response;
    expect([response.body === body, seen.pulled]).toEqual([true, 0]);
    const reader = body?.getReader();
    for (const [index, text] of CHUNKS.entries()) {
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(text);
      expect([isHeld(), seen.pulled]).toEqual([true, index + 1]);
    }
    expect([(await reader?.read())?.done, isHeld()]).toEqual([true, false]);
  });

  test('when it breaks', async () => {
    const pull = (controller: ReadableStreamDefaultController): void => controller.error(new TypeError('terminated'));
    const response = new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    const { isHeld } = held(response);
    await expect(response.body?.getReader().read()).rejects.toThrow('terminated');
    expect(isHeld()).toBe(false);
  });

  test('when it is cancelled, which the server is told', async () => {
    const { seen, response } = chunked();
    const { isHeld } = held(response);
    await response.body?.cancel('enough');
    expect([isHeld(), seen.cancelled]).toEqual([false, 'enough']);
  });

  test('although its response was collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const { isHeld, body } = (() => {
      const { response } = chunked();
      return { ...held(response), body: response.body };
    })();
    // Another that is not kept: once it is released, this one has been looked at too.
    const other = held(chunked().response);
    for (let round = 0; round < 50 && other.isHeld(); round += 1) {
      collect();
      await setImmediate();
    }
    expect([other.isHeld(), isHeld()]).toEqual([false, true]);
    await body?.cancel();
    expect(isHeld()).toBe(false);
  });

  test('unless nothing is read from it for a minute, and the caller does not wait for its next chunk', async () => {
    const response = new Response(new ReadableStream());
    const { slot, clock, isHeld } = held(response);
    slot.releaseIfOver(59_999);
    expect(isHeld()).toBe(true);
    void response.body?.getReader().read();
    await Promise.resolve();
    clock.nowMs = 120_000;
    slot.releaseIfOver(120_000);
    expect([slot.state, isHeld()]).toEqual(['reading', true]);
    const unread = held(new Response(new ReadableStream()));
    unread.slot.releaseIfOver(60_000);
    expect(unread.isHeld()).toBe(false);
  });

  test('of a response that cannot be changed, however long it is read', async () => {
    const response = Object.freeze(chunked().response);
    const { slot, isHeld } = held(response);
    const reader = response.body?.getReader();
    expect(slot.state).toBe('reading');
    slot.releaseIfOver(120_000);
    expect(isHeld()).toBe(true);
    await reader?.cancel();
    slot.releaseIfOver(120_000);
    expect(isHeld()).toBe(false);
  });
});

describe('the response itself', () => {
  test('has the members of another, and refuses a second reader in the words of the runtime', async () => {
    const [ours, plain] = [chunked().response, chunked().response];
    held(ours);
    expect(Object.keys(ours)).toEqual(Object.keys(plain));
    for (const { body } of [ours, plain]) body?.getReader();
    expect(await ours.text().catch(String)).toBe(await plain.text().catch(String));
  });

  test('that was read has a body that is used up, as in the runtime', async () => {
    const [ours, plain] = [chunked().response, chunked().response];
    held(ours);
    for (const response of [ours, plain]) await response.text();
    expect([ours.bodyUsed, ours.body?.locked]).toEqual([plain.bodyUsed, plain.body?.locked]);
  });

  test('whose body was replaced before is read through that body', async () => {
    const response = new Response('of the server');
    const replaced = new Response('replaced').body;
    Object.defineProperty(response, 'body', { get: () => replaced, configurable: true });
    held(response);
    expect(await new Response(response.body).text()).toBe('replaced');
  });
});

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

test('a slot leaves no listener on the signal of its call when the body has ended', async () => {
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

test('a response that throws when it is looked at is handed over, and the next call is sent when it has been read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const get = (target: Response, name: string | symbol): unknown => {
    if (name === 'clone') throw new TypeError('not here');
    return Reflect.get(target, name, target);
  };
  const { sent, fetch } = oneAtATime(() => new Proxy(new Response('answer'), { get }));
  const first = await fetch('https://x.example');
  const next = fetch('https://x.example');
  await first.body?.pipeTo(new WritableStream());
  await vi.advanceTimersByTimeAsync(60);
  await next;
  expect(sent).toHaveLength(2);
});

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
