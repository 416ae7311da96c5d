/**
 * A session of an agent that a person watches: 2, 4, 8 seconds, a start before each wait and one end for the chain, with
 * a key to give up and a switch. A prompt is over only when its chain is.
 */

import { describe, expect, test } from 'vitest';
import { type AutoRetryEndEvent, autoRetryEvents, type AutoRetryStartEvent } from '../../src/event-adapters.ts';
import { presets, RetryController } from '../../src/index.ts';
import { type CompletionEvent, LLMError, OpenAILLM } from '../../src/llm/index.ts';
import { ask, openAIChunk, openAIHello, streamed } from '../llm/answers.ts';
import { fakeRuntime, type HeldRuntime, heldRuntime, respondError, script, settle, type Step } from '../script.ts';

const overloaded = respondError(529, { type: 'overloaded_error', message: 'Overloaded' });
const invalid = respondError(400, { type: 'invalid_request_error', message: 'No such parameter.' });
const tooLong = respondError(400, { code: 'context_length_exceeded', message: 'Too long.' });
const hello = streamed(...openAIHello);
const OVERLOADED = 'HTTP 529: {"error":{"type":"overloaded_error","message":"Overloaded"}}';

type SessionEvent = AutoRetryStartEvent | AutoRetryEndEvent | CompletionEvent;

/** A session with one model: what a user interface subscribes to, and what it can do about it. */
class Session {
  readonly events: SessionEvent[] = [];
  readonly controller = new RetryController();
  readonly #llm: OpenAILLM;
  #abort = new AbortController();

  constructor(runtime: ReturnType<typeof fakeRuntime> | HeldRuntime, ...steps: readonly [Step, ...Step[]]) {
    const onEvent = autoRetryEvents((event) => void this.events.push(event));
    const retry = { ...presets.agent, controller: this.controller, runtime, onEvent };
    this.#llm = new OpenAILLM({ apiKey: 'my-key', fetch: script(runtime, ...steps), retry });
  }

  /** Gives how it ended; errors are surfaced as one event. */
  async prompt(): Promise<'complete' | 'error' | 'aborted'> {
    this.#abort = new AbortController();
    try {
      for await (const event of this.#llm.streamCompletion({ ...ask, signal: this.#abort.signal }))
        this.events.push(event);
    } catch (error) {
      if (!(error instanceof LLMError)) return 'aborted';
      this.events.push({ type: 'error', error });
    }
    return this.events.at(-1)?.type === 'error' ? 'error' : 'complete';
  }

  abort(): void {
    this.#abort.abort();
  }
}

const start = (attempt: number, delayMs: number) => ({
  type: 'auto_retry_start',
  attempt,
  maxAttempts: 3,
  delayMs,
  errorMessage: OVERLOADED,
});
const end = (success: boolean, attempt: number, finalError?: string) => ({
  type: 'auto_retry_end',
  success,
  attempt,
  ...(finalError !== undefined && { finalError }),
});
const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);

/** A session that waits for its n-th retry. */
async function waitingFor(retry: number): Promise<{ session: Session; prompt: Promise<string>; runtime: HeldRuntime }> {
  const runtime = heldRuntime();
  const session = new Session(runtime, overloaded);
  let waiting = runtime.untilWaiting();
  const prompt = session.prompt();
  await waiting;
  for (let made = 1; made < retry; made += 1) {
    waiting = runtime.untilWaiting();
    runtime.waits[0]?.end();
    await waiting;
  }
  return { session, prompt, runtime };
}

test('a series of retries that succeeds has a start for each retry, one end, and then the answer', async () => {
  const session = new Session(fakeRuntime(), overloaded, overloaded, hello);
  expect(await session.prompt()).toBe('complete');
  expect(session.events.slice(0, 3)).toEqual([start(1, 2_000), start(2, 4_000), end(true, 2)]);
  expect(typesOf(session.events.slice(3))).toEqual(['text', 'text', 'usage', 'end']);
});

test('an answer at the first attempt has neither start nor end', async () => {
  const session = new Session(fakeRuntime(), hello);
  expect(await session.prompt()).toBe('complete');
  expect(typesOf(session.events)).toEqual(['text', 'text', 'usage', 'end']);
});

