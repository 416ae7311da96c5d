import { describe, expect, test } from 'vitest';
import {
  classify,
  createRetryFetch,
  type Failure,
  FAILURES,
  type RetryConfig,
  type StopReason,
  withRetry,
} from '../../src/index.ts';
import { isSuccess } from '../../src/http/response-like.ts';
import { fakeRuntime, observed, respond, respondError, script, type Step, thrownBy, URL_OF_TEST } from '../script.ts';
import { reset, scripted } from '../scripted-call.ts';
import { failOnUnhandled } from '../unhandled.ts';

failOnUnhandled();

describe('a success', () => {
  test.each([
    ['a 200', { status: 200, ok: true }, true],
    ['a 204', { status: 204, ok: true }, true],
    ['a redirect that was not followed', { status: 302, ok: false }, true],
    ['an opaque redirect', { status: 0, ok: false }, true],
    ['the first status of failure', { status: 400, ok: false }, false],
    ['a 503 that calls itself ok', { status: 503, ok: true }, false],
    ['an answer without a status that is not ok', { ok: false }, false],
    ['an answer without a status that is ok', { ok: true }, true],
    ['an answer with nothing', {}, true],
    ['no object', undefined, true],
    ['null', null, true],
  ])('is told from a failure by its status: %s', (_title, response, expected) => {
    expect(isSuccess(response)).toBe(expected);
  });
});

describe('retryableStatusCodes is the whole list:', () => {
  test.each<[string, Step, number]>([
    ['a status in it is retried, though it is not by default', 409, 2],
    ['a status in it is not retried where the body says that it is permanent', insufficientQuota(409), 1],
    ['a status that is not in it is not retried, though it is by default', 503, 1],
    ['a status that is not in it is retried where the server says so', respond(503, { 'x-should-retry': 'true' }), 2],
    ['a status in it is not retried where the server says no', respond(409, { 'x-should-retry': 'false' }), 1],
    ['an error of the network is no status', reset(), 2],
  ])('that is, %s', async (_what, step, attempts) => {
    const { inner, call } = scripted({ retryableStatusCodes: [409] }, step, 200);
    await call().catch(() => {});
    expect(inner.calls).toHaveLength(attempts);
  });
});

describe('a status that may be a lock', () => {
  const MODEL = 'https://api.openai.com/v1/chat/completions';

  test.each<[string, Step, number, string, RetryConfig]>([
    ['a 409 in answer to a model request is retried', 409, 2, MODEL, {}],
    ['a 425 in answer to a model request is retried', 425, 2, MODEL, {}],
    ['a 409 in answer to another request is not', 409, 1, 'https://api.openai.com/v1/files', {}],
    ['not where the server says no', respond(409, { 'x-should-retry': 'false' }), 1, MODEL, {}],
    ['not where the body says that it is permanent', insufficientQuota(409), 1, MODEL, {}],
    ['not where the list leaves it out', 409, 1, MODEL, { retryableStatusCodes: [503] }],
  ])('%s: sent as often as that allows', async (_what, step, attempts, url, config) => {
    const runtime = fakeRuntime();
    const inner = script(runtime, step, 200);
    await createRetryFetch({ fetch: inner, runtime, ...config })(url, {
      method: 'POST',
      body: '{"model":"m","messages":[]}',
    });
    expect(inner.calls).toHaveLength(attempts);
  });

  test('is told as a failure that is retried, with nothing that a person must do', async () => {
    const runtime = fakeRuntime();
    const failures: Failure[] = [];
    const onEvent: RetryConfig['onEvent'] = (event) => void ('failure' in event && failures.push(event.failure));
    const inner = script(runtime, respond(409, { 'retry-after': '7' }), 200);
    await createRetryFetch({ fetch: inner, runtime, onEvent })(MODEL, {
      method: 'POST',
      body: '{"model":"m","messages":[]}',
    });
    const [failure] = failures;
    expect(failure).toMatchObject({
      type: 'server_error',
      retryable: true,
      category: 'retryable',
      retryAfterMs: 7_000,
    });
    expect(failure).not.toHaveProperty('action');
  });

  test.each([
    ['that of a model', '{"model":"m","messages":[{"role":"user","content":"Hi"}]}', 2],
    ['another one', '{"messages":[{"to":"+1","text":"Hi"}]}', 1],
  ])('is one for a body that has to be read first: %s', async (_what, body, attempts) => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 409, 200);
    const init = { method: 'POST', body: new Blob([body]) };
    await createRetryFetch({ fetch: inner, runtime })('https://llm.example/v1/messages', init);
    expect(inner.calls).toHaveLength(attempts);
  });

  test.each([
    ["a provider's SDK", { status: 409, headers: new Headers(), error: { message: 'conflict' } }, 2],
    ['another client', { status: 409 }, 1],
  ])('thrown by %s: %j is asked %i times', async (_who, members, attempts) => {
    let asked = 0;
    const operation = async (): Promise<string> => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error('409 conflict'), members);
      return 'answer';
    };
    await withRetry(operation, { runtime: fakeRuntime() }).catch(() => {});
    expect(asked).toBe(attempts);
  });
});

