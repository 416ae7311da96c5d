import { describe, expect, test } from 'vitest';
import { completions, recording, type RecordingName, recordings, replay, responseOf } from '../../mocks/index.ts';
import { createRetryFetch, FetchTransport, RetryTransport, type Runtime } from '../../src/index.ts';
import { useNetwork } from '../network.ts';
import { fakeRuntime, observed, respond, script } from '../script.ts';
import { oneIn } from '../thorough.ts';

const names = Object.keys(recordings).filter((name): name is RecordingName => name in recordings);
const failed = names.filter((name) => recording(name).response.status >= 400);

/** What every recording costs: a second request where it is transient and nothing has been said yet. */
const costOf = (name: RecordingName): 1 | 2 => (recording(name).expected.retryable ? 2 : 1);

/** Hints of any length are waited for, on a virtual clock. */
const settings = (runtime: Runtime = fakeRuntime()): ReturnType<typeof observed> =>
  observed({ runtime, maxRetryAfterMs: Infinity, answers: { holdJson: true } });

const inPieces = (name: RecordingName): Response => {
  const whole = responseOf(recording(name));
  const { body } = whole;
  if (body === null) return whole;
  const singleBytes = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => part.forEach((_byte, at) => controller.enqueue(part.slice(at, at + 1))),
  });
  return new Response(body.pipeThrough(singleBytes), whole);
};

describe.each([
  ['whole', names, (name: RecordingName): Response => responseOf(recording(name))],
  ['byte by byte', oneIn(4, names), inPieces],
] as const)('a recording that arrives %s', (_how, arriving, answer) => {
  test.each(arriving.map((name): [RecordingName, 1 | 2] => [name, costOf(name)]))(
    '%s costs %i',
    async (name, requests) => {
      const { expected, request, response: sent } = recording(name);
      const clock = fakeRuntime();
      const { events, ...config } = settings(clock);
      const first = answer(name);
      const inner = script(clock, () => first, responseOf(completions.anthropicStream('Hello')));
      const response = await createRetryFetch({ fetch: inner, ...config })(request.url, { method: 'POST', body: '{}' });
      expect(inner.calls).toHaveLength(requests);
      expect(events.map(({ type }) => type)).toEqual(
        requests === 2 ? ['retry', 'recovered'] : expected.phase === 'after-content' ? [] : ['failed'],
      );
      expect(clock.slept[0] ?? 0).toBeGreaterThanOrEqual(requests === 2 ? (expected.retryAfterMs ?? 0) : 0);
      const [event] = events;
      if (event !== undefined && 'failure' in event) {
        expect([expected.type, ...(expected.alsoAcceptable ?? [])]).toContain(event.failure.type);
      }
      if (requests === 1) expect(response).toBe(first);
      const text = await response.text();
      if (requests === 2) expect(text).toContain('Hello');
      else if (sent.encoding === undefined) expect(text).toBe(sent.body);
    },
  );
});

describe('a failure in the JSON of a 200', () => {
  const rows: [string, unknown, 1 | 2][] = [
    ['OpenRouter, transient', { error: { code: 502, message: 'Provider returned error' } }, 2],
    ['OpenRouter, in a choice', { choices: [{ finish_reason: 'error', error: { code: 429, message: 'Slow' } }] }, 2],
    ['OpenRouter, out of credits', { error: { code: 402, message: 'Insufficient credits' } }, 1],
    ['Responses, failed', { object: 'response', status: 'failed', error: { code: 'server_error', message: 'x' } }, 2],
    ['Responses, quota', { object: 'response', status: 'failed', error: { code: 'insufficient_quota' } }, 1],
    ['Ollama', { error: 'model runner has unexpectedly stopped' }, 2],
    ['none', { object: 'response', status: 'completed', error: null }, 1],
  ];
  test.each(rows)('is retried only with holdJson: %s', async (_what, value, requests) => {
    for (const holdJson of [true, false]) {
      const clock = fakeRuntime();
      const first = respond(200, { 'content-type': 'application/json' }, JSON.stringify(value));
      const inner = script(clock, () => first, responseOf(completions.openai('Hello')));
      const call = createRetryFetch({ fetch: inner, runtime: clock, answers: { holdJson: holdJson } });
      const response = await call('https://openrouter.ai/api/v1/chat/completions', { method: 'POST', body: '{}' });
      expect(inner.calls).toHaveLength(holdJson ? requests : 1);
      if (inner.calls.length === 1) expect(response).toBe(first);
      await expect(response.json()).resolves.toMatchObject(
        inner.calls.length === 1 ? Object(value) : { choices: [{}] },
      );
    }
  });
});

describe('over the network and through the transports', () => {
  const network = useNetwork();

  test.each(oneIn(4, failed).map((name): [RecordingName, 1 | 2] => [name, costOf(name)]))(
    '%s costs %i',
    async (name, requests) => {
      const { request, response: sent } = recording(name);
      const handler = network.use(replay(request.url, name, completions.openai('Hello')));
      const response = await new RetryTransport(new FetchTransport(), settings()).post(request.url, { model: 'm' });
      expect(handler.requests).toHaveLength(requests);
      expect(handler.requests.map(({ body }) => body)).toEqual(handler.requests.map(() => '{"model":"m"}'));
      expect(response.status).toBe(requests === 2 ? 200 : sent.status);
      if (requests === 1) expect(await response.text()).toBe(sent.body);
    },
  );
});

test('there are recordings of each kind', () => {
  const kinds = names.map((name) => `${recording(name).expected.phase} ${costOf(name)}`);
  expect(new Set(kinds)).toEqual(
    new Set(['response 1', 'response 2', 'before-content 1', 'before-content 2', 'after-content 1']),
  );
  expect(names.length).toBeGreaterThanOrEqual(77);
});
