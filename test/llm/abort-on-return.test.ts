import { describe, expect, test } from 'vitest';
import { abortOnReturn } from '../../src/llm/abort-on-return.ts';
import { AnthropicLLM } from '../../src/llm/index.ts';
import { heldRuntime, script, settle, thrownBy } from '../script.ts';
import { anthropicHello, anthropicText, ask, piecewise, sse } from './answers.ts';

const LEFT = { done: true, value: undefined };

/** Gives 1, then waits until its signal aborts. */
function waiting() {
  const seen: { signal?: AbortSignal; isClosed: boolean } = { isClosed: false };
  const iteration = abortOnReturn(undefined, async function* (inner) {
    seen.signal = inner;
    try {
      yield 1;
      await new Promise((_, reject) => inner.addEventListener('abort', () => reject(inner.reason)));
      yield 2;
    } finally {
      seen.isClosed = true;
    }
  });
  return { iteration, seen };
}

test('leaving by throw() during a pending next() aborts the work and ends both', async () => {
  const { iteration, seen } = waiting();
  await iteration.next();
  const pending = iteration.next();
  await settle();
  expect(await thrownBy(iteration.throw('enough'))).toBe('enough');
  expect([await pending, seen.signal?.aborted, seen.isClosed]).toEqual([LEFT, true, true]);
});

test('leaving between two items closes the work without an abort', async () => {
  const { iteration, seen } = waiting();
  await iteration.next();
  expect(await iteration.return()).toEqual(LEFT);
  expect([seen.signal?.aborted, seen.isClosed]).toEqual([false, true]);
});

describe('return() of a streamed completion during a pending next()', () => {
  test('cancels a body that hangs', async () => {
    const source = piecewise([sse(...anthropicHello.slice(0, 2), anthropicText('Hel'))], 'hang');
    const signals: (AbortSignal | null | undefined)[] = [];
    const llm = new AnthropicLLM({
      fetch: async (_, init) => {
        signals.push(init?.signal);
        return source.response();
      },
    });
    const parts = llm.streamCompletion(ask);
    expect(await parts.next()).toMatchObject({ value: { type: 'text', text: 'Hel' } });
    const pending = parts.next();
    await settle();
    expect(await parts.return()).toEqual(LEFT);
    expect(await pending).toEqual(LEFT);
    expect(source.isCancelled()).toBe(true);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('ends a request that was not answered yet', async () => {
    const parts = new AnthropicLLM({ fetch: () => new Promise(() => {}) }).streamCompletion(ask);
    const pending = parts.next();
    await settle();
    expect(await parts.return()).toEqual(LEFT);
    expect(await pending).toEqual(LEFT);
  });

  test('ends the wait for a retry', async () => {
    const runtime = heldRuntime();
    const fetch = script(runtime, 503);
    const parts = new AnthropicLLM({ fetch, retry: { runtime } }).streamCompletion(ask);
    const pending = parts.next();
    await runtime.untilWaiting();
    expect(await parts.return()).toEqual(LEFT);
    expect(await pending).toEqual(LEFT);
    expect(fetch.calls).toHaveLength(1);
  });
});
