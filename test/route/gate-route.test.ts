import { fc } from '@fast-check/vitest';
import { describe, expect, test, vi } from 'vitest';
import { createFallback } from '../../src/http/create-fallback.ts';
import { createKeyRotation } from '../../src/http/key-rotation.ts';
import {
  createRetryFetch,
  type FailureType,
  type Gate,
  type GateRequest,
  RetryController,
  type RetryConfig,
  type RetryEvent,
} from '../../src/index.ts';
import type { GateAnswer, GateOutcome, GateRetry } from '../../src/gate/gate.ts';
import { decisionsOf, fakeRuntime, heldRuntime, respond, respondError, script, type Step } from '../script.ts';
import { paces } from '../scripted-gate.ts';
import type { OpenSession } from '../../src/gate/open-gate.ts';
import { withSessions } from '../../src/route/open-route.ts';

const PRIMARY = 'https://primary.example/v1';
const BACKUP = 'https://backup.example/v1';
const LAST = 'https://last.example/v1';
const POST: RequestInit = { method: 'POST', body: '{}' };

/** The answers of a gate for one host: fixed, or computed at each call. */
type Script =
  | GateAnswer
  | { readonly once: GateAnswer }
  | ((question: 'estimate' | 'take', nowMs: number) => GateAnswer);

/** Says so once, and is open from then on. */
const once = (answer: GateAnswer): Script => ({ once: answer });

/** A gate that answers by host, or by key if `keyOf` is given; other hosts are open. */
function gateBy(answers: Readonly<Record<string, Script>>, keyOf = ({ url }: GateRequest) => new URL(url).host) {
  const heard: string[] = [];
  const asked = new Set<string>();
  const told: { readonly retries: (GateRetry | null)[]; readonly outcomes: GateOutcome[] } = {
    retries: [],
    outcomes: [],
  };
  const session: OpenSession = (request) => {
    const key = keyOf(request);
    const answer = (question: 'estimate' | 'take', nowMs: number): GateAnswer => {
      heard.push(`${key} ${question}`);
      const scripted = answers[key] ?? { go: true };
      if (typeof scripted === 'function') return scripted(question, nowMs);
      if (!('once' in scripted)) return scripted;
      const isFirst = !asked.has(key);
      asked.add(key);
      return isFirst ? scripted.once : { go: true };
    };
    return {
      key,
      estimate: (nowMs, retry) => {
        told.retries.push(retry);
        return answer('estimate', nowMs);
      },
      take: (nowMs, retry) => {
        told.retries.push(retry);
        return answer('take', nowMs);
      },
      takeAnyway: () => void heard.push(`${key} takeAnyway`),
      within: (send) => send(),
      report: (_nowMs, outcome) => {
        told.outcomes.push(outcome);
        heard.push(`${key} ${outcome.type}`);
      },
      leave: () => void heard.push(`${key} leave`),
    };
  };
  const gate: Gate = withSessions({ keyOf, waiting: 0, readings: () => [] }, session);
  return { gate, heard, told };
}

const holds = (holdMs: number, heldBy: FailureType | null = 'rate_limit', waitMs = holdMs): GateAnswer => ({
  go: false,
  refused: null,
  waitMs,
  holdMs,
  because: 'cooldown',
  heldBy,
});
const opened = (waitMs: number): GateAnswer => ({ go: false, refused: 'circuit-open', waitMs });

const ALL: readonly FailureType[] = ['rate_limit', 'overloaded', 'server_error', 'provider_unavailable', 'timeout'];
const chain = (covers: readonly FailureType[] = ALL): RetryConfig['fallback'] =>
  createFallback({
    targets: [
      { name: 'backup', url: BACKUP, covers },
      { name: 'last', url: LAST, covers },
    ],
  });

async function called(answers: Readonly<Record<string, Script>>, config: RetryConfig, ...steps: readonly Step[]) {
  const runtime = fakeRuntime();
  const startedAt = runtime.time;
  const events: RetryEvent[] = [];
  const { gate, heard, told } = gateBy(answers);
  const inner = script(runtime, ...(steps as [Step, ...Step[]]));
  const call = createRetryFetch({
    fetch: inner,
    jitter: 'none',
    runtime,
    gate,
    fallback: chain(),
    onEvent: (event) => void events.push(event),
    ...config,
  })(PRIMARY, POST);
  const outcome = await call.then(
    (response) => ({ response, error: undefined }),
    (error: unknown) => ({ response: undefined, error }),
  );
  const hosts = inner.calls.map(({ input }) => new URL(String(input)).hostname.split('.')[0]);
  const keys = inner.calls.map(({ init }) => new Headers(init?.headers).get('authorization'));
  return { ...outcome, hosts, keys, heard, told, events, slept: runtime.slept, startedAt };
}