test('exhausted retries end with the last retry made and the last error, which is shown once', async () => {
  const session = new Session(fakeRuntime(), overloaded);
  expect(await session.prompt()).toBe('error');
  expect(session.events.slice(0, -1)).toEqual([
    start(1, 2_000),
    start(2, 4_000),
    start(3, 8_000),
    end(false, 3, OVERLOADED),
  ]);
  expect(session.events.at(-1)).toMatchObject({
    type: 'error',
    error: { failure: { type: 'overloaded' }, history: { length: 4 } },
  });
});

test('a permanent failure ends the series of retries without success', async () => {
  const session = new Session(fakeRuntime(), overloaded, invalid);
  expect(await session.prompt()).toBe('error');
  const finalError = 'HTTP 400: {"error":{"type":"invalid_request_error","message":"No such parameter."}}';
  expect(session.events.slice(0, -1)).toEqual([start(1, 2_000), end(false, 1, finalError)]);
});

test('an input that is too long is left to the compaction: no start, no end', async () => {
  const session = new Session(fakeRuntime(), tooLong);
  expect(await session.prompt()).toBe('error');
  expect(session.events).toMatchObject([{ type: 'error', error: { failure: { type: 'context_too_long' } } }]);
});

test('an answer that breaks after a successful retry is a success of the retries and an error of the answer', async () => {
  const session = new Session(fakeRuntime(), overloaded, streamed(openAIChunk({ content: 'Hel' })));
  expect(await session.prompt()).toBe('error');
  expect(typesOf(session.events)).toEqual(['auto_retry_start', 'auto_retry_end', 'text', 'error']);
  expect(session.events[1]).toEqual(end(true, 1));
});

describe('while it waits', () => {
  test('the error is not shown and the prompt is not over', async () => {
    const { session, prompt, runtime } = await waitingFor(2);
    let over = false;
    const watched = prompt.finally(() => (over = true));
    await settle();
    expect([over, session.controller.isRetrying]).toEqual([false, true]);
    expect(session.events).toEqual([start(1, 2_000), start(2, 4_000)]);
    expect(runtime.waits.map(({ ms }) => ms)).toEqual([4_000]);
    session.controller.giveUp();
    await watched;
    expect(session.controller.isRetrying).toBe(false);
  });

  test('giving up cancels the retries, and the last error is shown once', async () => {
    const { session, prompt } = await waitingFor(2);
    session.controller.giveUp();
    expect(await prompt).toBe('error');
    expect(session.events.slice(2, -1)).toEqual([end(false, 1, 'Retry cancelled')]);
    expect(session.events.at(-1)).toMatchObject({ type: 'error', error: { failure: { type: 'overloaded' } } });
  });

  test('an abort cancels the retries too, without an error', async () => {
    const { session, prompt } = await waitingFor(3);
    session.abort();
    expect(await prompt).toBe('aborted');
    expect(session.events.slice(3)).toEqual([end(false, 2, 'Retry cancelled')]);
  });

  test('switching off lets the wait end and prevents the retry', async () => {
    const { session, prompt, runtime } = await waitingFor(1);
    session.controller.enabled = false;
    runtime.waits[0]?.end();
    expect(await prompt).toBe('error');
    expect(session.events.slice(0, -1)).toEqual([start(1, 2_000), end(false, 0, OVERLOADED)]);
  });

  test('every event comes before the controller is idle', async () => {
    const { session, prompt } = await waitingFor(1);
    const idle = session.controller.whenIdle().then(() => typesOf(session.events).includes('auto_retry_end'));
    session.controller.giveUp();
    expect(await idle).toBe(true);
    await prompt;
  });
});

test('switched off, nothing is retried and no event comes', async () => {
  const session = new Session(fakeRuntime(), overloaded);
  session.controller.enabled = false;
  expect(await session.prompt()).toBe('error');
  expect(typesOf(session.events)).toEqual(['error']);
});

test('each prompt has its own series of retries, counted from one', async () => {
  const session = new Session(fakeRuntime(), overloaded, invalid, overloaded, hello);
  await session.prompt();
  session.events.length = 0;
  expect(await session.prompt()).toBe('complete');
  expect(session.events.slice(0, 2)).toEqual([start(1, 2_000), end(true, 1)]);
});