test.each([
  ['POST', true, true],
  ['POST', false, false],
  ['GET', true, false],
])(
  'a 404 of a %s says what a redirect does to the method, if there was one (%s): %s',
  async (method, redirected, says) => {
    const { events, ...config } = observed();
    const inner = async (): Promise<Response> =>
      Object.defineProperty(new Response('Not found', { status: 404 }), 'redirected', { value: redirected });
    await createRetryFetch({ fetch: inner, runtime: fakeRuntime(), ...config })(URL_OF_TEST, { method });
    const [failed] = events.filter((event) => event.type === 'failed');
    expect(failed?.failure.action?.includes('may turn a POST into a GET')).toBe(says);
  },
);

describe('x-should-retry', () => {
  test.each<[string, Step, number, StopReason | undefined]>([
    ['false stops a retry, with the reason', respond(503, { 'x-should-retry': 'false' }), 1, 'server-said-no'],
    ['false changes nothing of what is not retried', respond(400, { 'x-should-retry': 'false' }), 1, 'not-retryable'],
    ['true has a status retried that is not by default', respond(409, { 'x-should-retry': 'true' }), 2, undefined],
    [
      'true does not beat a body that says permanent',
      insufficientQuota(429, { 'x-should-retry': 'true' }),
      1,
      'not-retryable',
    ],
  ])('is the word of the server: %s', async (_what, step, attempts, because) => {
    const { events, ...config } = observed();
    const { inner, call } = scripted(config, step, 200);
    await call();
    const last = events.at(-1);
    expect([inner.calls.length, last?.type === 'failed' ? last.because : undefined]).toEqual([attempts, because]);
  });
});

describe('classify decides', () => {
  const named = (retryable: boolean): Failure => ({
    type: 'server_error',
    retryable,
    category: 'retryable',
    message: 'as the caller reads it',
    phase: 'response',
  });

  test.each<[string, boolean, number, StopReason]>([
    ['a retry over the no of the server', true, 4, 'retries-exhausted'],
    ['no retry, with the no of the server as the reason', false, 1, 'server-said-no'],
  ])('and may return %s', async (_what, retryable, attempts, because) => {
    const { events, ...config } = observed({ classify: () => named(retryable) });
    const { inner, call } = scripted(config, respond(503, { 'x-should-retry': 'false' }));
    await call();
    expect([inner.calls.length, events.at(-1)]).toMatchObject([
      attempts,
      { because, failure: { status: 503, message: 'as the caller reads it' } },
    ]);
  });

  test('and gets the same object that was thrown', async () => {
    const thrown = reset();
    const seen: unknown[] = [];
    const { call } = scripted({ classify: (_failure, outcome) => void seen.push(outcome) }, thrown, 200);
    await call();
    expect(seen).toMatchObject([{ method: 'GET', url: URL_OF_TEST, attempt: 1, history: [] }]);
    expect(seen[0]).toHaveProperty('error', thrown);
  });

  test('and without a status of its own keeps that of the response; without a response there is none', async () => {
    const { events, ...config } = observed({ classify: () => named(false) });
    await thrownBy(scripted(config, reset()).call());
    expect(events.at(-1)).toMatchObject({ failure: { type: 'server_error' } });
    expect(events.at(-1)).not.toHaveProperty('failure.status');
  });
});