test('a `fallback` event comes from the target that was asked last, not from one that was passed over before it was', async () => {
  const { events, hosts } = await called(
    { 'backup.example': (question) => (question === 'estimate' ? { go: true } : holds(60_000)) },
    { maxRetries: 0 },
    503,
    200,
  );
  expect(hosts).toEqual(['primary', 'last']);
  expect(events.filter(({ type }) => type === 'fallback')).toMatchObject([
    { from: 'primary', to: 'backup' },
    { from: 'primary', to: 'last' },
  ]);
});

describe('a first attempt goes to the first target of the chain whose gate lets it through:', () => {
  test.each<[string, Readonly<Record<string, Script>>, readonly string[], readonly number[]]>([
    ['the caller’s own', {}, ['primary'], []],
    ['the caller’s own, which is only paced', { 'primary.example': once(paces(400)) }, ['primary'], [400]],
    ['the next, where a hold is on the first', { 'primary.example': holds(5_000) }, ['backup'], []],
    [
      'the next, where the first is held by an overload',
      { 'primary.example': holds(5_000, 'overloaded') },
      ['backup'],
      [],
    ],
    ['the next, where nothing tells what began the hold', { 'primary.example': holds(5_000, null) }, ['backup'], []],
    ['the next, where the circuit of the first is open', { 'primary.example': opened(5_000) }, ['backup'], []],
    [
      'the last, where a hold is on the first and the circuit of the second is open',
      { 'primary.example': holds(5_000), 'backup.example': opened(0) },
      ['last'],
      [],
    ],
    [
      'a paced one before a free one',
      { 'primary.example': holds(5_000), 'backup.example': once(paces(300)) },
      ['backup'],
      [300],
    ],
    [
      'the one that is free first, where all are held',
      {
        'primary.example': once(holds(5_000)),
        'backup.example': once(holds(2_000)),
        'last.example': once(holds(3_000)),
      },
      ['backup'],
      [2_000],
    ],
    [
      'the caller’s own, where it is free first',
      { 'primary.example': once(holds(1_000)), 'backup.example': once(holds(2_000)), 'last.example': opened(0) },
      ['primary'],
      [1_000],
    ],
  ])('it is %s', async (_which, answers, hosts, slept) => {
    const result = await called(answers, {}, 200);
    expect([result.response?.status, result.hosts, result.slept]).toEqual([200, hosts, slept]);
  });

  test('and the event has the failure that caused the hold', async () => {
    const { events } = await called({ 'primary.example': holds(5_000, 'overloaded') }, {}, 200);
    expect(events.find(({ type }) => type === 'fallback')).toMatchObject({
      from: 'primary',
      to: 'backup',
      failure: { type: 'overloaded', retryable: true, category: 'retryable', phase: 'connect' },
    });
  });

  test.each([
    ['whose circuit is open', opened(5_000)],
    ['where nothing tells what began the hold', holds(5_000, null)],
  ])('and the event has an unavailable provider %s', async (_which, answer) => {
    const { events } = await called({ 'primary.example': answer }, {}, 200);
    expect(events.find(({ type }) => type === 'fallback')).toMatchObject({
      failure: { type: 'provider_unavailable', message: expect.stringContaining('primary') },
    });
  });

  test('but a target that does not cover the failure of the hold is not used', async () => {
    const config = { fallback: chain(['overloaded']) };
    const result = await called({ 'primary.example': once(holds(5_000, 'rate_limit')) }, config, 200);
    expect([result.hosts, result.slept]).toEqual([['primary'], [5_000]]);
  });

  test('and places in the queues of the others are given back', async () => {
    const { heard } = await called(
      { 'primary.example': holds(5_000), 'backup.example': holds(5_000), 'last.example': { go: true } },
      {},
      200,
    );
    const leavesOf = (key: string): number => heard.filter((said) => said === `${key} leave`).length;
    expect([leavesOf('primary.example') > 0, leavesOf('backup.example') > 0]).toEqual([true, true]);
    expect(heard.indexOf('last.example success')).toBeLessThan(heard.indexOf('last.example leave'));
  });

  test('and is refused if every circuit is open, with the first moment that one may close', async () => {
    const answers = { 'primary.example': opened(5_000), 'backup.example': opened(2_000), 'last.example': opened(0) };
    const { error, hosts, events, startedAt } = await called(answers, {}, 200);
    expect(error).toMatchObject({ name: 'GateRefusedError', because: 'circuit-open', possibleAt: startedAt + 2_000 });
    expect([hosts, events.at(-1)]).toMatchObject([[], { type: 'failed', because: 'circuit-open' }]);
  });

  test('and is refused without a moment if there is none', async () => {
    const { error, events } = await called({ 'primary.example': opened(0) }, { fallback: undefined }, 200);
    expect(error).toMatchObject({ name: 'GateRefusedError', because: 'circuit-open' });
    expect(events.at(-1)).not.toHaveProperty('possibleAt');
  });
});

