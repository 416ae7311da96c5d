import { describe, expect, test, vi } from 'vitest';
import type { Outcome, RetryConfig } from '../../src/policy/config.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { resolveConfig } from '../../src/policy/policy.ts';
import { type Judgement, judge } from '../../src/loop/verdict.ts';
import { respond } from '../script.ts';
import { textOf } from '../../src/failure/first-bytes.ts';

const NOW = 1_800_000_000_000;
const QUOTA =
  '{"error":{"code":"insufficient_quota","type":"insufficient_quota","message":"You exceeded your current quota"}}';

/** A call without secrets. */
const SILENT = { secrets: [] };

function judged(config: RetryConfig, response: Response, body?: string): Judgement {
  return judge({ response }, body, NOW, resolveConfig(config), SILENT);
}

describe('the list of statuses', () => {
  test.each<[string, RetryConfig, number, boolean]>([
    ['unset: the taxonomy retries a 503', {}, 503, true],
    ['unset: the taxonomy does not retry a 409', {}, 409, false],
    ['set: a 503 that is not in it is final', { retryableStatusCodes: [429] }, 503, false],
    ['set: a 409 that is in it is retried', { retryableStatusCodes: [409] }, 409, true],
    ['empty: no status is retried', { retryableStatusCodes: [] }, 503, false],
  ])('%s', (_title, config, status, retryable) => {
    expect(judged(config, respond(status)).failure.retryable).toBe(retryable);
  });

  test('does not beat a body that says permanent', () => {
    const { failure } = judged({ retryableStatusCodes: [429] }, respond(429), QUOTA);
    expect(failure).toMatchObject({ type: 'quota_exhausted', retryable: false });
  });

  test('says nothing about thrown errors, whatever status they name', () => {
    const policy = resolveConfig({ retryableStatusCodes: [429] });
    const error = Object.assign(new Error('unavailable'), { status: 503 });
    expect(judge({ error }, undefined, NOW, policy, SILENT).failure).toMatchObject({ status: 503, retryable: true });
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect(judge({ error: reset }, undefined, NOW, policy, SILENT).failure.retryable).toBe(true);
  });
});

describe('x-should-retry', () => {
  test('false stops what would be retried', () => {
    const judgement = judged({}, respond(429, { 'x-should-retry': 'false' }));
    expect(judgement).toMatchObject({ serverSaidStop: true, failure: { type: 'rate_limit', retryable: false } });
  });

  test('false has nothing to stop where nothing would be retried', () => {
    expect(judged({}, respond(400, { 'x-should-retry': 'false' })).serverSaidStop).toBe(false);
  });

  test('true counts as a status in the list', () => {
    expect(judged({}, respond(409, { 'x-should-retry': 'true' })).failure.retryable).toBe(true);
    expect(judged({ retryableStatusCodes: [429] }, respond(503, { 'x-should-retry': 'true' })).failure.retryable).toBe(
      true,
    );
  });

  test('true does not beat a body that says permanent', () => {
    const { failure } = judged({}, respond(429, { 'x-should-retry': 'true' }), QUOTA);
    expect(failure.retryable).toBe(false);
  });
});

describe('the last word of the caller', () => {
  const named: Failure = {
    type: 'cache_error',
    retryable: true,
    category: 'retryable',
    message: 'mine',
    phase: 'response',
  };

  test('replaces the failure, frozen', () => {
    const { failure } = judged({ classify: () => named }, respond(400));
    expect(failure).toEqual({ ...named, status: 400 });
    expect(Object.isFrozen(failure)).toBe(true);
  });

  test('may name another status, and need not name one for an error', () => {
    expect(judged({ classify: () => ({ ...named, status: 529 }) }, respond(400)).failure.status).toBe(529);
    const policy = resolveConfig({ classify: () => named });
    expect(judge({ error: new Error('odd') }, undefined, NOW, policy, SILENT).failure).toEqual(named);
  });

  test('keeps the failure when it has nothing to say', () => {
    expect(judged({ classify: () => undefined }, respond(429)).failure.type).toBe('rate_limit');
  });

  test('hears the failure and the response with what was read of its body', () => {
    const classify = vi.fn<(failure: Failure, outcome: Outcome) => undefined>();
    const response = respond(429);
    judged({ classify }, response, 'body');
    expect(classify.mock.calls).toEqual([
      [expect.objectContaining({ type: 'rate_limit' }), { response, body: 'body' }],
    ]);
  });

  test('hears what was thrown', () => {
    const classify = vi.fn<(failure: Failure, outcome: Outcome) => undefined>();
    const error = new Error('odd');
    judge({ error }, undefined, NOW, resolveConfig({ classify }), SILENT);
    expect(classify.mock.calls[0]?.[1]).toEqual({ error });
  });

  test('beats the server that said no, and leaves its reason where it agrees', () => {
    const response = respond(429, { 'x-should-retry': 'false' });
    expect(judged({ classify: (failure) => ({ ...failure, retryable: true }) }, response)).toMatchObject({
      serverSaidStop: false,
      failure: { retryable: true },
    });
    expect(judged({ classify: (failure) => ({ ...failure, message: 'mine' }) }, response).serverSaidStop).toBe(true);
  });
});

describe('a hint that is a date', () => {
  test('counts from the response head and not from the look at its body', () => {
    const date = new Date(NOW + 7_000).toUTCString();
    expect(judged({}, respond(429, { 'retry-after': date })).failure).toMatchObject({ retryAfterMs: 7_000 });
  });
});

test.each<[string, object]>([
  ['by its status alone', { status: 503 }],
  ['with headers that have nothing but get', { status: 503, headers: { get: () => null } }],
  ['without a status, but not ok', { ok: false }],
])('an answer that is no Response is judged %s', (_title, response) => {
  expect(judge({ response }, undefined, NOW, resolveConfig(), SILENT).failure).toMatchObject({ retryable: true });
});

test('an answer below 400 that is no success is unknown and not retried', () => {
  const { failure } = judge({ response: { status: 302 } }, undefined, NOW, resolveConfig(), SILENT);
  expect(failure).toMatchObject({ type: 'unknown', retryable: false, status: 302 });
});

test('secrets are scrubbed from the failure', () => {
  const { failure } = judge(
    { response: respond(401) },
    '{"error":{"message":"bad key my-secret-key"}}',
    NOW,
    resolveConfig(),
    { secrets: ['my-secret-key'] },
  );
  expect(JSON.stringify(failure)).not.toContain('my-secret-key');
});

test('a body is text for people, whatever it was', () => {
  expect([textOf(new Uint8Array([104, 105])), textOf('hi'), textOf(undefined)]).toEqual(['hi', 'hi', undefined]);
});
