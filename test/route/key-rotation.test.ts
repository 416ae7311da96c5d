import { describe, expect, test } from 'vitest';
import { createKeyRotation } from '../../src/http/key-rotation.ts';
import {
  createRetryFetch,
  type FallbackChain,
  type RetryConfig,
  RetryController,
  RetryTransport,
  outcomeOf,
  presets,
} from '../../src/index.ts';
import {
  fakeRuntime,
  heldRuntime,
  observed,
  respond,
  respondError,
  script,
  scriptTransport,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { chainOf } from '../../src/route/open-route.ts';
import type { NextTarget } from '../../src/route/route.ts';

/** The rotation with another choice of its keys. */
function choosing(
  rotation: FallbackChain,
  choose: (nowMs: number, usual: (nowMs: number) => NextTarget) => NextTarget,
): FallbackChain {
  const { keys } = chainOf(rotation);
  const usual = keys?.choose;
  Object.assign(Object(keys), { choose: (nowMs: number) => choose(nowMs, (at) => usual?.(at) ?? busyTarget) });
  return rotation;
}

const KEYS = ['first-key-000', 'second-key-00', 'third-key-000'] as const;

const keyIn = (init: RequestInit | undefined): string => new Headers(init?.headers).get('authorization') ?? '';
const bearer = (...indexes: readonly number[]): string[] => indexes.map((index) => `Bearer ${KEYS[index]}`);
const limited = (seconds: number): Response => respond(429, { 'retry-after': `${seconds}` });

function scripted(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const watched = observed({ jitter: 'none', runtime, fallback: createKeyRotation({ keys: KEYS }), ...config });
  const retrying = createRetryFetch({ fetch: inner, ...watched });
  const call = (init?: RequestInit): Promise<Response> => retrying(URL_OF_TEST, init);
  return { call, runtime, events: watched.events, keys: () => inner.calls.map(({ init }) => keyIn(init)), inner };
}

describe('a key', () => {
  test('replaces the key of the caller from the first attempt on', async () => {
    const { call, keys } = scripted({}, 200);
    await call({ headers: { Authorization: 'Bearer callers-own' } });
    expect(keys()).toEqual(bearer(0));
  });

  test('that is free makes a call possible at once that is given up before it is used', async () => {
    const controller = new RetryController();
    controller.subscribe(({ type }) => type === 'retry' && controller.giveUp());
    const { call, runtime, events } = scripted({ controller }, limited(30));
    await call();
    const possibleAt = runtime.time;
    expect(events).toMatchObject([
      { type: 'fallback' },
      { type: 'retry', because: 'fallback', nextAttemptAt: possibleAt },
      { type: 'failed', because: 'given-up', possibleAt },
    ]);
  });

  test.each([
    [{}, 'authorization', `Bearer ${KEYS[0]}`],
    [{ header: 'X-API-Key' }, 'x-api-key', KEYS[0]],
    [{ prefix: 'Token ' }, 'authorization', `Token ${KEYS[0]}`],
    [{ header: 'x-key', prefix: 'v1 ' }, 'x-key', `v1 ${KEYS[0]}`],
  ])('with %j goes into %s', async (options, header, value) => {
    const { call, inner } = scripted({ fallback: createKeyRotation({ keys: KEYS, ...options }) }, 200);
    await call();
    expect(new Headers(inner.calls[0]?.init?.headers).get(header)).toBe(value);
  });

  test('is used in turn', async () => {
    const { call, keys, runtime } = scripted({}, 200);
    for (let count = 0; count < 4; count += 1) {
      await call();
      runtime.time += 1;
    }
    expect(keys()).toEqual(bearer(0, 1, 2, 0));
  });

  test('that is free takes over at once, without a wait', async () => {
    const { call, keys, runtime, events } = scripted({}, limited(30), 200);
    expect((await call()).status).toBe(200);
    expect(keys()).toEqual(bearer(0, 1));
    expect(runtime.slept).toEqual([0]);
    expect(events).toMatchObject([
      { type: 'fallback', from: 'key 1', to: 'key 2', failure: { type: 'rate_limit' } },
      { type: 'retry', retry: 1, delayMs: 0, because: 'fallback' },
      { type: 'recovered', history: [{ target: 'key 1' }, { target: 'key 2', failure: null }] },
    ]);
  });

  test('that takes over leaves the call all of its retries, and the event says so', async () => {
    const { call, events } = scripted({ maxRetries: 3 }, limited(30), 200);
    await call();
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({ retry: 1, maxRetries: 4 });
  });

  test('costs no retry when it is used for the first time', async () => {
    const { call, keys } = scripted({ maxRetries: 0 }, limited(30), limited(20), 200);
    expect((await call()).status).toBe(200);
    expect(keys()).toEqual(bearer(0, 1, 2));
  });

  test('rests for every call that shares the rotation', async () => {
    const { call, keys } = scripted({}, limited(30), 200);
    await call();
    await call();
    await call();
    expect(keys()).toEqual(bearer(0, 1, 2, 1));
  });

  test('is used again when its limit renews', async () => {
    const { call, keys, runtime } = scripted({}, limited(30), 200);
    await call();
    runtime.time += 30_000;
    await call();
    await call();
    expect(keys()).toEqual(bearer(0, 1, 2, 0));
  });

  test.each([
    ['rate_limit', 429, 60_000],
    ['quota_exhausted', respondError(429, { code: 'insufficient_quota', message: 'x' }), 1_800_000],
    ['billing_error', 402, 1_800_000],
  ] as const)('that meets %s without a hint rests for a time of its own', async (type, step, restMs) => {
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 2), restMs: { [type]: undefined } });
    const { call, keys, runtime } = scripted({ fallback }, step, 200);
    await call();
    runtime.time += restMs - 1;
    await call();
    expect(keys()).toEqual(bearer(0, 1, 1));
    runtime.time += 1;
    await call();
    expect(keys()[3]).toBe(bearer(0)[0]);
  });

  test('is not marked for an overload, which is retried with it or another one', async () => {
    const { call, keys, runtime } = scripted({}, limited(30), 529, 200);
    expect((await call()).status).toBe(200);
    expect(runtime.slept).toEqual([0, 1_000]);
    expect(keys()).toEqual(bearer(0, 1, 2));
  });

  test('that is refused is never used again', async () => {
    const { call, keys, runtime } = scripted({}, 401, 200);
    expect((await call()).status).toBe(200);
    runtime.time += 1e12;
    for (let count = 0; count < 4; count += 1) await call();
    expect(keys()[0]).toBe(bearer(0)[0]);
    expect(keys().slice(1)).not.toContain(bearer(0)[0]);
  });

  test.each([
    [60_000, [1_000, 2_000, 4_000, 1_000]],
    [1_500, [1_000, 1_500, 1_500, 1_000]],
  ])(
    'that is refused right after a rest rests twice as long for all calls, at most %i ms, until it answers',
    async (longestMs, rests) => {
      const fallback = createKeyRotation({ keys: KEYS.slice(0, 1), restMs: { rate_limit: longestMs } });
      const steps = [limited(1), limited(1), limited(1), 200, limited(1), 200] as const;
      const { call, runtime } = scripted({ fallback, maxRetries: 0 }, ...steps);
      for (const step of steps) expect((await call()).status).toBe(step === 200 ? 200 : 429);
      expect(runtime.slept).toEqual(rests);
    },
  );

  test('that refuses a request that was sent before its rest does not rest longer for that', async () => {
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 1) });
    const late = Promise.withResolvers<Response>();
    const { call, runtime } = scripted({ fallback, maxRetries: 0 }, () => late.promise, limited(1), 200);
    const first = call();
    expect((await call()).status).toBe(429);
    runtime.time += 1_500;
    late.resolve(limited(1));
    expect((await first).status).toBe(429);
    expect((await call()).status).toBe(200);
    expect(runtime.slept).toEqual([1_000]);
  });

  test('may rest as long as the caller decides', async () => {
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 1), restMs: { overloaded: 5 } });
    const { call, runtime } = scripted({ fallback }, 529, 200);
    await call();
    expect(runtime.slept).toEqual([5]);
  });
});