describe('a retry behind a gate', () => {
  const busy = respondError(503, { type: 'overloaded_error', message: 'Overloaded' });

  test.each<[string, Script, number, string]>([
    ['waits for the backoff where the gate is open', { go: true }, 1_000, 'backoff'],
    ['waits for the backoff where the gate would let it through before', onEstimate(paces(400)), 1_000, 'backoff'],
    ['waits for the backoff where the gate says the same moment', onEstimate(paces(1_000)), 1_000, 'backoff'],
    ['waits for the gate where that is later', onEstimate(paces(1_700)), 1_700, 'pace'],
    ['waits for the hold where that is later', onEstimate(holds(1_700)), 1_700, 'cooldown'],
  ])('has one wait: it %s', async (_what, answer, delayMs, because) => {
    const { events, slept, hosts, startedAt } = await called(
      { 'primary.example': answer },
      { fallback: undefined },
      busy,
      200,
    );
    expect([hosts, slept]).toEqual([['primary', 'primary'], [delayMs]]);
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({
      delayMs,
      because,
      nextAttemptAt: startedAt + delayMs,
    });
  });

  test('uses the next target if its own is held, and waits for neither', async () => {
    const { hosts, slept, events } = await called({ 'primary.example': onEstimate(holds(9_000)) }, {}, busy, 200);
    expect([hosts, slept.reduce((sum, ms) => sum + ms, 0)]).toEqual([['primary', 'backup'], 0]);
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({ because: 'fallback', delayMs: 0 });
    expect(events.find(({ type }) => type === 'fallback')).toMatchObject({ from: 'primary', to: 'backup' });
  });

  test.each<[string, RetryConfig, string]>([
    ['maxRetryAfterMs, by the hold alone', { maxRetryAfterMs: 6_999 }, 'retry-after-too-long'],
    ['maxTotalDelayMs', { maxTotalDelayMs: 6_999 }, 'sleep-budget-exhausted'],
    ['maxElapsedMs', { maxElapsedMs: 6_999 }, 'deadline'],
  ])('is given up if the gate holds it beyond %s, and says until when', async (_limit, config, because) => {
    const { response, events, startedAt, heard } = await called(
      { 'primary.example': onEstimate(holds(7_000)) },
      { fallback: undefined, ...config },
      busy,
    );
    expect([response?.status, events.at(-1)]).toMatchObject([
      503,
      { type: 'failed', because, possibleAt: startedAt + 7_000 },
    ]);
    expect(heard.at(-1)).toBe('primary.example leave');
  });

  test.each([[{ maxRetryAfterMs: 7_000 }], [{ maxTotalDelayMs: 7_000 }], [{ maxElapsedMs: 7_000 }]])(
    'is made where the gate holds it just as long as %j',
    async (config) => {
      const { hosts } = await called(
        { 'primary.example': onEstimate(holds(7_000)) },
        { fallback: undefined, ...config },
        busy,
        200,
      );
      expect(hosts).toHaveLength(2);
    },
  );

  test('waits for a pace longer than maxRetryAfterMs, which limits only hints', async () => {
    const { slept } = await called(
      { 'primary.example': onEstimate(paces(7_000)) },
      { fallback: undefined, maxRetryAfterMs: 1_000 },
      busy,
      200,
    );
    expect(slept).toEqual([7_000]);
  });

  test('that the gate refuses is given up, and its place given back before the call ends', async () => {
    const { response, events, heard } = await called(
      { 'primary.example': onEstimate({ go: false, refused: 'retry-budget-empty', waitMs: 0 }) },
      { fallback: undefined },
      busy,
    );
    expect([response?.status, events.at(-1)]).toMatchObject([503, { because: 'retry-budget-empty' }]);
    expect(events.at(-1)).not.toHaveProperty('possibleAt');
    expect(heard.at(-1)).toBe('primary.example leave');
  });

  test('that every gate holds for too long ends with the moment of the one that is free first', async () => {
    const answers = {
      'primary.example': onEstimate(holds(9_000)),
      'backup.example': onEstimate(holds(7_000)),
      'last.example': onEstimate(holds(8_000)),
    };
    const { events, startedAt } = await called(answers, { maxRetryAfterMs: 5_000 }, busy);
    expect(events.at(-1)).toMatchObject({ because: 'retry-after-too-long', possibleAt: startedAt + 7_000 });
  });

  test('gives its place at another target back that refuses it', async () => {
    const refuses: Script = (question) =>
      question === 'take' ? { go: false, refused: 'retry-budget-empty', waitMs: 500 } : { go: true };
    const { response, events, heard } = await called(
      { 'primary.example': onEstimate(holds(9_000)), 'backup.example': refuses, 'last.example': refuses },
      {},
      busy,
    );
    expect([response?.status, events.at(-1)]).toMatchObject([503, { because: 'retry-budget-empty' }]);
    expect(heard).toContain('backup.example leave');
  });

  const hinted = respondError(429, { type: 'rate_limit_error' }, { 'retry-after': '90' });
  test.each<[string, RetryConfig, number | undefined]>([
    ["whole under 'obey'", { retryAfter: 'obey', maxRetryAfterMs: 90_000 }, 90_000],
    ["no longer than maxDelayMs under 'clamp'", { retryAfter: 'clamp', maxDelayMs: 20_000 }, 20_000],
    ["whole under 'clamp' where it is shorter than maxDelayMs", { retryAfter: 'clamp', maxDelayMs: 100_000 }, 90_000],
    ["not at all under 'ignore'", { retryAfter: 'ignore' }, undefined],
  ])('passes the hint %s to the gate', async (_how, config, retryAfterMs) => {
    const { told } = await called({}, { fallback: undefined, ...config }, hinted, 200);
    const [failed] = told.outcomes;
    expect(failed?.type === 'failure' && failed.failure).toMatchObject({ type: 'rate_limit', status: 429 });
    expect(failed?.type === 'failure' && failed.failure.retryAfterMs).toBe(retryAfterMs);
    expect(told.retries.at(-1)?.failure.retryAfterMs).toBe(retryAfterMs);
  });

  test("tells the gate of no hint under 'clamp' where the server gave none", async () => {
    const { told } = await called({}, { fallback: undefined, retryAfter: 'clamp' }, busy, 200);
    expect(told.outcomes[0]).toMatchObject({ type: 'failure', failure: { type: 'overloaded' } });
    expect(JSON.stringify(told)).not.toContain('retryAfterMs');
  });

  test('passes the failure and its planned moment to the gate; a first attempt passes neither', async () => {
    const { told, startedAt } = await called({}, { fallback: undefined }, busy, 200);
    const retry = { failure: { type: 'overloaded' }, atMs: startedAt + 1_000 };
    expect(told.retries).toMatchObject([null, retry, retry]);
  });

  test('reports the headers of a failure and of a success', async () => {
    const config = { fallback: undefined, maxRetryAfterMs: 90_000 };
    const { told } = await called({}, config, hinted, respond(200, { 'x-left': '7' }));
    expect(told.outcomes.map((outcome) => ('headers' in outcome ? outcome.headers : null))).toMatchObject([
      expect.any(Headers),
      expect.any(Headers),
    ]);
  });

  test('does not report an abort by another signal as a failure of the server', async () => {
    const aborted = new DOMException('gone', 'AbortError');
    const { error, heard } = await called({}, {}, aborted);
    expect([error, heard.includes('primary.example cancelled')]).toEqual([aborted, true]);
    expect(heard).not.toContain('primary.example failure');
  });

  test('reports responses that are not objects, and errors too', async () => {
    const { heard } = await called({}, { fallback: undefined }, new TypeError('fetch failed'), 200);
    expect(heard.filter((said) => /failure|success/.test(said))).toEqual([
      'primary.example failure',
      'primary.example success',
    ]);
  });
});

