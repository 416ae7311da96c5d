import { describe, expect, test } from 'vitest';
import {
  createGate,
  createRetryFetch,
  type Gate,
  type GateAnswer,
  GateRefusedError,
  presets,
  type RetryConfig,
  RetryController,
  RetryTransport,
} from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, scriptTransport, settle, thrownBy, URL_OF_TEST } from '../script.ts';

const KEY = { headers: { authorization: 'Bearer the-key-of-this-test' } };

/** A gate that holds and refuses, but spreads nothing, so that waits can be told in advance. */
const cooldown = (): RetryConfig => ({
  gate: createGate({ retryBudget: false }),
  jitter: 'none',
  maxRetryAfterMs: 60_000,
});

describe('behind a gate', () => {
  test('a success at the first attempt is the same response, at once', async () => {
    const runtime = fakeRuntime();
    const answer = respond(200);
    const fetch = createRetryFetch(async () => answer, { ...presets.fleet(), runtime });
    expect(await fetch(URL_OF_TEST, KEY)).toBe(answer);
    expect(runtime.slept).toEqual([]);
  });

  test('a hint that one call was given holds the first attempt of another', async () => {
    const runtime = fakeRuntime();
    const config = { ...cooldown(), runtime, maxRetries: 0 };
    const limited = createRetryFetch(script(runtime, respond(429, { 'retry-after': '7' })), config);
    expect((await limited(URL_OF_TEST, KEY)).status).toBe(429);
    const start = runtime.time;
    const inner = script(runtime, 200);
    expect((await createRetryFetch(inner, config)(URL_OF_TEST, KEY)).status).toBe(200);
    expect(inner.calls[0]?.at).toBeGreaterThanOrEqual(start + 7_000);
  });

  test('another key is not held', async () => {
    const runtime = fakeRuntime();
    const config = { ...cooldown(), runtime, maxRetries: 0 };
    await createRetryFetch(script(runtime, respond(429, { 'retry-after': '7' })), config)(URL_OF_TEST, KEY);
    const other = { headers: { authorization: 'Bearer another-key-altogether' } };
    await createRetryFetch(script(runtime, 200), config)(URL_OF_TEST, other);
    expect(runtime.slept).toEqual([]);
  });

  test('a call whose own limit is shorter than the cooldown is refused with the way out', async () => {
    const runtime = fakeRuntime();
    const config = { ...cooldown(), runtime, maxRetries: 0 };
    await createRetryFetch(script(runtime, respond(429, { 'retry-after': '30' })), config)(URL_OF_TEST, KEY);
    const inner = script(runtime, 200);
    const watched = observed({ ...config, maxElapsedMs: 5_000 });
    const error = await thrownBy(createRetryFetch(inner, watched)(URL_OF_TEST, KEY));
    expect(error).toBeInstanceOf(GateRefusedError);
    expect(watched.events.at(-1)).toMatchObject({
      because: 'deadline',
      possibleAt: Reflect.get(Object(error), 'possibleAt'),
    });
    expect(error).toMatchObject({
      reason: 'cooldown-too-long',
      message: expect.stringMatching(/asked to be left alone longer than this call may wait.* in \d+/),
    });
    expect(inner.calls).toHaveLength(0);
  });

  test('a call that is held obeys its abort', async () => {
    const runtime = fakeRuntime();
    const config = { ...cooldown(), maxRetries: 0 };
    await createRetryFetch(script(runtime, respond(429, { 'retry-after': '30' })), { ...config, runtime })(
      URL_OF_TEST,
      KEY,
    );
    const controller = new AbortController();
    const held = { ...runtime, now: () => runtime.time, sleep: () => new Promise<void>(() => {}) };
    const call = thrownBy(
      createRetryFetch(script(runtime, 200), { ...config, runtime: held })(URL_OF_TEST, {
        ...KEY,
        signal: controller.signal,
      }),
    );
    controller.abort('enough');
    expect(await call).toBe('enough');
  });

  test.each([
    ['circuit-open', 'circuit-open'],
    ['retry-budget-empty', 'retry-budget-empty'],
    ['too-many-waiting', 'retry-budget-empty'],
  ] as const)(
    'a first attempt that is refused for %s is a call that failed because of %s',
    async (refused, because) => {
      const gate: Gate = {
        ...createGate(),
        pass: () => ({
          key: 'closed',
          admit: () => ({ go: false, waitMs: 0, refused }),
          permitRetry: () => ({ go: true }),
          settled: () => {},
          leave: () => {},
        }),
      };
      const runtime = fakeRuntime();
      const inner = script(runtime, 200);
      const { events, ...config } = observed({ gate, runtime });
      expect(await thrownBy(createRetryFetch(inner, config)(URL_OF_TEST))).toMatchObject({ reason: refused });
      expect(inner.calls).toHaveLength(0);
      expect(events).toMatchObject([{ type: 'failed', because, attempts: 0, history: [] }]);
    },
  );

  test.each([
    ['before the first attempt', 'admit', 0],
    ['before a retry', 'permitRetry', 1],
  ] as const)('a gate that takes its time %s does not keep an abort waiting', async (_, slow, sent) => {
    const answers: ((answer: GateAnswer) => void)[] = [];
    const late = (): Promise<GateAnswer> => new Promise((resolve) => answers.push(resolve));
    const left: number[] = [];
    const gate: Gate = {
      ...createGate(),
      pass: () => ({
        key: 'slow',
        admit: () => ({ go: true }),
        permitRetry: () => ({ go: true }),
        settled: () => {},
        leave: () => left.push(answers.length),
        [slow]: late,
      }),
    };
    const runtime = fakeRuntime();
    const controller = new AbortController();
    const inner = script(runtime, 503);
    const call = thrownBy(createRetryFetch(inner, { gate, runtime })(URL_OF_TEST, { signal: controller.signal }));
    await settle();
    controller.abort('enough');
    expect(await call).toBe('enough');
    expect(inner.calls).toHaveLength(sent);
    expect(left).toEqual([1]);
    // It may have given the call a place in the line, which the call leaves again.
    for (const answer of answers) answer({ go: false, waitMs: 9_000, refused: null });
    await settle();
    expect(left).toEqual([1, 1]);
  });

  test('a call that is aborted from the start leaves no place in the line either', async () => {
    const left: string[] = [];
    const gate: Gate = {
      ...createGate(),
      pass: () => ({
        key: 'slow',
        admit: async () => ({ go: false, waitMs: 9_000, refused: null }),
        permitRetry: () => ({ go: true }),
        settled: () => {},
        leave: () => left.push('left'),
      }),
    };
    const runtime = fakeRuntime();
    const call = createRetryFetch(script(runtime, 200), { gate, runtime })(URL_OF_TEST, {
      signal: AbortSignal.abort('never mind'),
    });
    expect(await thrownBy(call)).toBe('never mind');
    await settle();
    expect(left).toEqual(['left', 'left']);
  });

  test.each([
    ['retryNow', 200],
    ['giveUp', 'given-up'],
  ] as const)('a call that is held obeys %s', async (press, outcome) => {
    const runtime = fakeRuntime();
    const controller = new RetryController();
    const config = { ...cooldown(), maxRetries: 0, controller };
    await createRetryFetch(script(runtime, respond(429, { 'retry-after': '30' })), { ...config, runtime })(
      URL_OF_TEST,
      KEY,
    );
    const held = { ...runtime, now: () => runtime.time, sleep: () => new Promise<void>(() => {}) };
    const call = createRetryFetch(script(runtime, 200), { ...config, runtime: held })(URL_OF_TEST, KEY).then(
      ({ status }) => status,
      (error: unknown) => (error instanceof GateRefusedError ? error.reason : error),
    );
    await settle();
    expect(controller.nextAttemptAt).toBeGreaterThanOrEqual(runtime.time + 30_000);
    controller[press]();
    expect(await call).toBe(outcome);
    expect(controller.nextAttemptAt).toBeNull();
  });

  test('an outage empties the budget, and the last response comes back', async () => {
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ ...presets.fleet(), runtime });
    const inner = script(runtime, 503);
    const fetch = createRetryFetch(inner, config);
    for (let call = 0; call < 50; call += 1) expect((await fetch(URL_OF_TEST, KEY)).status).toBe(503);
    // 50 first attempts, and no more retries than the bucket held: capacity 5.
    expect(inner.calls.length).toBeLessThanOrEqual(55);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'retry-budget-empty' });
  });

  test.each([
    ['without a controller', undefined],
    ['with a controller', new RetryController()],
  ])('a retry that the gate turns away after its wait hands back the last response, %s', async (_, controller) => {
    const runtime = fakeRuntime();
    const gate: Gate = {
      ...createGate(),
      pass: () => ({
        key: 'closing',
        // Open for the first attempt, closed for the second.
        admit: () => (inner.calls.length === 0 ? { go: true } : { go: false, waitMs: 0, refused: 'circuit-open' }),
        permitRetry: () => ({ go: true }),
        settled: () => {},
        leave: () => {},
      }),
    };
    const answer = respond(503);
    const inner = scriptTransport(answer);
    const { events, ...config } = observed({ gate, runtime, controller });
    expect(await new RetryTransport(inner, config).post(URL_OF_TEST, {})).toBe(answer);
    expect(inner.calls).toHaveLength(1);
    expect(runtime.slept).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'circuit-open', attempts: 1 });
    expect(controller?.isRetrying ?? false).toBe(false);
  });

  test('successes pay the budget back', async () => {
    const runtime = fakeRuntime();
    const config = { ...presets.fleet(), runtime };
    const fetch = createRetryFetch(script(runtime, 503), config);
    for (let call = 0; call < 20; call += 1) await fetch(URL_OF_TEST, KEY);
    const well = createRetryFetch(script(runtime, 200), config);
    for (let call = 0; call < 60; call += 1) await well(URL_OF_TEST, KEY);
    const inner = script(runtime, 503, 200);
    expect((await createRetryFetch(inner, config)(URL_OF_TEST, KEY)).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });

  test('a circuit that is open refuses a first attempt where it covers them', async () => {
    const runtime = fakeRuntime();
    const gate = createGate({ cooldown: false, retryBudget: false, circuitBreaker: { covers: 'all' } });
    const config = { gate, runtime, maxRetries: 0 };
    const inner = script(runtime, 503);
    const fetch = createRetryFetch(inner, config);
    const outcomes: unknown[] = [];
    for (let call = 0; call < 20; call += 1)
      outcomes.push(await fetch(URL_OF_TEST, KEY).catch((error: unknown) => error));
    expect(outcomes.at(-1)).toBeInstanceOf(GateRefusedError);
    expect(inner.calls.length).toBeLessThan(20);
  });

  test('a transport is admitted as a fetch is', async () => {
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ ...presets.fleet(), runtime });
    const inner = scriptTransport(503, 200);
    const transport = new RetryTransport(inner, config);
    expect((await transport.post(URL_OF_TEST, {}, KEY.headers)).status).toBe(200);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'recovered']);
  });
});

test('each fleet has a gate of its own', () => {
  expect(presets.fleet().gate).not.toBe(presets.fleet().gate);
});
