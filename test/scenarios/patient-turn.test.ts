/**
 * A turn of an agent under the patient policy, from the request to its end: the stepped eight-hour schedule, a notice
 * before each wait, one error at the very end, and no retry once the model has produced any output.
 */

import { describe, expect, test } from 'vitest';
import { type ProviderRetryEvent, providerRetryEvents } from '../../src/event-adapters.ts';
import { presets, type RetryConfig } from '../../src/index.ts';
import { AnthropicLLM, type CompletionEvent, LLMError } from '../../src/llm/index.ts';
import {
  anthropicHello,
  anthropicHelloParts,
  anthropicOverloaded,
  anthropicText,
  ask,
  piecewise,
  sse,
  streamed,
} from '../llm/answers.ts';
import { fakeRuntime, type FakeRuntime, heldRuntime, respond, script, type Step } from '../script.ts';

const MINUTE_MS = 60_000;
const BODY = '{"error":{"type":"overloaded_error","message":"The service is temporarily overloaded. Please retry."}}';
const overloaded = respond(429, { 'content-type': 'application/json' }, BODY);
const badGateway = respond(502, { 'content-type': 'application/json' }, BODY);
const hello = streamed(...anthropicHello);

type TurnEvent =
  | ProviderRetryEvent
  | CompletionEvent
  | { readonly type: 'turn-end'; readonly how: 'complete' | 'error' | 'aborted' };

/**
 * What an agent does with one step: everything that happens becomes an event, an abort seals the turn without an error.
 */
async function runTurn(
  retry: RetryConfig | undefined,
  steps: readonly [Step, ...Step[]],
  { runtime = fakeRuntime(), signal }: { readonly runtime?: FakeRuntime; readonly signal?: AbortSignal } = {},
) {
  const events: TurnEvent[] = [];
  const fetch = script(runtime, ...steps);
  const onEvent = providerRetryEvents({ conversationId: 'c1', turnId: 't1' }, (event) => void events.push(event));
  const llm = new AnthropicLLM({ apiKey: 'my-key', fetch, retry: retry && { ...retry, runtime, onEvent } });
  const seal = (how: 'complete' | 'error' | 'aborted'): void => void events.push({ type: 'turn-end', how });
  try {
    for await (const event of llm.streamCompletion({ ...ask, signal })) events.push(event);
    seal(events.at(-1)?.type === 'error' ? 'error' : 'complete');
  } catch (error) {
    if (error instanceof LLMError) events.push({ type: 'error', error });
    seal(error instanceof LLMError ? 'error' : 'aborted');
  }
  const retries = events.filter((event) => event.type === 'provider-retry');
  const errors = events.filter((event) => event.type === 'error').map(({ error }) => error);
  return { events, retries, errors, requests: fetch.calls.length, slept: runtime.slept };
}

const notice = (attempt: number, delayMs: number, code = '429') => ({
  type: 'provider-retry',
  conversationId: 'c1',
  turnId: 't1',
  attempt,
  delayMs,
  message: `HTTP ${code}: ${BODY}`,
  code,
});

/** A clock that does something right before each wait. */
function interrupted(before: (runtime: FakeRuntime) => void): FakeRuntime {
  const runtime = fakeRuntime();
  const sleep = runtime.sleep.bind(runtime);
  runtime.sleep = (ms, signal) => {
    before(runtime);
    return sleep(ms, signal);
  };
  return runtime;
}

test('a temporary overload is shown three times and then removed', async () => {
  const { events, errors } = await runTurn(presets.patient, [overloaded, badGateway, overloaded, hello]);
  expect(events).toEqual([
    notice(0, 5_000),
    notice(1, 10_000, '502'),
    notice(2, 30_000),
    ...anthropicHelloParts,
    { type: 'turn-end', how: 'complete' },
  ]);
  expect(errors).toEqual([]);
});

test('a permanent overload is retried for 7 h 31 m 45 s, 21 times, and ends in one error', async () => {
  const { events, retries, errors, requests, slept } = await runTurn(presets.patient, [overloaded]);
  const head = [5_000, 10_000, 30_000, 60_000, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS];
  const delays = [...head, ...Array<number>(13).fill(30 * MINUTE_MS)];
  expect(retries).toEqual(delays.map((delayMs, attempt) => notice(attempt, delayMs)));
  expect(slept).toEqual(delays);
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(27_105_000);
  expect(requests).toBe(22);
  expect(errors).toMatchObject([
    { isPartial: false, failure: { type: 'overloaded', status: 429, retryable: true }, history: { length: 22 } },
  ]);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'turn-end']);
});

test('a notice comes before its wait, and the wait before the answer', async () => {
  const order: string[] = [];
  const runtime = interrupted(({ slept }) => void order.push(`sleep ${slept.length}`));
  const onEvent = providerRetryEvents({ conversationId: 'c1', turnId: 't1' }, ({ type }) => void order.push(type));
  const llm = new AnthropicLLM({
    fetch: script(runtime, overloaded, hello),
    retry: { ...presets.patient, runtime, onEvent },
  });
  for await (const { type } of llm.streamCompletion(ask)) order.push(type);
  expect(order).toEqual(['provider-retry', 'sleep 0', 'text', 'text', 'usage', 'end']);
});