/** Says so when a retry is planned, and is open when it is sent. */
function onEstimate(answer: GateAnswer): Script {
  return (question) => (question === 'estimate' ? answer : { go: true });
}

describe('a rotation of keys behind a gate', () => {
  const byKey = ({ headers }: GateRequest): string => new Headers(headers).get('authorization')?.slice(7) ?? 'none';

  async function rotated(answers: Readonly<Record<string, Script>>, ...steps: readonly Step[]) {
    const runtime = fakeRuntime();
    const { gate, heard } = gateBy(answers, byKey);
    const inner = script(runtime, ...(steps as [Step, ...Step[]]));
    const fallback = createKeyRotation({ keys: ['key-one', 'key-two', 'key-three'] });
    const call = createRetryFetch({ fetch: inner, runtime, gate, fallback, jitter: 'none' })(PRIMARY, POST);
    const outcome = await call.then(
      ({ status }): unknown => status,
      (error: unknown) => error,
    );
    const keys = inner.calls.map(({ init }) => byKey({ url: PRIMARY, headers: init?.headers }));
    return { outcome, keys, slept: runtime.slept, heard, startedAt: runtime.time };
  }

  test.each<[string, Readonly<Record<string, Script>>, readonly string[], readonly number[]]>([
    ['uses the first key whose gate is open', { 'key-one': holds(3_000) }, ['key-two'], []],
    ['passes over every key that is held', { 'key-one': holds(3_000), 'key-two': opened(0) }, ['key-three'], []],
    [
      'waits for the key that is free first',
      { 'key-one': once(holds(3_000)), 'key-two': once(holds(1_000)), 'key-three': once(holds(2_000)) },
      ['key-two'],
      [1_000],
    ],
  ])('sends by the first that is free: it %s', async (_what, answers, keys, slept) => {
    const result = await rotated(answers, 200);
    expect([result.outcome, result.slept]).toEqual([200, slept]);
    expect(result.keys.length).toBe(1);
    if (slept.length === 0) expect(result.keys).toEqual(keys);
  });

  test('does not use the gate of keys that rest, and waits for the first of them', async () => {
    const limited = (seconds: number) => (): Response => respond(429, { 'retry-after': `${seconds}` });
    const { outcome, keys, slept, heard } = await rotated({}, limited(30), limited(10), limited(20), 200);
    expect([outcome, keys]).toEqual([200, ['key-one', 'key-two', 'key-three', 'key-two']]);
    expect(heard.filter((said) => said === 'key-one take' || said === 'key-one estimate').length).toBeLessThanOrEqual(
      2,
    );
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
    expect(heard.filter((said) => said.endsWith(' take'))).toEqual(keys.map((key) => `${key} take`));
  });

  test('waits for a key that rests where the others are held for longer', async () => {
    const { outcome, keys, slept } = await rotated(
      { 'key-two': holds(20_000), 'key-three': holds(30_000) },
      respond(429, { 'retry-after': '5' }),
      200,
    );
    expect([outcome, keys]).toEqual([200, ['key-one', 'key-one']]);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(5_000);
  });

  test('refuses a first attempt if every circuit is open', async () => {
    const { outcome, keys } = await rotated(
      { 'key-one': opened(0), 'key-two': opened(0), 'key-three': opened(0) },
      200,
    );
    expect([outcome, keys]).toMatchObject([{ name: 'GateRefusedError', because: 'circuit-open' }, []]);
  });
});