describe('when all keys rest', () => {
  test('the call waits for the first one that is free, and reports that', async () => {
    const { call, keys, runtime, events } = scripted({}, limited(30), limited(20), limited(40), 200);
    expect((await call()).status).toBe(200);
    expect(runtime.slept).toEqual([0, 0, 20_000]);
    expect(keys()).toEqual(bearer(0, 1, 2, 1));
    expect(events.at(-2)).toMatchObject({ type: 'retry', retry: 3, delayMs: 20_000, because: 'cooldown' });
  });

  test('and do so after each wait, the call ends after its retries', async () => {
    const { call, runtime, events, inner } = scripted({ maxRetries: 2 }, limited(1));
    expect((await call()).status).toBe(429);
    expect(inner.calls).toHaveLength(3 + 2);
    expect(runtime.slept.filter((ms) => ms > 0)).toEqual([1_000, 2_000]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'retries-exhausted' });
  });

  test('for 0 ms each time, it ends too', async () => {
    const { call, inner } = scripted({ maxRetries: 2 }, limited(0));
    expect((await call()).status).toBe(429);
    expect(inner.calls).toHaveLength(3 + 2);
  });

  test.each([
    [0, 1, 6],
    [28, 1, 6],
    [28, 2, 7],
    [28, 3, 8],
    [1_000, 3, 8],
  ])(
    'and the server asks for %i ms during 10 s, a call with %i keys sends %i requests',
    async (hintMs, count, most) => {
      const runtime = fakeRuntime();
      const startedAtMs = runtime.time;
      const inner = script(runtime, () =>
        runtime.time - startedAtMs < 10_000 ? respond(429, { 'retry-after-ms': `${hintMs}` }) : respond(200),
      );
      const fallback = createKeyRotation({ keys: KEYS.slice(0, count) });
      const retrying = createRetryFetch({ ...presets.recommended, fetch: inner, runtime, jitter: 'none', fallback });
      expect((await retrying(URL_OF_TEST)).status).toBe(200);
      expect(inner.calls).toHaveLength(most);
      // The first rest is as long as the server has asked.
      expect(runtime.slept.slice(0, count + 1)).toEqual([...Array(count - 1).fill(0), hintMs, 1_000]);
    },
  );

  test('the call ends with the schedule of its waits', async () => {
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 1) });
    const backoff = [1_000];
    const { call, inner, events } = scripted({ fallback, backoff }, limited(1), limited(1), 200);
    expect((await call()).status).toBe(429);
    expect(inner.calls).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'retries-exhausted' });
  });

  test('a call without retries does not wait for one that another call has used', async () => {
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 2) });
    const { call, keys, runtime } = scripted({ maxRetries: 0, fallback }, limited(10), 200, limited(30), 200);
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(429);
    expect([keys(), runtime.slept]).toEqual([bearer(0, 1, 1), [0]]);
  });

  test('longer than the call may wait, the call ends and says when the first one is free', async () => {
    const { call, events, runtime } = scripted({}, limited(300), limited(200), limited(400));
    expect((await call()).status).toBe(429);
    expect(runtime.slept).toEqual([0, 0]);
    expect(events.at(-1)).toMatchObject({ because: 'retry-after-too-long', possibleAt: runtime.time + 200_000 });
  });

  test.each(['deadline', 'given-up'] as const)(
    'for longer than a hint to one of two calls in flight, that call says when the key is free (%s)',
    async (because) => {
      const runtime = heldRuntime();
      const controller = new RetryController();
      const answers: ((response: Response) => void)[] = [];
      const config = { runtime, fallback: createKeyRotation({ keys: [KEYS[0]] }), controller };
      const fetch = createRetryFetch({ fetch: () => new Promise((resolve) => void answers.push(resolve)), ...config });
      void fetch(URL_OF_TEST);
      const call = fetch.with({ maxElapsedMs: because === 'deadline' ? 5_000 : undefined })(URL_OF_TEST);
      await settle();
      answers[0]?.(limited(10));
      await settle();
      answers[1]?.(limited(1));
      await settle();
      controller.giveUp();
      expect(outcomeOf(await call)).toMatchObject({ because, possibleAt: runtime.time + 10_000 });
    },
  );

  test('a new call waits before its first attempt', async () => {
    const { call, runtime, keys } = scripted({ maxRetries: 0 }, limited(30), limited(20), limited(40), 200);
    await call();
    runtime.slept.length = 0;
    expect((await call()).status).toBe(200);
    expect(runtime.slept).toEqual([20_000]);
    expect(keys()[3]).toBe(bearer(1)[0]);
  });

  test.each([
    ['longer than a hint may be', {}, 200, 'retry-after-too-long'],
    ['longer than the time for waiting', { maxTotalDelayMs: 5_000 }, 20, 'sleep-budget-exhausted'],
    ['past the deadline', { maxElapsedMs: 5_000 }, 20, 'deadline'],
  ] as const)(
    'a new call that had to wait %s is refused at once, with the reason',
    async (_title, limits, seconds, because) => {
      const fallback = createKeyRotation({ keys: KEYS.slice(0, 1) });
      const { call, events, inner, runtime } = scripted({ maxRetries: 0, ...limits, fallback }, limited(seconds));
      await call();
      const error = await thrownBy(call());
      expect(error).toHaveProperty(
        'message',
        expect.stringMatching(/^Every target rests: key 1 is .* in (3m 20s|20s)\./),
      );
      expect(inner.calls).toHaveLength(1);
      const possibleAt = runtime.time + seconds * 1_000;
      expect(events.at(-1)).toMatchObject({ type: 'failed', attempts: 0, because, possibleAt });
    },
  );

  test('a new call that finds them in use after each wait does not wait forever', async () => {
    const rotation = createKeyRotation({ keys: KEYS.slice(0, 1) });
    const busy = choosing(rotation, (nowMs, choose) => ({ ...choose(nowMs), ...busyTarget }));
    const { call, runtime, events } = scripted({ fallback: busy, maxRetries: 2 }, 200);
    expect(await thrownBy(call())).toHaveProperty('message', expect.stringContaining('Every target rests'));
    expect(runtime.slept).toEqual([1_000, 1_000, 1_000]);
    expect(events.at(-1)).toMatchObject({ because: 'retries-exhausted', possibleAt: runtime.time + 1_000 });
  });

  test('a retry that finds all keys in use returns the last response, unread', async () => {
    const rotation = createKeyRotation({ keys: KEYS });
    let asked = 0;
    const fallback = choosing(rotation, (nowMs, choose) => {
      asked += 1;
      return asked === 1 ? choose(nowMs) : { ...busyTarget, waitMs: 3_600_000 };
    });
    const { call, runtime, events } = scripted({ fallback }, respondError(429, { type: 'rate_limit' }));
    const response = await call();
    expect([response.status, response.bodyUsed]).toEqual([429, false]);
    expect(await response.text()).toContain('rate_limit');
    const possibleAt = runtime.time + 3_600_000;
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'retry-after-too-long', possibleAt });
  });

  describe('a person who watches a retry wait for a free key', () => {
    const busy = (): FallbackChain => {
      const rotation = createKeyRotation({ keys: KEYS });
      let asked = 0;
      return choosing(rotation, (nowMs, choose) => {
        asked += 1;
        return asked === 2 ? { ...busyTarget, waitMs: 20_000 } : choose(nowMs);
      });
    };

    test.each([
      ['gives up', 'given-up', (controller: RetryController) => controller.giveUp()],
      ['switches retrying off', 'disabled', (controller: RetryController) => void (controller.enabled = false)],
    ])('gets the last response when they %s', async (_what, because, act) => {
      const runtime = heldRuntime();
      const controller = new RetryController();
      const inner = script(runtime, respondError(429, { type: 'rate_limit' }), 200);
      const watched = observed({ runtime, jitter: 'none', fallback: busy(), controller });
      const call = createRetryFetch({ fetch: inner, ...watched })(URL_OF_TEST);
      // The wait between the attempts, and then the rest of the keys.
      await runtime.untilWaiting();
      runtime.waits[0]?.end();
      await runtime.untilWaiting();
      expect(controller.nextAttemptAt).toBe(runtime.time + 20_000);
      controller.retryNow();
      await settle();
      expect(inner.calls).toHaveLength(1);
      act(controller);
      if (because === 'disabled') runtime.waits[0]?.end();
      const response = await call;
      expect([response.status, response.bodyUsed, inner.calls.length]).toEqual([429, false, 1]);
      expect(watched.events.at(-1)).toMatchObject({ type: 'failed', because });
      await controller.whenIdle();
    });
  });

  test('an abort ends the wait, before a first attempt and after one', async () => {
    for (const attempts of [0, 1]) {
      const runtime = heldRuntime();
      const inner = script(runtime, limited(30));
      const fallback = createKeyRotation({ keys: KEYS.slice(0, 1) });
      const watched = observed({ runtime, jitter: 'none', fallback });
      const retrying = createRetryFetch({ fetch: inner, ...watched });
      if (attempts === 0) await retrying.with({ maxRetries: 0 })(URL_OF_TEST);
      const abort = new AbortController();
      const waiting = runtime.untilWaiting();
      const call = thrownBy(retrying(URL_OF_TEST, { signal: abort.signal }));
      await waiting;
      const reason = new Error('enough');
      abort.abort(reason);
      expect(await call).toBe(reason);
      expect(inner.calls).toHaveLength(1);
      expect(watched.events.at(-1)).toMatchObject({ type: 'cancelled', attempts });
    }
  });

  test('a controller can give the wait up, but not end it early: no key is used before its time', async () => {
    const runtime = heldRuntime();
    const controller = new RetryController();
    const inner = script(runtime, limited(30), 200);
    const fallback = createKeyRotation({ keys: KEYS.slice(0, 1) });
    const waiting = runtime.untilWaiting();
    const call = createRetryFetch({ fetch: inner, runtime, controller, jitter: 'none', fallback })(URL_OF_TEST);
    await waiting;
    controller.retryNow();
    await settle();
    expect(inner.calls).toHaveLength(1);
    controller.giveUp();
    expect((await call).status).toBe(429);
  });

  test('a first attempt that is given up while it waits says which key it waited for', async () => {
    const runtime = heldRuntime();
    const controller = new RetryController();
    const config = { runtime, controller, maxRetries: 0, fallback: createKeyRotation({ keys: KEYS.slice(0, 1) }) };
    const call = createRetryFetch({ fetch: script(runtime, limited(30), 200), ...config });
    await call(URL_OF_TEST);
    const second = thrownBy(call(URL_OF_TEST));
    await runtime.untilWaiting();
    controller.giveUp();
    const error = await second;
    expect(error).toMatchObject({ name: 'GateRefusedError', because: 'given-up' });
    expect(error).toHaveProperty('message', expect.stringContaining('Not sent to key'));
  });
});

