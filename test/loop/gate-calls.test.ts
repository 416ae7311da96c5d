import { describe, expect, test } from 'vitest';
import {
  createFallback,
  createGate,
  createKeyRotation,
  createRetryFetch,
  type Fetch,
  type Gate,
  presets,
  type RetryConfig,
  RetryController,
  type RetryEvent,
  RetryTransport,
} from '../../src/index.ts';
import {
  fakeRuntime,
  type FakeRuntime,
  type HeldRuntime,
  heldRuntime,
  observed,
  respond,
  respondError,
  script,
  scriptTransport,
  settle,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { paces, refuses, scriptedGate } from '../scripted-gate.ts';
import { withSessions } from '../../src/route/open-route.ts';

const limited = (seconds: number): Response =>
  respondError(429, { type: 'rate_limit' }, { 'retry-after': `${seconds}` });
const onlyOf = (events: readonly RetryEvent[], ...types: readonly RetryEvent['type'][]): readonly RetryEvent[] =>
  events.filter(({ type }) => types.includes(type));
const hostOf = (input: unknown): string => new URL(String(input)).host;

describe('under a gate', () => {
  test.each([58, 59, 60])('Retry-After: %i is waited for in 100 of 100 runs', async (seconds) => {
    for (let run = 0; run < 100; run += 1) {
      let seed = run * 7_919 + 13;
      const runtime = fakeRuntime(() => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647);
      const inner = script(runtime, limited(seconds), 200);
      const response = await createRetryFetch({ fetch: inner, ...presets.fleet, gate: createGate(), runtime })(
        URL_OF_TEST,
      );
      const [first, second] = inner.calls;
      expect([response.status, (second?.at ?? 0) - (first?.at ?? 0) >= seconds * 1_000]).toEqual([200, true]);
    }
  });
});

describe('a gate changes nothing of', () => {
  const sleptWith = async (config: RetryConfig): Promise<readonly number[]> => {
    const runtime = fakeRuntime();
    const inner = script(runtime, limited(90), 200);
    await createRetryFetch({ fetch: inner, jitter: 'none', runtime, ...config })(URL_OF_TEST);
    return runtime.slept;
  };

  test.each<[string, RetryConfig]>([
    ["retryAfter: 'clamp'", { retryAfter: 'clamp', maxDelayMs: 20_000 }],
    ["retryAfter: 'ignore'", { retryAfter: 'ignore' }],
    ['a hint that is longer than maxRetryAfterMs', {}],
    ['a hint that is exactly maxRetryAfterMs', { maxRetryAfterMs: 90_000 }],
    ['a hint with padding beyond maxRetryAfterMs', { maxRetryAfterMs: 90_000, retryAfter: (hintMs) => hintMs * 1.1 }],
    ['maxTotalDelayMs', { maxRetryAfterMs: 90_000, maxTotalDelayMs: 89_999 }],
  ])('the waits with %s', async (_what, config) => {
    expect(await sleptWith({ ...config, gate: createGate() })).toEqual(await sleptWith(config));
  });

  test('the number of sleeps if the injected clock stands still', async () => {
    for (const gate of [undefined, createGate()]) {
      const sleeps: number[] = [];
      const runtime = { ...fakeRuntime(), sleep: async (ms: number) => void sleeps.push(ms) };
      const inner = script(fakeRuntime(), limited(1), 200);
      const response = await createRetryFetch({ fetch: inner, jitter: 'none', runtime, gate })(URL_OF_TEST);
      expect([response.status, sleeps]).toEqual([200, [1_000]]);
    }
  });
});

describe('behind a gate each target has limits of its own:', () => {
  const chain = (): RetryConfig['fallback'] =>
    createFallback({
      targets: [
        { name: 'backup', url: 'https://backup.example.com/v1/messages', covers: ['rate_limit', 'overloaded'] },
      ],
    });

  /** The time from the primary's response to the request to the backup. */
  async function waitedForBackup(runtime: FakeRuntime, config: RetryConfig, answer: Response): Promise<number> {
    const inner = script(runtime, (input) => (hostOf(input) === 'backup.example.com' ? respond(200) : answer.clone()));
    const startedAt = runtime.now();
    const response = await createRetryFetch({ fetch: inner, runtime, ...config })(URL_OF_TEST, {
      method: 'POST',
      body: '{}',
    });
    expect([response.status, inner.calls.length]).toEqual([200, 2]);
    return runtime.now() - startedAt;
  }

  test.each([3, 61])('a healthy fallback is used at once after a hint of %i s', async (seconds) => {
    const config = { gate: createGate(), fallback: chain() };
    expect(await waitedForBackup(fakeRuntime(), config, limited(seconds))).toBeLessThanOrEqual(50);
  });

  test('a circuit that is open at the first target does not refuse the second', async () => {
    const runtime = fakeRuntime();
    const gate = createGate({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 60_000, covers: 'all' } });
    const down = script(runtime, 503);
    await createRetryFetch({ fetch: down, runtime, gate, maxRetries: 0 })(URL_OF_TEST);
    const inner = script(runtime, 200);
    const response = await createRetryFetch({ fetch: inner, runtime, gate, fallback: chain() })(URL_OF_TEST, {
      method: 'POST',
    });
    expect([response.status, inner.calls.map(({ input }) => hostOf(input))]).toEqual([200, ['backup.example.com']]);
  });

  test('a refusal by the backup holds the backup and not the primary', async () => {
    const runtime = fakeRuntime();
    const gate = createGate();
    const answers: Fetch = async (input) =>
      hostOf(input) === 'backup.example.com' ? limited(30) : respondError(529, { type: 'overloaded_error' });
    await createRetryFetch({ fetch: answers, runtime, gate, fallback: chain(), maxRetries: 1 })(URL_OF_TEST);
    const before = runtime.now();
    await createRetryFetch({ fetch: script(runtime, 200), runtime, gate })(URL_OF_TEST);
    expect(runtime.now() - before).toBeLessThan(5_000);
  });

  test('the free key of a rotation is used at once', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, limited(30), 200);
    const fallback = createKeyRotation({ keys: ['sk-first-key', 'sk-second-key'] });
    const startedAt = runtime.now();
    const response = await createRetryFetch({ fetch: inner, runtime, gate: createGate(), fallback })(URL_OF_TEST);
    expect([response.status, runtime.now() - startedAt]).toEqual([200, 0]);
  });

  test('300 calls at once over three keys use each key about equally often', async () => {
    const runtime = fakeRuntime();
    const used = new Map<string, number>();
    const inner: Fetch = async (_input, init) => {
      const key = new Headers(init?.headers).get('authorization') ?? '';
      used.set(key, (used.get(key) ?? 0) + 1);
      return respond(200);
    };
    const fallback = createKeyRotation({ keys: ['sk-key-one', 'sk-key-two', 'sk-key-three'] });
    const fetch = createRetryFetch({ fetch: inner, runtime, gate: createGate(), fallback });
    await Promise.all(Array.from({ length: 300 }, () => fetch(URL_OF_TEST)));
    const counts = [...used.values()];
    expect(counts).toHaveLength(3);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1.5 * Math.min(...counts));
  });
});