describe('an open gate changes nothing of', () => {
  const outcomes: readonly Step[] = [
    200,
    503,
    529,
    () => respond(429, { 'retry-after': '3' }),
    () => respond(429, { 'retry-after': '300' }),
    400,
    401,
    new TypeError('fetch failed'),
  ];
  const kinds = ['none', 'chain', 'rotation'] as const;

  test('attempts, targets, waits and decisions, with a chain, a rotation and neither', async () => {
    const steps = fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 10 });
    const sameWithout = fc.asyncProperty(
      fc.constantFrom(...kinds),
      steps,
      fc.nat(4),
      async (kind, drawn, maxRetries) => {
        const run = async (gate: Gate | undefined): Promise<unknown> => {
          const fallback =
            kind === 'none'
              ? undefined
              : kind === 'chain'
                ? chain([...ALL, 'connection_error'])
                : createKeyRotation({ keys: ['key-one', 'key-two', 'key-three'], restMs: { rate_limit: 2_000 } });
          const { events, slept, hosts, keys, response, error } = await called(
            {},
            { gate, fallback, maxRetries, callId: 'r' },
            // With a gate, a hint holds the target that sent it, so another target is used at once.
            ...drawn.map((step) => (kind === 'chain' && typeof step === 'function' ? 503 : step)),
          );
          const decided = decisionsOf(events);
          return { decided, slept: slept.filter((ms) => ms > 0), hosts, keys, status: response?.status, error };
        };
        expect(await run(gateBy({}).gate)).toEqual(await run(undefined));
      },
    );
    await fc.assert(sameWithout, { numRuns: 150 });
  });
});