describe('when all keys are refused', () => {
  test('the call returns the refusal, and the next call gets a clear error', async () => {
    const { call, inner, events } = scripted({}, 401);
    expect((await call()).status).toBe(401);
    expect(inner.calls).toHaveLength(3);
    const words = 'No target is left: key 1 and all others were refused for good. Replace them.';
    const error = await thrownBy(call());
    expect(error).toMatchObject({ message: words, status: 401, failure: { type: 'auth_invalid' } });
    expect(error).not.toHaveProperty('possibleAt');
    expect(inner.calls).toHaveLength(3);
    const failed = { type: 'failed', attempts: 0, because: 'retries-exhausted', failure: { type: 'auth_invalid' } };
    expect(events.at(-1)).toMatchObject(failed);
    expect(events.at(-1)).not.toHaveProperty('possibleAt');
  });
});

describe('a body', () => {
  test('that is a stream is sent once as a whole, and never again', async () => {
    const body = (): ReadableStream => new Blob(['hello']).stream();
    const { call, inner, events } = scripted({}, limited(1));
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: body(), duplex: 'half' };
    expect((await call(init)).status).toBe(429);
    expect(inner.calls).toHaveLength(1);
    expect(await new Response(inner.calls[0]?.init?.body).text()).toBe('hello');
    expect(inner.calls[0]?.init).toHaveProperty('duplex', 'half');
    expect(events).toMatchObject([{ because: 'body-not-replayable' }]);
  });

  test('is sent unchanged with each key', async () => {
    const transport = scriptTransport(429, 200);
    const body = { model: 'opus' };
    const config = { fallback: createKeyRotation({ keys: KEYS }), runtime: fakeRuntime() };
    await new RetryTransport(transport, config).post(URL_OF_TEST, body, { 'X-Trace': '1' });
    expect(transport.calls.map(([url, sent, headers]) => [url, sent === body, headers])).toEqual([
      [URL_OF_TEST, true, { 'x-trace': '1', authorization: bearer(0)[0] }],
      [URL_OF_TEST, true, { 'x-trace': '1', authorization: bearer(1)[0] }],
    ]);
    const reading = scriptTransport(200);
    await new RetryTransport(reading, config).get(URL_OF_TEST);
    expect(reading.calls).toEqual([[URL_OF_TEST, { authorization: bearer(2)[0] }, undefined]]);
  });
});

