/** The step of a kernel, as its plan describes it: the schedule of eight hours, the notices, the ends. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { executeStep, type ProviderEvent } from '../../examples/agent-step.ts';
import { fakeRuntime } from '../script.ts';

const MINUTE_MS = 60_000;
const SCHEDULE_MS = [5_000, 10_000, 30_000, MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS];
const delayOf = (retry: number): number => SCHEDULE_MS[retry] ?? 30 * MINUTE_MS;

/** The schedule, until its waits would exceed eight hours. */
function delayFor(retry: number): number | undefined {
  const totalMs = Array.from({ length: retry + 1 }, (_, index) => delayOf(index)).reduce((sum, ms) => sum + ms);
  return totalMs > 8 * 60 * MINUTE_MS ? undefined : delayOf(retry);
}

const BODY = '{"error":{"type":"overloaded_error","message":"The service is temporarily overloaded. Please retry."}}';
const overloaded: ProviderEvent = { type: 'error', message: `HTTP 429: ${BODY}`, code: '429', retryable: true };
const answer: readonly ProviderEvent[] = [{ type: 'text' }, { type: 'finish' }];

async function play(turns: readonly (readonly (ProviderEvent | Error)[])[], abortAt = 0, delays = delayFor) {
  /** What happened, in order: emitted events, and sleeps. */
  const log: unknown[] = [];
  const caller = new AbortController();
  const runtime = fakeRuntime();
  const { slept } = runtime;
  let calls = 0;
  async function* stream(): AsyncGenerator<ProviderEvent> {
    calls += 1;
    for (const event of turns[Math.min(calls, turns.length) - 1] ?? []) {
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const ending = await executeStep({
    stream,
    emit: (event) => void log.push(event),
    signal: caller.signal,
    turn: { conversationId: 'c1', turnId: 't1' },
    delayFor: delays,
    sleep: (ms, signal) => {
      log.push(ms);
      if (slept.length + 1 === abortAt) caller.abort();
      return runtime.sleep(ms, signal);
    },
  });
  return { ending, log, calls, slept };
}

const notice = (attempt: number, delayMs: number) => ({
  type: 'provider-retry',
  conversationId: 'c1',
  turnId: 't1',
  attempt,
  delayMs,
  message: `HTTP 429: ${BODY}`,
  code: '429',
});

// The time that a slow machine takes to read an error is part of the wait after it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('a step', () => {
  test('announces each retry before its sleep, in the words of the server, and then shows the answer alone', async () => {
    const { ending, log } = await play([[overloaded], [overloaded], [overloaded], answer]);
    expect(ending).toBe('stop');
    expect(log).toEqual([notice(0, 5_000), 5_000, notice(1, 10_000), 10_000, notice(2, 30_000), 30_000, ...answer]);
  });

  test.each<[string, ProviderEvent | Error, string, string?]>([
    ['an emitted error that says so, whatever its words', { type: 'error', message: 'odd', retryable: true }, 'odd'],
    ['a thrown error', new Error('boom'), 'boom'],
    [
      'a lost connection',
      Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } }),
      'fetch failed',
    ],
  ])('is retried before the content after %s, whose notice has no code', async (_what, failure, message) => {
    const { log, calls } = await play([[failure], answer]);
    const { code: _code, ...uncoded } = notice(0, 5_000);
    expect(log).toEqual([{ ...uncoded, message: expect.stringContaining(message) }, 5_000, ...answer]);
    expect(calls).toBe(2);
  });

  test.each<[string, readonly (ProviderEvent | Error)[], readonly unknown[]]>([
    ['that says no', [{ type: 'error', message: 'overloaded', retryable: false }], ['overloaded']],
    ['that says nothing', [{ type: 'error', message: 'overloaded' }], ['overloaded']],
    ['after content', [{ type: 'text' }, overloaded], [undefined, `HTTP 429: ${BODY}`]],
    ['after reasoning, a tool call or usage', [{ type: 'usage' }, overloaded], [undefined, `HTTP 429: ${BODY}`]],
    ['that was thrown after content', [{ type: 'text' }, new Error('reset')], [undefined, 'reset']],
    ['of the program', [new TypeError('x is not a function')], ['x is not a function']],
    ['of a wrong key', [Object.assign(new Error('invalid x-api-key'), { status: 401 })], ['invalid x-api-key']],
  ])('ends with an error %s, once', async (_what, turn, messages) => {
    const { ending, log, calls } = await play([turn, answer]);
    expect([ending, calls, log.map((event) => (event as { message?: string }).message)]).toEqual([
      'error',
      1,
      messages,
    ]);
  });

  test('gives up after 21 retries, and shows the error that it had kept back', async () => {
    const { ending, log, slept } = await play([[overloaded]]);
    expect([ending, slept.length, slept.reduce((sum, ms) => sum + ms), log.at(-1)]).toEqual([
      'error',
      21,
      27_105_000,
      overloaded,
    ]);
    expect(log.filter((event) => event === overloaded)).toHaveLength(1);
  });

  test('without a schedule ends as it did before there were retries', async () => {
    const { ending, log } = await play([[overloaded]], 0, () => undefined);
    expect([ending, log]).toEqual(['error', [overloaded]]);
  });

  test('is sealed as aborted by an abort in its second sleep, without an error', async () => {
    const { ending, log, calls } = await play([[overloaded]], 2);
    expect([ending, calls, log]).toEqual(['aborted', 2, [notice(0, 5_000), 5_000, notice(1, 10_000), 10_000]]);
  });
});
