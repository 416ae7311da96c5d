/** A session of an agent, as its document describes it: the chain of retries, its counters, its events and its ends. */

import { describe, expect, test } from 'vitest';
import { type Agent, AgentSession, type Message } from '../../examples/agent-session.ts';
import { heldRuntime, settle } from '../script.ts';

const OVERLOADED = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
const failed = (errorMessage = OVERLOADED): Message => ({ stopReason: 'error', errorMessage });
const answered: Message = { stopReason: 'stop' };
const usesTool: Message = { stopReason: 'toolUse' };

/** A session whose agent answers with these in turn, and whose waits end when the test says so. */
function play(...messages: readonly (Message | ((signal: AbortSignal) => Promise<Message>))[]) {
  const runtime = heldRuntime();
  const events: unknown[] = [];
  const context: Message[] = [];
  const history: Message[] = [];
  let asked = 0;
  const agent: Agent = {
    ask: async (signal) => {
      const next = messages[Math.min(asked++, messages.length - 1)] ?? answered;
      const message = typeof next === 'function' ? await next(signal) : next;
      context.push(message);
      history.push(message);
      return message;
    },
    dropLast: () => void context.pop(),
  };
  const session = new AgentSession(agent, (event) => void events.push(event));
  // The waits are those of the test.
  const run = session.run.bind(session);
  session.run = (operation, overrides) => run(operation, { ...overrides, runtime });
  const waits = async (...expected: readonly number[]): Promise<void> => {
    for (const ms of expected) {
      await settle();
      expect(runtime.waits.map((wait) => wait.ms)).toEqual([ms]);
      runtime.waits[0]?.end();
    }
    await settle();
  };
  return { session, runtime, events, context, history, waits, asked: () => asked };
}

const start = (
  attempt: number,
  delayMs: number,
  maxAttempts = 3,
  errorMessage: unknown = expect.stringContaining('overloaded_error'),
) => ({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage });
const end = (success: boolean, attempt: number, finalError?: unknown) => ({
  type: 'auto_retry_end',
  success,
  attempt,
  ...(finalError !== undefined && { finalError }),
});

describe('a chain of retries', () => {
  test('waits 2 and 4 seconds, ends with its success, and the prompt is over only then', async () => {
    const { session, events, context, history, waits } = play(failed(), failed(), answered);
    let isOver = false;
    const prompt = session.prompt().finally(() => (isOver = true));
    await settle();
    expect([isOver, session.isRetrying, events]).toEqual([false, true, [start(1, 2_000)]]);
    await waits(2_000, 4_000);
    expect(await prompt).toBe(answered);
    expect(events).toEqual([start(1, 2_000), start(2, 4_000), end(true, 2)]);
    expect([session.isRetrying, session.retries]).toEqual([false, 0]);
    // The failed messages are out of the context, and stay in the history.
    expect([context, history.length]).toEqual([[answered], 3]);
  });

  test('ends after three retries with the last error, and the next prompt has all of them again', async () => {
    const { session, events, waits } = play(failed());
    const prompt = session.prompt();
    await waits(2_000, 4_000, 8_000);
    expect(await prompt).toEqual(failed());
    expect(events.at(-1)).toEqual(end(false, 3, expect.stringContaining('overloaded_error')));
    expect(session.retries).toBe(0);
    const next = session.prompt();
    await waits(2_000, 4_000, 8_000);
    await next;
    expect(events.filter((event) => (event as { type: string }).type === 'auto_retry_end')).toHaveLength(2);
  });

  test('starts again at each answered message of a turn, and has an end there', async () => {
    const { session, events, waits, asked } = play(
      failed(),
      usesTool,
      failed(),
      failed(),
      usesTool,
      failed(),
      answered,
    );
    const prompt = session.prompt({ maxRetries: 2 });
    await waits(2_000, 2_000, 4_000, 2_000);
    expect(await prompt).toBe(answered);
    expect(asked()).toBe(7);
    expect(events).toEqual([
      start(1, 2_000, 2),
      end(true, 1),
      start(1, 2_000, 2),
      start(2, 4_000, 2),
      end(true, 2),
      start(1, 2_000, 2),
      end(true, 1),
    ]);
  });

  test('has the settings of its prompt', async () => {
    const { session, events, waits } = play(failed());
    const prompt = session.prompt({ maxRetries: 1, baseDelayMs: 500 });
    await waits(500);
    await prompt;
    expect(events).toEqual([start(1, 500, 1), end(false, 1, expect.anything())]);
  });
});

test.each([
  ['a wrong key', 'invalid x-api-key'],
  ['an input that is too long, which is for the compaction', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['what no rule knows', 'boom'],
])('%s is not retried, and makes no event', async (_what, message) => {
  const { session, events, asked } = play(failed(message));
  expect(await session.prompt()).toEqual(failed(message));
  expect([events, asked()]).toEqual([[], 1]);
});

test.each([
  '429 Too Many Requests',
  '503 Service Unavailable',
  'overloaded_error',
  'Rate limit reached. Please try again in 1s.',
  'fetch failed',
  'Connection error.',
])('%j is retried', async (message) => {
  const { session, waits, events } = play(failed(message), answered);
  const prompt = session.prompt();
  await settle();
  expect(events).toHaveLength(1);
  session.retryNow();
  await waits();
  expect(await prompt).toBe(answered);
});

describe('the user', () => {
  test('ends a wait with Esc: the prompt ends with the failed message, and the next one starts again', async () => {
    const { session, runtime, events, waits } = play(failed(), failed(), failed(), answered);
    const prompt = session.prompt();
    await waits(2_000);
    session.abort();
    // The clock of this test does not hear that the wait has ended.
    runtime.waits.length = 0;
    expect(await prompt).toEqual(failed());
    expect(events.at(-1)).toEqual(end(false, 1, 'Retry cancelled'));
    expect([session.isRetrying, session.retries]).toEqual([false, 0]);
    const next = session.prompt();
    await waits(2_000);
    expect(await next).toBe(answered);
  });

  test('ends a running turn with Esc: the agent returns its message', async () => {
    const aborted: Message = { stopReason: 'aborted' };
    const { session, events } = play(
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted))),
    );
    const prompt = session.prompt();
    await settle();
    session.abort();
    expect(await prompt).toBe(aborted);
    expect(events).toEqual([]);
  });

  test('switches retries off: a failure ends the prompt, without an event', async () => {
    const { session, events } = play(failed(), answered);
    session.enabled = false;
    expect(await session.prompt()).toEqual(failed());
    expect(events).toEqual([]);
  });
});