test('keys are never in events, errors or the history, even if the server repeats them', async () => {
  const echo: Step = (_input, init) =>
    respondError(401, { message: `Incorrect API key provided: ${keyIn(init)}.`, code: keyIn(init).slice(7) });
  const errors: Error[] = [];
  const { call, events } = scripted({ onRetry: (_attempt, error) => void errors.push(error) }, echo);
  const told = [
    events,
    outcomeOf(await call())?.history ?? [],
    errors,
    errors.map(({ message, stack }) => [message, stack]),
  ];
  expect(JSON.stringify(told)).toContain('Incorrect API key provided');
  for (const key of KEYS) expect(JSON.stringify(told)).not.toContain(key);
});

test('a key is used in the same turn of the event loop in which it was chosen, so that no other call can mark it in between', async () => {
  const rotation = createKeyRotation({ keys: KEYS });
  let isFresh = false;
  const fallback = choosing(rotation, (nowMs, choose) => {
    isFresh = true;
    queueMicrotask(() => (isFresh = false));
    return choose(nowMs);
  });
  const fresh: boolean[] = [];
  const answer: Step = () => {
    fresh.push(isFresh);
    return respond(fresh.length % 2 === 0 ? 200 : 429);
  };
  const config = { fallback, runtime: fakeRuntime() };
  await createRetryFetch({ fetch: script(fakeRuntime(), answer), ...config })(URL_OF_TEST, {
    method: 'POST',
    body: '{}',
  });
  await new RetryTransport(scriptTransport(answer), config).post(URL_OF_TEST, {});
  await new RetryTransport(scriptTransport(answer), config).get(URL_OF_TEST);
  expect(fresh).toEqual([true, true, true, true, true, true]);
});