describe('a call that waits behind a gate', () => {
  /** A gate whose server has let nothing through for a while. */
  async function heldGate(runtime: FakeRuntime | HeldRuntime): Promise<Gate> {
    const gate = createGate();
    const call = createRetryFetch({ fetch: script(runtime, limited(10)), runtime, gate, maxRetries: 0 });
    const isHeld = (): boolean => gate.readings(runtime.time).some(({ cooldownMs }) => cooldownMs > 0);
    for (let refusal = 0; refusal < 50 && !isHeld(); refusal += 1) {
      runtime.time += 200;
      await call(URL_OF_TEST);
    }
    expect(isHeld()).toBe(true);
    return gate;
  }

  test('is announced and can be steered before its first attempt', async () => {
    const runtime = heldRuntime();
    const gate = await heldGate(runtime);
    const controller = new RetryController();
    const events: RetryEvent[] = [];
    const inner = script(runtime, 200);
    const call = createRetryFetch({
      fetch: inner,
      runtime,
      gate,
      controller,
      onEvent: (event) => void events.push(event),
    })(URL_OF_TEST);
    await runtime.untilWaiting();
    const [delayed] = onlyOf(events, 'delayed');
    expect(delayed).toMatchObject({ type: 'delayed', attempt: 1, nextAttemptAt: controller.nextAttemptAt });
    expect([controller.isRetrying, gate.waiting, inner.calls.length]).toEqual([true, 1, 0]);
    controller.retryNow();
    expect((await call).status).toBe(200);
    expect(onlyOf(events, 'delayed', 'attempt').map(({ type }) => type)).toEqual(['delayed', 'attempt']);
    expect([controller.isRetrying, controller.nextAttemptAt, gate.waiting]).toEqual([false, null, 0]);
  });

  test('is refused with a clear error if a person gives it up before its first attempt', async () => {
    const runtime = heldRuntime();
    const gate = await heldGate(runtime);
    const controller = new RetryController();
    const call = createRetryFetch({ fetch: script(runtime, 200), runtime, gate, controller })(URL_OF_TEST);
    await runtime.untilWaiting();
    controller.giveUp();
    const message: unknown = expect.stringMatching(/: it was given up while it waited\. Possible in /);
    expect(await thrownBy(call)).toMatchObject({ name: 'GateRefusedError', because: 'given-up', message });
    expect(gate.waiting).toBe(0);
  });

  test('is sent by "retry now" between two attempts too, and gives its place back', async () => {
    const runtime = heldRuntime();
    const gate = createGate();
    const controller = new RetryController();
    const inner = script(runtime, limited(30), 200);
    const call = createRetryFetch({ fetch: inner, runtime, gate, controller })(URL_OF_TEST);
    await runtime.untilWaiting();
    controller.retryNow();
    expect((await call).status).toBe(200);
    expect([inner.calls.length, gate.waiting]).toEqual([2, 0]);
  });

  test('leaves the retry budget unchanged if it is aborted, five times', async () => {
    const runtime = heldRuntime();
    const gate = createGate({ retryBudget: { capacity: 5 } });
    const fetch = createRetryFetch({ fetch: script(runtime, 503), runtime, gate });
    const tokens = (): unknown => gate.readings(runtime.time).map((reading) => reading.tokens);
    for (let call = 0; call < 5; call += 1) {
      const abort = new AbortController();
      const aborted = thrownBy(fetch(URL_OF_TEST, { signal: abort.signal }));
      await runtime.untilWaiting();
      abort.abort();
      await aborted;
    }
    await settle();
    expect([tokens(), gate.waiting]).toEqual([[5], 0]);
  });
});

