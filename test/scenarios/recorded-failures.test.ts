import { describe, expect, test } from 'vitest';
import { completions, recording, type RecordingName, recordings, replay } from '../../mocks/index.ts';
import { createRetryFetch, DEFAULT_RETRY_CONFIG } from '../../src/index.ts';
import { useNetwork } from '../network.ts';
import { fakeRuntime, observed } from '../script.ts';

const network = useNetwork();
const names = Object.keys(recordings).filter((name): name is RecordingName => name in recordings);
const answered = names.filter((name) => recording(name).expected.phase === 'response');

const ceilingMs = DEFAULT_RETRY_CONFIG.maxDelayMs;
const isWaitedFor = (name: RecordingName): boolean => {
  const { retryable, retryAfterMs } = recording(name).expected;
  return retryable && (retryAfterMs ?? 0) <= ceilingMs;
};

/** One call that meets a recorded failure first and a good answer next. */
async function meet(name: RecordingName) {
  const { request } = recording(name);
  const url = request?.url ?? 'https://api.example.com/v1/messages';
  const handler = network.use(replay(url, name, completions.anthropic('Hello.')));
  const runtime = fakeRuntime();
  const { events, ...config } = observed({ runtime });
  const response = await createRetryFetch({ fetch, ...config })(url, { method: 'POST', body: '{}' });
  return { response, runtime, events, requests: handler.requests };
}

describe('a recorded failure that a retry can help', () => {
  test.each(answered.filter(isWaitedFor))('is retried, and never before its time: %s', async (name) => {
    const { expected } = recording(name);
    const { response, runtime, events, requests } = await meet(name);
    expect([response.status, requests.length]).toEqual([200, 2]);
    expect(requests[1]?.body).toBe('{}');
    expect(runtime.slept[0]).toBeGreaterThanOrEqual(expected.retryAfterMs ?? 0);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'recovered']);
    await expect(response.json()).resolves.toMatchObject({ content: [{ text: 'Hello.' }] });
  });
});

describe('a recorded failure that a retry cannot help, or not within a minute', () => {
  test.each(answered.filter((name) => !isWaitedFor(name)))(
    'costs one request and comes back as it was sent: %s',
    async (name) => {
      const { expected, response: sent } = recording(name);
      const { response, runtime, events, requests } = await meet(name);
      expect([response.status, requests.length, runtime.slept]).toEqual([sent.status, 1, []]);
      expect(await response.text()).toBe(sent.body);
      const because = expected.retryable ? 'retry-after-too-long' : 'not-retryable';
      expect(events).toMatchObject([{ type: 'failed', because }]);
      // No user should wait for a failure that only a payment can fix.
      expect('possibleAt' in (events[0] ?? {})).toBe(expected.retryAfterMs !== null);
    },
  );
});

test('there are recordings of both kinds', () => {
  expect(answered.filter(isWaitedFor).length).toBeGreaterThan(20);
  expect(answered.filter((name) => !isWaitedFor(name)).length).toBeGreaterThan(20);
});