describe('a wait behind a gate', () => {
  test('that is over counts as waited, even if the clock stands still', async () => {
    const asked: number[] = [];
    const { gate } = gateBy({
      'primary.example': (question, nowMs) => {
        if (question === 'take') asked.push(nowMs);
        return { go: true };
      },
    });
    const runtime = { ...fakeRuntime(), sleep: async () => {} };
    const startedAt = runtime.now();
    await createRetryFetch({ fetch: script(runtime, 503, 503, 200), runtime, gate, jitter: 'none' })(PRIMARY);
    expect(asked.map((at) => at - startedAt)).toEqual([0, 1_000, 3_000]);
  });

  test('that "retry now" has ended counts with its real length', async () => {
    const asked: number[] = [];
    const { gate } = gateBy({
      'primary.example': (_question, nowMs) => {
        asked.push(nowMs);
        return { go: true };
      },
    });
    const runtime = heldRuntime();
    const startedAt = runtime.now();
    const controller = new RetryController();
    const inner = script(runtime, 503, 503, 200);
    const call = createRetryFetch({ fetch: inner, runtime, gate, controller, jitter: 'none' })(PRIMARY);
    await runtime.untilWaiting();
    controller.retryNow();
    await runtime.untilWaiting();
    expect(asked.map((at) => at - startedAt)).toEqual([0, 0, 0]);
    controller.retryNow();
    expect((await call).status).toBe(200);
  });

  test('rolls back once for each retry, even if the gate moves it several times', async () => {
    const rollback = vi.fn<() => void>();
    let takes = 0;
    const moving: Script = (question) => (question === 'take' && ++takes > 1 && takes < 4 ? paces(100) : { go: true });
    const config = { fallback: undefined, operation: { is: 'file_write', rollback } } as const;
    const { hosts, slept } = await called({ 'primary.example': moving }, config, 503, 200);
    expect([hosts.length, slept, rollback.mock.calls.length]).toEqual([2, [1_000, 100, 100], 1]);
  });

  test('of a first attempt ends in it, even if the controller was switched off: it is not a retry', async () => {
    const runtime = heldRuntime();
    const controller = new RetryController();
    const { gate } = gateBy({ 'primary.example': once(holds(3_000)) });
    const inner = script(runtime, 200);
    const call = createRetryFetch({ fetch: inner, runtime, gate, controller })(PRIMARY);
    await runtime.untilWaiting();
    controller.enabled = false;
    runtime.waits[0]?.end();
    expect([(await call).status, inner.calls.length]).toEqual([200, 1]);
  });

  test('ends at the target that is named first, if several are free at the same moment', async () => {
    const held = once(holds(2_000));
    const answers = { 'primary.example': held, 'backup.example': held, 'last.example': held };
    expect((await called(answers, {}, 200)).hosts).toEqual(['primary']);
  });

  test('ends at a target that covers the last failure, not that of the hold', async () => {
    const config = { fallback: chain(['server_error']) };
    const held = onEstimate(holds(9_000, 'rate_limit'));
    expect((await called({ 'primary.example': held }, config, 500, 200)).hosts).toEqual(['primary', 'backup']);
  });

  test('keeps its place until the end of the call if the target stays the same', async () => {
    const { heard } = await called({}, { fallback: undefined }, 503, 503, 200);
    expect(heard.indexOf('primary.example leave')).toBe(heard.length - 1);
  });
});

test('"retry now" takes the turn whatever the gate says', async () => {
  const runtime = heldRuntime();
  const controller = new RetryController();
  const { gate, heard } = gateBy({ 'primary.example': onEstimate(holds(30_000)) });
  const inner = script(runtime, 503, 200);
  const call = createRetryFetch({ fetch: inner, runtime, gate, controller })(PRIMARY, POST);
  await runtime.untilWaiting();
  controller.retryNow();
  expect((await call).status).toBe(200);
  const answered = heard.slice(heard.indexOf('primary.example failure') + 1);
  expect(answered).toContain('primary.example takeAnyway');
  expect(answered).not.toContain('primary.example take');
});