describe('the return value of classify', () => {
  /** The `failed` event of a call whose `classify` returns this. */
  async function failedWith(returned: unknown, init?: RequestInit, body = 'busy', status = 503) {
    const { events, ...config } = observed({ classify: () => returned as Failure, maxRetries: 0 });
    await scripted(config, () => respond(status, {}, body)).call(init);
    const event = events.at(-1);
    if (event?.type !== 'failed') throw new Error('There is no failed event');
    return event;
  }

  test.each([[null], [undefined], [{}]])('keeps the failure if it is %j', async (returned) => {
    expect(await failedWith(returned)).toMatchObject({ failure: { type: 'overloaded', retryable: true, status: 503 } });
  });

  test('gets missing members from the failure that was read, and leaves out others', async () => {
    const failure = { type: 'rate_limit', retryable: true, category: 'retryable', status: 503, phase: 'response' };
    expect(await failedWith({ type: 'rate_limit' })).toMatchObject({ failure: { ...failure, message: 'busy' } });
  });

  test('of another type gets the category and the action of that type, unless it has its own', async () => {
    const read = classify({ status: 400, body: 'odd' });
    const asOverload = { ...read, type: 'overloaded', retryable: true };
    expect((await failedWith(asOverload, {}, 'odd', 400)).failure).toEqual({
      ...{ type: 'overloaded', retryable: true, category: 'retryable' },
      ...{ status: 400, message: 'odd', phase: 'response' },
    });
    const asQuota = { ...read, type: 'quota_exhausted' };
    expect((await failedWith(asQuota, {}, 'odd', 400)).failure).toMatchObject({
      category: FAILURES.quota_exhausted.category,
      action: FAILURES.quota_exhausted.action,
    });
    const withAction = { ...asOverload, action: 'Ask Ada.' };
    expect((await failedWith(withAction, {}, 'odd', 400)).failure).toMatchObject({ action: 'Ask Ada.' });
  });

  test('must have a type that exists', async () => {
    const message = 'Expected `type` to be a failure type in the result of `classify`, got "overload".';
    await expect(failedWith({ type: 'overload' })).rejects.toThrow(new TypeError(message));
  });

  test.each([Number.NaN, -5, '7', Number.POSITIVE_INFINITY])(
    'must have a hint that is a time, not %j',
    async (hint) => {
      const thrown = await thrownBy(failedWith({ retryAfterMs: hint }));
      expect(String(thrown)).toMatch(
        /^TypeError: Expected `classify\(\)\.retryAfterMs` to be a finite number ≥ 0, got /,
      );
    },
  );

  test.each([true, false, 'overloaded', 7])(
    'must not be %j: the error names what to write, and a predicate would stop every other failure',
    async (returned) => {
      await expect(failedWith(returned)).rejects.toThrow(
        new TypeError(
          `Expected \`classify()\` to be 'retry', 'stop', a failure or undefined, got ${JSON.stringify(returned)}.`,
        ),
      );
    },
  );

  test("'retry' retries what is not retryable, and keeps its type and its hint, not its advice; 'stop' ends what is", async () => {
    const { events, ...config } = observed({ classify: () => 'retry' });
    const limited = respondError(429, { type: 'insufficient_quota', message: 'No quota.' }, { 'retry-after': '7' });
    const { call, slept } = scripted(config, limited, 200);
    expect([(await call()).status, slept[0]]).toEqual([200, 7_000]);
    expect(events[0]).toMatchObject({ failure: { type: 'quota_exhausted', retryable: true, retryAfterMs: 7_000 } });
    expect(events[0]).not.toHaveProperty('failure.action');
    const stopped = observed({ classify: () => 'stop' });
    expect((await scripted(stopped, 503, 200).call()).status).toBe(503);
    expect(stopped.events).toMatchObject([{ type: 'failed', because: 'not-retryable', failure: { retryable: false } }]);
  });

  test('must not be a promise, whose failure would be ignored', async () => {
    const message = "Expected `classify()` to be 'retry', 'stop', a failure or undefined, got an object.";
    await expect(failedWith(Promise.resolve({ retryable: false }))).rejects.toThrow(new TypeError(message));
  });

  test('must not be a promise; its rejection is not left unhandled', async () => {
    const rejecting = async (): Promise<Failure> => Promise.reject(new Error('no database'));
    // @ts-expect-error -- callers in JavaScript
    const { call } = scripted({ classify: rejecting }, 503);
    expect(String(await thrownBy(call()))).toMatch(
      /^TypeError: Expected `classify\(\)` to be 'retry', 'stop', a failure or undefined/,
    );
  });

  test('is masked, because its message may come from the body', async () => {
    const headers = { 'x-api-key': 'zqk9vxw37lmpp' };
    const event = await failedWith({ message: 'The key zqk9vxw37lmpp is busy' }, { headers });
    expect(event).toMatchObject({ failure: { message: 'The key [redacted] is busy' } });
  });
});

test('an error whose getters throw is rethrown unchanged', async () => {
  const get = (): never => {
    throw new Error('from the getter');
  };
  const hostile = Object.defineProperties(new Error('odd'), { name: { get }, status: { get } });
  const attempts: number[] = [];
  const operation = ({ attempt }: { readonly attempt: number }): never => {
    attempts.push(attempt);
    throw hostile;
  };
  const config = { runtime: fakeRuntime(), retryUnknownErrors: true, maxRetries: 1 };
  expect(Object.is(await thrownBy(withRetry(operation, config)), hostile)).toBe(true);
  expect(attempts).toEqual([1, 2]);
});

describe('a TimeoutError', () => {
  test.each<[string, () => Error, number]>([
    ['of a limit inside the inner fetch is retried', () => new DOMException('slow', 'TimeoutError'), 2],
    [
      'of another kind of object is read by its name',
      () => Object.assign(new Error('slow'), { name: 'TimeoutError' }),
      2,
    ],
    ['is told by its name, not by its words', () => new Error('TimeoutError'), 1],
  ])('is read by whose limit it is: one %s', async (_what, thrown, attempts) => {
    const { inner, call } = scripted({}, thrown(), 200);
    await call().catch(() => {});
    expect(inner.calls).toHaveLength(attempts);
  });
});

function insufficientQuota(status: number, headers: Record<string, string> = {}): Response {
  return respondError(
    status,
    { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No quota.' },
    headers,
  );
}
