import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  type AttemptRecord,
  classify,
  createFallback,
  createRetryFetch,
  describeEvent,
  type Failure,
  type RetryConfig,
  type RetryEvent,
} from '../../src/index.ts';
import { anyCharacter } from '../any-character.ts';
import { retryEvent } from '../sample-events.ts';
import { fakeRuntime, respond, respondError, script, type Step, thrownBy, URL_OF_TEST } from '../script.ts';

const BASE = { callId: '1', method: 'POST', url: URL_OF_TEST, at: 1_000 } as const;

function failureOf(status: number, body: string, more: Partial<Failure> = {}): Failure {
  const failure = classify({ status, body });
  if (failure === null) throw new TypeError(`A ${status} is no failure.`);
  return { ...failure, ...more };
}

const OVERLOADED = failureOf(529, '{"error":{"type":"overloaded_error","message":"Overloaded"}}');
const RETRY = retryEvent(1, { at: 1_000, delayMs: 5_000, failure: OVERLOADED });

function attempt(number: number, failure: Failure | null, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return { attempt: number, startedAt: 0, durationMs: 9, failure, delayMs: null, because: null, ...more };
}

/** The sentences of a call that meets these steps. */
async function saidOf(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Promise<readonly string[]> {
  const runtime = fakeRuntime();
  const said: string[] = [];
  const options = { runtime, jitter: 'none', ...config } as const;
  const onEvent = (event: RetryEvent): void => void said.push(describeEvent(event));
  await createRetryFetch({ fetch: script(runtime, ...steps), ...options, onEvent })(URL_OF_TEST).catch(() => {});
  return said;
}

describe('the events of a call are one sentence each', () => {
  test('of a call that is answered after retries', async () => {
    expect(await saidOf({}, 529, respond(429, { 'retry-after': '20' }), 200)).toEqual([
      'overloaded (HTTP 529): retry 1 of 3 in 1s',
      'retry 1 is sent',
      'rate limit (HTTP 429): retry 2 of 3 in 20s, as the server asked',
      'retry 2 is sent',
      'succeeded after 3 attempts in 21s (overloaded, rate limit, waited 21s)',
    ]);
  });

  test('of a call that is given up, with the reason and the moment that the server named', async () => {
    expect(await saidOf({}, respond(429, { 'retry-after': '600' }))).toEqual([
      'rate limit (HTTP 429): failed after 1 attempt in 0s, the server asks for a longer wait than is allowed, possible again in 10m',
    ]);
    expect((await saidOf({ maxRetries: 2 }, 503, 503, 503)).at(-1)).toBe(
      'overloaded (HTTP 503): failed after 3 attempts in 3s (3 × overloaded, waited 3s), no retries are left',
    );
  });

  test('of a call that moves to another target', async () => {
    const targets = [{ name: 'haiku', model: 'haiku' }];
    const fallback = createFallback({ targets, primary: 'sonnet', maxRetriesBeforeFallback: 0 });
    expect(await saidOf({ fallback }, 529, 200)).toEqual([
      'overloaded (HTTP 529): falls back from sonnet to haiku',
      expect.stringMatching(/^overloaded \(HTTP 529\): retry 1 of \d+ now, at another target$/),
      'retry 1 is sent to haiku',
      'succeeded after 2 attempts in 0s (overloaded, fell back to haiku)',
    ]);
  });

  test('of a call that is aborted', async () => {
    const leaving = new AbortController();
    const runtime = { ...fakeRuntime(), sleep: () => new Promise<void>(() => leaving.abort()) };
    const said: string[] = [];
    const onEvent = (event: RetryEvent): void => void said.push(describeEvent(event));
    const fetch = createRetryFetch({ fetch: script(runtime, 503), runtime, onEvent });
    await thrownBy(fetch(URL_OF_TEST, { signal: leaving.signal }));
    expect(said.at(-1)).toBe('cancelled after 1 attempt in 0s (overloaded)');
  });

  test.each<readonly [said: string, event: RetryEvent]>([
    ['overloaded (HTTP 529): retry 1 of 3 in 5s', RETRY],
    ['overloaded (HTTP 529): retry 3 in 5s', { ...RETRY, retry: 3, maxRetries: null }],
    ['overloaded (HTTP 529): retry 3 in 5s', { ...RETRY, retry: 3, maxRetries: Number.POSITIVE_INFINITY }],
    ['overloaded (HTTP 529): retry 1 of 3 in 5s, as the server asked', { ...RETRY, because: 'hint' }],
    ['overloaded (HTTP 529): retry 1 of 3 in 5s, for the cooldown', { ...RETRY, because: 'cooldown' }],
    [
      'connection error (ECONNRESET): retry 1 of 3 now',
      {
        ...RETRY,
        delayMs: 0,
        failure: classify({ error: Object.assign(new Error('read'), { code: 'ECONNRESET' }) }) ?? OVERLOADED,
      },
    ],
    [
      'overloaded (inside the answer): retry 1 of 3 in 5s',
      { ...RETRY, failure: failureOf(529, '', { status: 200, phase: 'stream' }) },
    ],
    [
      'first attempt in 5s, to keep to the limit',
      { ...BASE, type: 'delayed', attempt: 1, delayMs: 5_000, nextAttemptAt: 6_000, because: 'pace' },
    ],
    [
      'retry 2 in 5s, for the cooldown',
      { ...BASE, type: 'delayed', attempt: 3, delayMs: 5_000, nextAttemptAt: 6_000, because: 'cooldown' },
    ],
    ['first attempt is sent', { ...BASE, type: 'attempt', attempt: 1 }],
    [
      'timeout: the stream went silent 12s after it was handed over',
      {
        ...BASE,
        type: 'broken',
        because: 'stalled',
        afterMs: 12_000,
        attempts: 1,
        history: [],
        failure: { type: 'timeout', category: 'retryable', retryable: false, message: 'silent', phase: 'response' },
      },
    ],
    [
      'cancelled after 3 attempts in 4s (2 × overloaded, timeout, waited 3s, fell back to b, then c)',
      {
        ...BASE,
        type: 'cancelled',
        attempts: 3,
        elapsedMs: 4_000,
        history: [
          attempt(1, OVERLOADED, { delayMs: 1_000, target: 'a' }),
          attempt(2, { ...OVERLOADED, type: 'timeout' }, { delayMs: 2_000, target: 'b' }),
          attempt(3, OVERLOADED, { target: 'c' }),
        ],
      },
    ],
    // A moment that has passed is no news, and the wait that an abort cut off was not waited.
    [
      'overloaded (HTTP 529): failed after 2 attempts in 2s (overloaded, waited 2s), the wait was ended by hand',
      {
        ...BASE,
        type: 'failed',
        attempts: 2,
        elapsedMs: 2_000,
        because: 'given-up',
        failure: OVERLOADED,
        possibleAt: 900,
        history: [attempt(1, OVERLOADED, { delayMs: 60_000 })],
      },
    ],
  ])('in the words “%s”', (said, event) => {
    expect(describeEvent(event)).toBe(said);
  });
});

describe('whatever a server sends', () => {
  test('a sentence has no secret and stays on one line', async () => {
    const code = 'bad\r\n\u001B[2J\u202Ecode sk-test-abcdefghijklmnopqrstuvwxyz0123456789';
    const failing = (): Promise<never> => Promise.reject(Object.assign(new Error('fetch failed'), { code }));
    const said = await saidOf({ maxRetries: 1 }, failing, respondError(400, { type: code, code, message: code }));
    expect(said.join('\n')).not.toContain('abcdefghijklmnop');
    for (const line of said) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  property.prop([fc.string({ unit: anyCharacter, maxLength: 2_000 })])('nor does a name or a code', (text) => {
    const failure: Failure = {
      type: 'unknown',
      category: 'conditional',
      retryable: true,
      message: text,
      phase: 'connect',
      code: text,
    };
    const history = Array.from({ length: 20 }, (_, index) => attempt(index + 1, failure, { target: text + index }));
    const ending = { ...BASE, attempts: 20, elapsedMs: 1, history };
    const events: readonly RetryEvent[] = [
      { ...RETRY, failure },
      { ...BASE, type: 'fallback', from: text, to: text, failure },
      { ...BASE, type: 'attempt', attempt: 2, target: text },
      { ...ending, type: 'failed', because: 'retries-exhausted', failure },
      { ...ending, type: 'recovered' },
    ];
    for (const said of events.map(describeEvent)) {
      expect(said).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(said.length).toBeLessThanOrEqual(500);
    }
    expect(describeEvent({ ...RETRY, failure })).toMatch(/: retry 1 of 3 in 5s$/);
  });
});

test.each([undefined, null, 'retry', {}, { type: 'started' }])('%j is no event, which is an error', (value) => {
  expect(() => describeEvent(value as RetryEvent)).toThrow(TypeError);
});