describe('nothing is retried after content', () => {
  const begun = [...anthropicHello.slice(0, 2), anthropicText('Hel')];
  const toolUse = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'a', name: 'look', input: {} },
  };
  const thought = { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } };

  test.each<[string, Step]>([
    ['an error after text', streamed(...begun, anthropicOverloaded)],
    ['an error after a thought', streamed(thought, anthropicOverloaded)],
    ['an error after a tool call began', streamed(toolUse, anthropicOverloaded)],
    ['a stream that ends too early', streamed(...begun)],
    ['a stream that breaks', () => piecewise([sse(...begun)], new Error('reset')).response()],
  ])('has been shown, as in %s', async (_, step) => {
    const { retries, errors, requests } = await runTurn(presets.patient, [step, hello]);
    expect([retries.length, requests]).toEqual([0, 1]);
    expect(errors).toMatchObject([{ isPartial: true, failure: { retryable: false } }]);
  });

  test('not even if the attempt that began the content was a retry', async () => {
    const { retries, errors, requests } = await runTurn(presets.patient, [
      overloaded,
      streamed(...begun, anthropicOverloaded),
      hello,
    ]);
    expect([retries.length, errors.length, requests]).toEqual([1, 1, 2]);
  });
});

describe('a stream without content is retried', () => {
  test.each<[string, Step]>([
    ['an error as the first event', streamed(anthropicOverloaded)],
    ['an error after usage and an empty block', streamed(...anthropicHello.slice(0, 3), anthropicOverloaded)],
    ['a stream that ends before its first content', streamed(...anthropicHello.slice(0, 3))],
    [
      'a stream that breaks before its first content',
      () => piecewise([sse(anthropicHello[0])], new Error('reset')).response(),
    ],
  ])('after five seconds, as %s', async (_, step) => {
    const { events, retries } = await runTurn(presets.patient, [step, hello]);
    expect(retries).toMatchObject([{ attempt: 0, delayMs: 5_000 }]);
    expect(events.slice(1, -1)).toEqual(anthropicHelloParts);
  });
});

describe('an error that is thrown before content', () => {
  test('is retried even if it is unknown and has no code', async () => {
    const { retries, errors } = await runTurn(presets.patient, [
      new Error('The stream broke in an unknown way.'),
      hello,
    ]);
    expect(retries).toEqual([
      {
        type: 'provider-retry',
        conversationId: 'c1',
        turnId: 't1',
        attempt: 0,
        delayMs: 5_000,
        message: 'The stream broke in an unknown way.',
      },
    ]);
    expect(errors).toEqual([]);
  });

  test('is the one error at the end, after all retries', async () => {
    const cause = new Error('The stream broke in an unknown way.');
    const { retries, errors } = await runTurn(presets.patient, [cause]);
    expect(retries).toHaveLength(21);
    expect(errors).toMatchObject([{ cause, failure: { message: 'The stream broke in an unknown way.' } }]);
  });

  test('is not retried for 7 hours if it is a bug', async () => {
    const { retries, errors } = await runTurn(presets.patient, [new TypeError('x is not a function')]);
    expect(retries).toEqual([]);
    expect(errors).toMatchObject([{ failure: { type: 'unknown', retryable: false } }]);
  });
});

test.each<[string, Step]>([
  ['a request that is wrong', respond(400, {}, '{"error":{"type":"invalid_request_error","message":"No."}}')],
  ['a key that is wrong', respond(401, {}, '{"error":{"type":"authentication_error","message":"No."}}')],
  [
    'a quota that is used up',
    respond(429, {}, '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}'),
  ],
])('%s ends the turn at once', async (_, step) => {
  const { retries, errors } = await runTurn(presets.patient, [step, hello]);
  expect([retries.length, errors.length]).toEqual([0, 1]);
});

test('an abort in the second wait ends the turn after two notices, without an error', async () => {
  const abort = new AbortController();
  const runtime = heldRuntime();
  const events: string[] = [];
  const onEvent = providerRetryEvents({ conversationId: 'c1', turnId: 't1' }, ({ type }) => void events.push(type));
  const llm = new AnthropicLLM({ fetch: script(runtime, overloaded), retry: { ...presets.patient, runtime, onEvent } });
  const waiting = runtime.untilWaiting();
  const turn = (async () => {
    for await (const { type } of llm.streamCompletion({ ...ask, signal: abort.signal })) events.push(type);
  })().catch((error: unknown) => error);
  await waiting;
  const waitingAgain = runtime.untilWaiting();
  runtime.waits[0]?.end();
  await waitingAgain;
  abort.abort('the user left');
  expect(await turn).toBe('the user left');
  expect(events).toEqual(['provider-retry', 'provider-retry']);
});

test('an abort that only the wait sees ends the turn as aborted', async () => {
  const abort = new AbortController();
  const runtime = interrupted(({ slept }) => {
    if (slept.length === 1) abort.abort();
  });
  const { events } = await runTurn(presets.patient, [overloaded], { runtime, signal: abort.signal });
  expect(events).toEqual([notice(0, 5_000), notice(1, 10_000), { type: 'turn-end', how: 'aborted' }]);
});

test('a wait that fails for another reason ends the turn instead of retrying at once again and again', async () => {
  const runtime = fakeRuntime();
  runtime.sleep = () => Promise.reject(new Error('The timer broke.'));
  const { retries, errors, requests } = await runTurn(presets.patient, [overloaded], { runtime });
  expect([retries.length, requests]).toEqual([1, 1]);
  expect(errors).toMatchObject([{ cause: { message: 'The timer broke.' } }]);
});

test('another schedule with one retry shows one notice and then the error', async () => {
  const backoff = (retry: number): number | undefined => (retry === 0 ? 1_000 : undefined);
  const { retries, errors } = await runTurn({ backoff, maxRetries: Infinity }, [overloaded]);
  expect(retries).toEqual([notice(0, 1_000)]);
  expect(errors).toHaveLength(1);
});

test('without a policy nothing is retried', async () => {
  const { retries, errors, requests } = await runTurn(undefined, [overloaded, hello]);
  expect([retries.length, errors.length, requests]).toEqual([0, 1, 1]);
});
