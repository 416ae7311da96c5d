import { afterEach, describe, expect, test } from 'vitest';
import { completions, replayFetch, skipWaits } from '../../mocks/index.ts';
import { createGate, createRetryFetch, presets, type RetryEvent } from '../../src/index.ts';
import { URL_OF_TEST } from '../script.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const turnOn of undo.splice(0)) turnOn();
});

const failing = () => replayFetch('huggingface-503-loading', 'nginx-502-html', completions.openai('Hello'));

describe('with waits skipped', () => {
  test('a call of hours ends at once, with the same attempts and events', async () => {
    undo.push(skipWaits());
    const events: RetryEvent[] = [];
    const inner = failing();
    const retrying = createRetryFetch({ fetch: inner, ...presets.patient, onEvent: (event) => events.push(event) });
    const startedAt = performance.now();
    expect((await retrying(URL_OF_TEST, { method: 'POST', body: '{}' })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(inner.requests).toHaveLength(3);
    expect(events.flatMap((event) => (event.type === 'retry' ? [event.delayMs >= 5_000] : []))).toEqual([true, true]);
  });

  test('a gate lets its calls through too', async () => {
    undo.push(skipWaits());
    const retrying = createRetryFetch({ fetch: failing(), ...presets.patient, gate: createGate() });
    expect((await retrying(URL_OF_TEST, { method: 'POST', body: '{}' })).status).toBe(200);
  });

  test('an abort is still an abort', async () => {
    undo.push(skipWaits());
    const reason = new Error('left the page');
    await expect(
      createRetryFetch({ fetch: failing() })(URL_OF_TEST, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

test('waits take their time again after the returned function was called', async () => {
  skipWaits()();
  const retrying = createRetryFetch({
    fetch: replayFetch('nginx-502-html', completions.openai('Hello')),
    backoff: () => 30,
    maxRetries: 1,
  });
  const startedAt = performance.now();
  await retrying(URL_OF_TEST, { method: 'POST', body: '{}' });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
});
