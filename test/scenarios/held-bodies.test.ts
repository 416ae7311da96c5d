import { describe, expect, test } from 'vitest';
import { createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, type Step, URL_OF_TEST } from '../script.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ANSWER = '{"choices":[{"message":{"content":"hello"}}]}';

/** A body that gives a beginning and then breaks. */
function breaking(text: string): Response {
  const parts = [new TextEncoder().encode(text)];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = parts.shift();
      if (part === undefined)
        controller.error(Object.assign(new TypeError('terminated'), { cause: { code: 'UND_ERR_SOCKET' } }));
      else controller.enqueue(part);
    },
  });
  return respond(200, JSON_TYPE, body);
}

/** What comes of a call, and after how many requests. */
async function post(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Promise<readonly [string, number]> {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const fetch = createRetryFetch({ fetch: inner, runtime, ...config });
  const response = await fetch(URL_OF_TEST, { method: 'POST', body: '{}' });
  return [await response.text().catch(() => 'broken'), inner.calls.length];
}

describe('with holdJson, a JSON body', () => {
  test.each<[string, () => Response]>([
    ['breaks in the middle', () => breaking(ANSWER.slice(0, 20))],
    ['breaks at its very beginning', () => breaking('')],
    ['ends in the middle without an error', () => respond(200, JSON_TYPE, ANSWER.slice(0, 20))],
    ['ends right after an inner bracket', () => respond(200, JSON_TYPE, ANSWER.slice(0, -2))],
    ['ends within a word that has brackets', () => respond(200, JSON_TYPE, '{"content":"if (a) { b[0] }')],
  ])('that %s is retried, and the next one arrives completely', async (_how, broken) => {
    const { events, ...config } = observed({ answers: { holdJson: true } });
    const steps: [Step, Step] = [broken, respond(200, JSON_TYPE, ANSWER)];
    expect(await post(config, ...steps)).toEqual([ANSWER, 2]);
    expect(events[0]).toMatchObject({ type: 'retry', failure: { type: 'stream_interrupted', status: 200 } });
  });

  test('that is complete is returned as the same object, at any length', async () => {
    const runtime = fakeRuntime();
    for (const length of [10, 200_000, 2_000_000]) {
      const text = JSON.stringify({ content: 'x'.repeat(length) });
      const response = respond(200, JSON_TYPE, text);
      const fetch = createRetryFetch({ fetch: async () => response, runtime, answers: { holdJson: true } });
      const received = await fetch(URL_OF_TEST, { method: 'POST' });
      expect(received).toBe(response);
      expect(await received.text()).toBe(text);
    }
  });

  test('with balanced brackets is not broken, even if it is not JSON', async () => {
    const text = '{it: works}';
    expect(await post({ answers: { holdJson: true } }, () => respond(200, JSON_TYPE, text))).toEqual([text, 1]);
  });
});

test.each([
  [true, 2],
  [false, 1],
])(
  'with `holdJson: %j` a JSON body that breaks each time costs %i requests, and is returned',
  async (holdJson, requests) => {
    const config = { maxRetries: 1, answers: { holdJson } };
    expect(await post(config, () => breaking('{"a":'))).toEqual(['broken', requests]);
  },
);
