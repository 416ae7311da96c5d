import { describe, expect, test } from 'vitest';
import {
  classify,
  createFallback,
  createGate,
  createKeyRotation,
  createRetryFetch,
  type FallbackOptions,
  RetryController,
  type RetryConfig,
  withRetry,
} from '../../src/index.ts';
import {
  fakeRuntime,
  type FakeRuntime,
  observed,
  respond,
  respondError,
  script,
  type ScriptedFetch,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';

const HOUR = 3_600_000;
const OTHER = 'https://other.example/v1';
const POST = { method: 'POST', headers: { authorization: 'Bearer a' }, body: '{"model":"m"}' };
/** A quota that is used up until a named time. */
const usedUp = (ms: number): Response =>
  respondError(
    429,
    { code: 'insufficient_quota', message: 'Your quota is used up.' },
    { 'retry-after-ms': String(ms) },
  );
const limited = (ms?: number): Response => respond(429, ms === undefined ? {} : { 'retry-after-ms': String(ms) });

interface Chained {
  readonly runtime: FakeRuntime;
  readonly leader: ScriptedFetch;
  readonly other: ScriptedFetch;
  readonly call: (init?: RequestInit) => Promise<Response>;
  readonly events: ReturnType<typeof observed>['events'];
}

const ALL = ['overloaded', 'server_error', 'provider_unavailable', 'quota_exhausted', 'rate_limit'] as const;

function chained(
  leads: Step,
  follows: Step,
  config: RetryConfig = {},
  chain: Partial<FallbackOptions> = { maxRetriesBeforeFallback: 0 },
): Chained {
  const runtime = fakeRuntime();
  const leader = script(runtime, leads);
  const other = script(runtime, follows);
  const fallback = createFallback({
    primary: 'leader',
    targets: [{ name: 'other', url: OTHER, fetch: other, covers: ALL }],
    additionalRetries: 0,
    ...chain,
  });
  const watched = observed({ jitter: 'none', runtime, fallback, ...config });
  const retrying = createRetryFetch({ fetch: leader, ...watched });
  return { runtime, leader, other, events: watched.events, call: (init = POST) => retrying(URL_OF_TEST, init) };
}

const askedIn = ({ leader, other }: Chained): readonly number[] => [leader.calls.length, other.calls.length];

describe.each<[string, RetryConfig]>([
  ['without a gate', {}],
  ['with a gate', { gate: createGate({ cooldown: false }) }],
])('a target whose failure named a time, %s,', (_title, config) => {
  test('is asked once in ten turns, and again when the time has come', async () => {
    const chain = chained(usedUp(3 * HOUR), 200, config);
    for (let turn = 1; turn <= 10; turn += 1) {
      expect((await chain.call()).status).toBe(200);
      chain.runtime.time += 60_000;
    }
    expect(askedIn(chain)).toEqual([1, 10]);
    chain.runtime.time += 3 * HOUR;
    await chain.call();
    expect(askedIn(chain)).toEqual([2, 11]);
  });

  test('is passed over by calls that are made while another learns it', async () => {
    const chain = chained(usedUp(HOUR), 200, config);
    await Promise.all([chain.call(), chain.call()]);
    const [before = 0] = askedIn(chain);
    await Promise.all([chain.call(), chain.call()]);
    expect(askedIn(chain)).toEqual([before, 4]);
  });

  test('rests also where it was the last one that the call asked', async () => {
    const chain = chained(503, usedUp(HOUR), config);
    expect((await chain.call()).status).toBe(429);
    expect((await chain.call()).status).toBe(503);
    expect(askedIn(chain)).toEqual([2, 1]);
  });

  test('is waited for where all others rest longer, and then asked', async () => {
    const chain = chained(limited(90_000), limited(20_000), { maxRetries: 0, ...config });
    await chain.call();
    expect(askedIn(chain)).toEqual([1, 1]);
    const slept = chain.runtime.slept.length;
    await chain.call();
    expect(chain.runtime.slept.slice(slept)).toEqual([20_000]);
    expect(askedIn(chain)).toEqual([1, 2]);
  });

  test('is asked all the same where it is too far away, and so are all others: no call is refused', async () => {
    const chain = chained(usedUp(3 * HOUR), limited(2 * HOUR), { maxRetries: 0, ...config });
    await chain.call();
    const response = await chain.call();
    // The one that is free first, and then nothing is left to ask.
    expect(askedIn(chain)).toEqual([1, 2]);
    const possibleAt = chain.runtime.time + 2 * HOUR;
    expect(response.status).toBe(429);
    expect(chain.events.at(-1)).toMatchObject({ type: 'failed', possibleAt, failure: { type: 'rate_limit' } });
  });

  test('is asked, if all are too far away and it is free first, and then no other', async () => {
    const chain = chained(usedUp(2 * HOUR), limited(3 * HOUR), { maxRetries: 0, ...config });
    await chain.call();
    await chain.call();
    expect(askedIn(chain)).toEqual([2, 1]);
    const possibleAt = chain.runtime.time + 2 * HOUR;
    expect(chain.events.at(-1)).toMatchObject({ type: 'failed', possibleAt, failure: { type: 'quota_exhausted' } });
  });
});

describe('a target that rests', () => {
  test('by a guess is asked at once where the others rest until a named time', async () => {
    const chain = chained(limited(), limited(20_000));
    await chain.call();
    const before = chain.runtime.time;
    await chain.call();
    expect(chain.leader.calls[1]?.at).toBe(before);
    // It has failed again, so the call waits for the other one.
    expect(chain.other.calls[1]?.at).toBe(before + 20_000);
  });

  test('by a guess comes after one that is free, for as long as `restMs` says', async () => {
    const chain = chained(limited(), 200, {}, { maxRetriesBeforeFallback: 0, restMs: { rate_limit: 10_000 } });
    await chain.call();
    await chain.call();
    expect(askedIn(chain)).toEqual([1, 2]);
    chain.runtime.time += 10_000;
    await chain.call();
    expect(askedIn(chain)).toEqual([2, 3]);
  });

  test('by a guess takes the turn of its gate too', async () => {
    const gate = createGate({ cooldown: false, limits: { requestsPerMinute: 1 }, key: ({ url }) => new URL(url).host });
    const chain = chained(limited(), limited(20_000), { gate });
    await chain.call();
    const before = chain.runtime.time;
    await chain.call();
    expect(chain.leader.calls[1]?.at).toBeGreaterThanOrEqual(before + 20_000);
  });

  test.each([
    ['the one that was asked first', 700_000, 900_000, 700_000],
    ['the last one', 900_000, 700_000, 700_000],
  ])('is possible when the first of them is free: %s', async (_which, leaderMs, otherMs, possibleMs) => {
    const { runtime, call, events } = chained(usedUp(leaderMs), usedUp(otherMs));
    const start = runtime.time;
    await call();
    expect(events.at(-1)).toMatchObject({ type: 'failed', possibleAt: start + possibleMs });
  });

  test('does not make a failure possible that is about the request', async () => {
    const { call, events } = chained(usedUp(700_000), 400);
    await call();
    expect(events.at(-1)).not.toHaveProperty('possibleAt');
  });

  test('is why a call ends that a person gives up while all rest', async () => {
    const controller = new RetryController();
    controller.subscribe(({ type }) => type === 'delayed' && controller.giveUp());
    const chain = chained(usedUp(90_000), usedUp(20_000), { controller });
    await chain.call();
    const possibleAt = chain.runtime.time + 20_000;
    const error = await thrownBy(chain.call());
    expect(error).toMatchObject({ name: 'GateRefusedError', because: 'given-up', possibleAt, status: 429 });
    const failure = { type: 'quota_exhausted', status: 429 };
    expect(chain.events.at(-1)).toMatchObject({ type: 'failed', because: 'given-up', possibleAt, failure });
    expect(askedIn(chain)).toEqual([1, 1]);
  });

  test('is asked before that if a person says so', async () => {
    const controller = new RetryController();
    controller.subscribe(({ type }) => type === 'delayed' && controller.retryNow());
    const chain = chained(limited(90_000), limited(20_000), { controller, maxRetries: 0 });
    await chain.call();
    const before = chain.runtime.time;
    await chain.call();
    expect([chain.runtime.time - before, askedIn(chain)[1]]).toEqual([0, 2]);
  });

  test.each<[string, Response]>([
    ['a request that is wrong', respondError(400, { message: 'Unknown field.' }, { 'retry-after': '3600' })],
    ['a prompt that is too long', respondError(413, { message: 'Too large.' }, { 'retry-after': '3600' })],
  ])('does not do so for %s', async (_title, refusal) => {
    const chain = chained(refusal, 200);
    await chain.call();
    await chain.call();
    expect(chain.leader.calls).toHaveLength(2);
  });

  test('rests for its credential and its origin alone', async () => {
    const chain = chained(usedUp(HOUR), 200);
    await chain.call();
    await chain.call({ ...POST, headers: { authorization: 'Bearer b' } });
    expect(askedIn(chain)).toEqual([2, 2]);
  });

  test('is free when the wall clock says so, after the machine slept', async () => {
    const runtime = fakeRuntime();
    let asleepMs = 0;
    const monotonic = (): number => runtime.time - asleepMs;
    const chain = chained(usedUp(HOUR), 200, { runtime: { ...runtime, now: () => runtime.time, monotonic } });
    await chain.call();
    asleepMs = HOUR;
    runtime.time += HOUR;
    await chain.call();
    expect(askedIn(chain)).toEqual([2, 2]);
  });

  test('is free when the monotonic clock says so, after the wall clock was set back', async () => {
    const runtime = fakeRuntime();
    let setBackMs = 0;
    const now = (): number => runtime.time - setBackMs;
    const chain = chained(usedUp(HOUR), 200, { runtime: { ...runtime, now, monotonic: () => runtime.time } });
    await chain.call();
    setBackMs = 9 * HOUR;
    runtime.time += HOUR;
    await chain.call();
    expect(askedIn(chain)).toEqual([2, 2]);
  });

  test('may be that of an operation', async () => {
    const runtime = fakeRuntime();
    const fallback = createFallback({ primary: 'leader', targets: [{ name: 'other', covers: ALL }] });
    const asked: string[] = [];
    const turn = (): Promise<string> =>
      withRetry(
        ({ target }) => {
          asked.push(target ?? 'leader');
          if (target !== undefined) return 'answer';
          throw Object.assign(new Error('Your quota is used up.'), {
            status: 429,
            headers: { 'retry-after': '3600' },
            error: { code: 'insufficient_quota' },
          });
        },
        { runtime, fallback },
      );
    expect([await turn(), await turn()]).toEqual(['answer', 'answer']);
    expect(asked).toEqual(['leader', 'other', 'other']);
  });
});

test.each<[string, RetryConfig]>([
  ['without a gate', {}],
  ['with a gate', { gate: createGate({ cooldown: false }) }],
])('when every key rests, the error has its type, its status and its time, %s', async (_title, config) => {
  const runtime = fakeRuntime();
  const inner = script(runtime, usedUp(HOUR));
  const call = createRetryFetch({
    fetch: inner,
    runtime,
    fallback: createKeyRotation({ keys: ['a', 'b'] }),
    ...config,
  });
  await call(URL_OF_TEST);
  const error = await thrownBy(call(URL_OF_TEST));
  expect(error).toMatchObject({ status: 429, possibleAt: runtime.time + HOUR, failure: { type: 'quota_exhausted' } });
  expect(classify({ error: new Error('Connection error.', { cause: error }) })).toMatchObject({
    type: 'quota_exhausted',
    status: 429,
  });
  expect(inner.calls).toHaveLength(2);
  await settle();
});