describe('a gate that', () => {
  test.each(['circuit-open' as const, 'retry-budget-empty' as const, 'too-many-waiting' as const])(
    'refuses a first attempt (%s) ends the call before it is sent',
    async (because) => {
      const runtime = fakeRuntime();
      const { gate, heard } = scriptedGate({ take: [refuses(because)] });
      const inner = script(runtime, 200);
      const { events, ...config } = observed({ runtime, gate });
      const error = await thrownBy(createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST));
      expect(error).toMatchObject({ name: 'GateRefusedError', because, possibleAt: runtime.time + 4_000 });
      expect(events).toMatchObject([{ type: 'failed', attempts: 0, because, possibleAt: runtime.time + 4_000 }]);
      expect([inner.calls.length, heard]).toEqual([0, ['left']]);
    },
  );

  test.each([
    ['when it is planned', { estimate: refuses('retry-budget-empty') }],
    ['after its wait', { take: [{ go: true as const }, refuses('retry-budget-empty')] }],
  ])('refuses a retry %s returns the last response, unread', async (_when, answers) => {
    const runtime = fakeRuntime();
    const { gate, heard } = scriptedGate(answers);
    const { events, ...config } = observed({ runtime, gate });
    const response = await createRetryFetch({ fetch: script(runtime, respond(503, {}, 'busy')), ...config })(
      URL_OF_TEST,
    );
    expect([response.status, response.bodyUsed, await response.text()]).toEqual([503, false, 'busy']);
    expect(events.at(-1)).toMatchObject({ type: 'failed', attempts: 1, because: 'retry-budget-empty' });
    expect(heard).toEqual(['failure', 'left']);
  });

  test('throws makes the call reject, and is no exception of the call itself', async () => {
    const broken = new Error('broken gate');
    const gate: Gate = withSessions({ keyOf: () => 'key', waiting: 0, readings: () => [] }, () => {
      throw broken;
    });
    const call = createRetryFetch({ fetch: script(fakeRuntime(), 200), runtime: fakeRuntime(), gate })(URL_OF_TEST);
    expect(await thrownBy(call)).toBe(broken);
    const transport = new RetryTransport(scriptTransport(200), { runtime: fakeRuntime(), gate });
    expect(await thrownBy(transport.get(URL_OF_TEST))).toBe(broken);
  });

  test('moves a retry has the new moment announced, waited for and counted', async () => {
    const runtime = fakeRuntime();
    const { gate } = scriptedGate({ take: [{ go: true }, paces(700)] });
    const events: RetryEvent[] = [];
    const config: RetryConfig = { runtime, gate, jitter: 'none', onEvent: (event) => void events.push(event) };
    const response = await createRetryFetch({ fetch: script(runtime, 503, 200), ...config })(URL_OF_TEST);
    expect([response.status, runtime.slept]).toEqual([200, [1_000, 700]]);
    const told = onlyOf(events, 'retry', 'delayed', 'attempt', 'recovered');
    expect(told.map(({ type }) => type)).toEqual(['retry', 'delayed', 'attempt', 'recovered']);
    expect(told[1]).toMatchObject({ attempt: 2, delayMs: 700, because: 'pace', nextAttemptAt: runtime.time });
    expect(events.at(-1)).toMatchObject({ history: [{ delayMs: 1_700 }, { delayMs: null }] });
  });

  test('moves a retry beyond the deadline ends the call with the last response', async () => {
    const runtime = fakeRuntime();
    const { gate } = scriptedGate({ take: [{ go: true }, paces(700)] });
    const { events, ...config } = observed({ runtime, gate, jitter: 'none', maxElapsedMs: 1_500 });
    const response = await createRetryFetch({ fetch: script(runtime, 503, 200), ...config })(URL_OF_TEST);
    expect([response.status, events.at(-1)]).toMatchObject([503, { type: 'failed', because: 'deadline' }]);
  });

  test('has its circuit open for longer than the hint of the server says when it closes', async () => {
    const runtime = fakeRuntime();
    const gate = createGate({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 9_000 } });
    const { events, ...config } = observed({ runtime, gate, jitter: 'none' });
    await createRetryFetch({ fetch: script(runtime, respond(503, { 'retry-after': '1' })), ...config })(URL_OF_TEST);
    expect(events.at(-1)).toMatchObject({ because: 'circuit-open', possibleAt: runtime.time + 9_000 });
  });

  test('delays a first attempt beyond the longest allowed hint refuses it, and the error says how to allow it', async () => {
    const runtime = fakeRuntime();
    const hold = { ...paces(61_000), holdMs: 61_000, because: 'cooldown' } as const;
    const { gate } = scriptedGate({ take: [hold] });
    const error = await thrownBy(createRetryFetch({ fetch: script(runtime, 200), runtime, gate })(URL_OF_TEST));
    expect(error).toMatchObject({ because: 'cooldown-too-long', possibleAt: runtime.time + 61_000 });
  });

  test.each([
    ['no time', 'a full `concurrent`', { concurrent: 1 }, undefined],
    ['no time', 'one whose rate is free earlier', { concurrent: 1, requestsPerSecond: 10 }, undefined],
    ['its time', 'a rate', { concurrent: 1, requestsPerMinute: 1 }, 60_900],
  ] as const)('says %s for a call that waits for %s', async (_what, _limit, limits, possibleAfterMs) => {
    for (const how of ['deadline', 'given-up'] as const) {
      const runtime = heldRuntime();
      const controller = new RetryController();
      const { events, ...config } = observed({ runtime, gate: createGate({ limits }), controller });
      const fetch = createRetryFetch({ fetch: script(runtime, () => new Promise(() => {})), ...config });
      const possibleAt = possibleAfterMs === undefined ? undefined : runtime.now() + possibleAfterMs;
      void fetch(URL_OF_TEST);
      const refused = thrownBy(fetch.with({ maxElapsedMs: how === 'deadline' ? 500 : undefined })(URL_OF_TEST));
      if (how === 'given-up') await runtime.untilWaiting();
      controller.giveUp();
      const error = await refused;
      expect(error).toMatchObject({ name: 'GateRefusedError', possibleAt: possibleAt ?? null });
      expect(String(error).includes('Possible in')).toBe(possibleAt !== undefined);
      expect(events.at(-1)).toMatchObject({ type: 'failed', because: how });
      expect(Reflect.get(events.at(-1) ?? {}, 'possibleAt')).toBe(possibleAt);
    }
  });

  test('only paces may delay a first attempt beyond the longest allowed hint', async () => {
    const runtime = fakeRuntime();
    const { gate } = scriptedGate({ take: [paces(61_000)] });
    const response = await createRetryFetch({ fetch: script(runtime, 200), runtime, gate })(URL_OF_TEST);
    expect([response.status, runtime.slept]).toEqual([200, [61_000]]);
  });
});

test('a controller forgets the wait of a call that a listener aborts when its gate announces a longer wait', async () => {
  const { gate } = scriptedGate({ take: [{ go: true }, paces(400)] });
  const abort = new AbortController();
  const controller = new RetryController();
  const runtime = fakeRuntime();
  const onEvent = ({ type }: RetryEvent): void => void (type === 'delayed' && abort.abort());
  const call = createRetryFetch({ fetch: script(runtime, 503, 200), runtime, gate, controller, onEvent });
  await expect(call(URL_OF_TEST, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(controller.nextAttemptAt).toBeNull();
});
