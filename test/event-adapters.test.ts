import { describe, expect, test } from 'vitest';
import {
  type AutoRetryEndEvent,
  autoRetryEvents,
  type AutoRetryStartEvent,
  type ProviderRetryEvent,
  providerRetryEvents,
} from '../src/event-adapters.ts';
import { publishRetryEvents } from '../src/diagnostics.ts';
import { type Failure, RetryController, type RetryEvent, retryStream, RetryTransport } from '../src/index.ts';
import { failure as sampleFailure, retryEvent as sampleRetry } from './sample-events.ts';
import {
  fakeRuntime,
  heldRuntime,
  respond,
  respondError,
  scriptTransport,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from './script.ts';
import { failOnUnhandled } from './unhandled.ts';

failOnUnhandled();

const TURN = { conversationId: 'c1', turnId: 't1' };
const BODY = '{"error":{"type":"overloaded_error","message":"The service is temporarily overloaded. Please retry."}}';
const overloaded = (): Response => respond(429, { 'content-type': 'application/json' }, BODY);
const invalid = (): Response => respondError(400, { type: 'invalid_request_error', message: 'No such parameter.' });

async function announced(config: { readonly maxRetries: number }, ...steps: readonly [Step, ...Step[]]) {
  const retries: ProviderRetryEvent[] = [];
  const chain: (AutoRetryStartEvent | AutoRetryEndEvent)[] = [];
  const [first, second] = [
    providerRetryEvents(TURN, (event) => void retries.push(event)),
    autoRetryEvents((event) => void chain.push(event)),
  ];
  const transport = new RetryTransport(scriptTransport(...steps), {
    ...config,
    baseDelayMs: 2_000,
    jitter: 'none',
    runtime: fakeRuntime(),
    onEvent: (event) => {
      first(event);
      second(event);
    },
  });
  await transport.post(URL_OF_TEST, {}).catch(() => {});
  return { retries, chain };
}

const failure = sampleFailure('overloaded', { message: 'Busy' });
const call = { callId: 'r1', method: 'POST', url: URL_OF_TEST, at: 0 };
const retryEvent = (attempt: number, callId = 'r1', of: Failure = failure): RetryEvent =>
  sampleRetry(attempt, { ...call, callId, delayMs: 10, failure: of });

const start = (attempt: number, delayMs: number) => ({
  type: 'auto_retry_start',
  attempt,
  maxAttempts: 3,
  delayMs,
  errorMessage: `HTTP 429: ${BODY}`,
});

describe('providerRetryEvents', () => {
  test('reports one event before each wait: the attempt from 0, the error verbatim, the status as text', async () => {
    const { retries } = await announced({ maxRetries: 3 }, overloaded, overloaded, 200);
    expect(retries).toEqual([
      { type: 'provider-retry', ...TURN, attempt: 0, delayMs: 2_000, message: `HTTP 429: ${BODY}`, code: '429' },
      { type: 'provider-retry', ...TURN, attempt: 1, delayMs: 4_000, message: `HTTP 429: ${BODY}`, code: '429' },
    ]);
  });

  test('gives an error without a response a message of its own and no code', async () => {
    const { retries } = await announced({ maxRetries: 1 }, new Error('socket hang up'), 200);
    expect(retries).toEqual([
      { type: 'provider-retry', ...TURN, attempt: 0, delayMs: 2_000, message: 'socket hang up' },
    ]);
    expect(retries[0]).not.toHaveProperty('code');
  });

  test('describes a status without a body by the status', async () => {
    const { retries } = await announced({ maxRetries: 1 }, 503, 200);
    expect(retries[0]).toMatchObject({ message: 'HTTP 503', code: '503' });
  });

  test('gives an error inside a 200 a message of its own and no code', async () => {
    const data = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const stream = (): Response =>
      respond(200, { 'content-type': 'text/event-stream' }, `event: error\ndata: ${data}\n\n`);
    const { retries } = await announced({ maxRetries: 1 }, stream, 200);
    expect(retries).toEqual([{ type: 'provider-retry', ...TURN, attempt: 0, delayMs: 2_000, message: data }]);
  });

  test('gives the error that a stream of objects reports verbatim, and its code', async () => {
    const retries: ProviderRetryEvent[] = [];
    const errors = [
      { type: 'error', message: 'busy', code: '429', retryable: true },
      { type: 'error', error: { message: 'later', code: 502 }, retryable: true },
    ];
    const events = retryStream(
      async function* () {
        yield errors.shift() ?? { type: 'text' };
      },
      { runtime: fakeRuntime(), onEvent: providerRetryEvents(TURN, (event) => void retries.push(event)) },
    );
    await expect(events.next()).resolves.toMatchObject({ value: { type: 'text' } });
    expect(retries).toMatchObject([
      { message: 'busy', code: '429' },
      { message: 'later', code: '502' },
    ]);
  });

  test('masks a key that the server echoes', async () => {
    const echo = respondError(429, { message: 'Too many requests for sk-ant-0123456789abcdef.' });
    const { retries } = await announced({ maxRetries: 1 }, echo, 200);
    expect(retries[0]?.message).toBe('HTTP 429: {"error":{"message":"Too many requests for [redacted]."}}');
  });

  test('reports nothing for a call that is not retried, and nothing at the end', async () => {
    expect((await announced({ maxRetries: 3 }, invalid)).retries).toEqual([]);
    expect((await announced({ maxRetries: 1 }, 503)).retries).toHaveLength(1);
  });

  test('describes a failure whose body was not kept by its message', () => {
    const events: ProviderRetryEvent[] = [];
    providerRetryEvents(TURN, (event) => void events.push(event))(retryEvent(1));
    expect(events[0]?.message).toBe('HTTP 503: Busy');
  });
});

describe('autoRetryEvents', () => {
  test('reports a start before each wait, counted from 1, and one end with the last retry made', async () => {
    const { chain } = await announced({ maxRetries: 3 }, overloaded, overloaded, 200);
    expect(chain).toEqual([start(1, 2_000), start(2, 4_000), { type: 'auto_retry_end', success: true, attempt: 2 }]);
    expect(chain.at(-1)).not.toHaveProperty('finalError');
  });

  test('ends exhausted retries with the last error', async () => {
    const { chain } = await announced({ maxRetries: 3 }, overloaded);
    const end = { type: 'auto_retry_end', success: false, attempt: 3, finalError: `HTTP 429: ${BODY}` };
    expect(chain).toEqual([start(1, 2_000), start(2, 4_000), start(3, 8_000), end]);
  });

  test('ends retries that meet a permanent failure without success', async () => {
    const { chain } = await announced({ maxRetries: 3 }, overloaded, invalid);
    const finalError = 'HTTP 400: {"error":{"type":"invalid_request_error","message":"No such parameter."}}';
    expect(chain).toEqual([start(1, 2_000), { type: 'auto_retry_end', success: false, attempt: 1, finalError }]);
  });

  test.each([
    ['a success at once', 3, 200],
    ['a failure that is not retried', 3, 400],
    ['no retries allowed', 0, 503],
  ])('reports no end without a start: %s', async (_, maxRetries, step) => {
    expect((await announced({ maxRetries }, step)).chain).toEqual([]);
  });

  test.each([
    ['gives up', 1, (controller: RetryController) => controller.giveUp()],
    ['aborts', 1, (_: RetryController, abort: AbortController) => abort.abort()],
  ])('reports a person who %s in the second wait as a cancellation after one retry', async (_, attempt, cancel) => {
    const events: (AutoRetryStartEvent | AutoRetryEndEvent)[] = [];
    const [runtime, controller, abort] = [heldRuntime(), new RetryController(), new AbortController()];
    const onEvent = autoRetryEvents((event) => void events.push(event));
    const transport = new RetryTransport(scriptTransport(503), { runtime, controller, onEvent });
    const waiting = runtime.untilWaiting();
    const ended = transport.post(URL_OF_TEST, {}, {}, abort.signal).catch((error: unknown) => error);
    await waiting;
    const waitingAgain = runtime.untilWaiting();
    runtime.waits[0]?.end();
    await waitingAgain;
    cancel(controller, abort);
    await ended;
    expect(events.slice(2)).toEqual([
      { type: 'auto_retry_end', success: false, attempt, finalError: 'Retry cancelled' },
    ]);
  });

  test('keeps concurrent calls apart', () => {
    const events: (AutoRetryStartEvent | AutoRetryEndEvent)[] = [];
    const listen = autoRetryEvents((event) => void events.push(event));
    const over = { attempts: 2, elapsedMs: 0, history: [] };
    listen(retryEvent(1, 'a'));
    listen({ ...call, callId: 'b', type: 'failed', because: 'not-retryable', failure, ...over });
    listen({ ...call, callId: 'a', type: 'fallback', from: 'one', to: 'two', failure });
    listen({ ...call, callId: 'a', type: 'recovered', ...over });
    listen({ ...call, callId: 'a', type: 'recovered', ...over });
    expect(events.map(({ type }) => type)).toEqual(['auto_retry_start', 'auto_retry_end']);
  });

  test('describes a failure without any text by its status', () => {
    const events: (AutoRetryStartEvent | AutoRetryEndEvent)[] = [];
    autoRetryEvents((event) => void events.push(event))(retryEvent(1, 'a', { ...failure, message: '' }));
    expect(events[0]).toMatchObject({ errorMessage: 'HTTP 503' });
  });
});

test('what is no function, or no turn, is refused at once: a throw of the listener would be ignored', () => {
  const emit = new TypeError('Expected `emit` to be a function, got undefined.');
  // @ts-expect-error -- callers in JavaScript
  expect(() => autoRetryEvents()).toThrow(emit);
  // @ts-expect-error -- callers in JavaScript
  expect(() => providerRetryEvents(TURN)).toThrow(emit);
  // @ts-expect-error -- callers in JavaScript
  expect(() => providerRetryEvents()).toThrow('Expected `turn` to be an object such as { conversationId:');
  // @ts-expect-error -- callers in JavaScript
  expect(() => publishRetryEvents('console.log')).toThrow('Expected `next` to be a function, got "console.log".');
});

test('an `emit` that rejects leaves no rejection unhandled, also if a listener of your own calls the adapter', () => {
  const rejecting = (): unknown => Promise.reject(new Error('The display broke.'));
  for (const listener of [autoRetryEvents(rejecting), providerRetryEvents(TURN, rejecting)])
    expect(listener(retryEvent(1, 'a'))).toBeUndefined();
});

test('a listener that throws does not change the call', async () => {
  const onEvent = autoRetryEvents(() => {
    throw new Error('The display broke.');
  });
  const transport = new RetryTransport(scriptTransport(new TypeError('fetch failed')), {
    maxRetries: 1,
    onEvent,
    runtime: fakeRuntime(),
  });
  expect(await thrownBy(transport.post(URL_OF_TEST, {}))).toMatchObject({ message: 'fetch failed' });
});

test('a series of retries has one start for each wait and one end, even with other events in between', () => {
  const emitted: string[] = [];
  const listener = autoRetryEvents(({ type }) => void emitted.push(type));
  const base = { callId: 'r', method: 'GET', url: URL_OF_TEST, at: 0 };
  const busy = sampleFailure('overloaded', { message: 'busy' });
  const wait = { delayMs: 1, nextAttemptAt: 1 };
  const events: readonly RetryEvent[] = [
    { ...base, ...wait, type: 'delayed', attempt: 1, because: 'pace' },
    { ...base, type: 'attempt', attempt: 1 },
    sampleRetry(1, { ...base, ...wait, maxRetries: null, failure: busy }),
    { ...base, type: 'fallback', from: 'one', to: 'two', failure: busy },
    { ...base, ...wait, type: 'delayed', attempt: 2, because: 'pace' },
    { ...base, type: 'attempt', attempt: 2 },
    { ...base, type: 'recovered', attempts: 2, elapsedMs: 1, history: [] },
  ];
  for (const event of events) listener(event);
  expect(emitted).toEqual(['auto_retry_start', 'auto_retry_end']);
});