describe('invalid keys', () => {
  test.each([
    [{ keys: [] }, /`keys` to be a list of at least one key/],
    [{ keys: ['a', ''] }, /`keys`/],
    [{ keys: [7] }, /`keys`/],
    [{ keys: ['a'], restMs: { rate_limit: -1 } }, /`restMs.rate_limit`/],
    [undefined, /`options` to be an object such as/],
    [{ keys: undefined }, /^Expected `keys` to be a list of at least one key\.$/],
    [{ keys: 'a' }, /^Expected `keys` to be a list of at least one key\.$/],
    [{ keys: ['a'], heder: 'x-api-key' }, /Unknown option `heder`. Did you mean `header`/],
    [{ keys: ['a'], header: 5 }, /`header` to be a header name such as .+, got 5/],
    [{ keys: ['a'], header: 'x api key' }, /`header` to be a header name such as/],
    [{ keys: ['a'], prefix: 5 }, /`prefix` to be a text, got 5/],
    [{ keys: ['a'], restMs: 5 }, /`restMs` to be an object such as/],
    [{ keys: ['a'], restMs: { ratelimit: 5 } }, /the keys of `restMs` to be failure types, got "ratelimit"/],
  ])('such as %j are refused', (options, message) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => createKeyRotation(options)).toThrow(message);
  });
});

const never = (): Promise<never> => new Promise(() => {});
const busyTarget = {
  waitMs: 1_000,
  target: { name: 'busy', requestFor: <T>(request: T): T => request, sendFetch: never },
};

test('a call whose limits are those of strategies ends, also where it goes round its keys', async () => {
  const runtime = fakeRuntime();
  let sent = 0;
  const inner = async (): Promise<Response> => {
    sent += 1;
    if (sent > 20) throw new TypeError('a call without an end');
    return respond(429);
  };
  const fallback = createKeyRotation({ keys: ['first-key-000', 'second-key-00'] });
  const strategies = { rate_limit: { maxRetries: 2 } };
  const response = await createRetryFetch({ fetch: inner, runtime, fallback, strategies })(URL_OF_TEST);
  expect([response.status, sent <= 8]).toEqual([429, true]);
});
