import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { readFailure } from '../../src/classify/read-failure.ts';
import { classify, readResponse } from '../../src/classify/classify.ts';
import { FAILURES, type Failure } from '../../src/failure/failure.ts';
import { expectLinearTime } from '../linear-time.ts';
import { NOW } from './cases.ts';

describe('successes', () => {
  test.each([
    ['no body', { status: 200 }],
    ['204', { status: 204, body: '' }],
    ['a redirect', { status: 304 }],
    [
      'an answer',
      {
        status: 200,
        body: '{"id":"x","error":null,"choices":[{"message":{"content":"error"},"finish_reason":"stop"}]}',
      },
    ],
    ['an empty error', { status: 200, body: '{"error":""}' }],
    [
      'a job that failed',
      { status: 200, body: '{"object":"fine_tuning.job","status":"failed","error":{"code":"invalid_training_file"}}' },
    ],
    ['a batch that failed', { status: 200, body: '{"object":"batch","status":"failed","errors":{"data":[]}}' }],
    [
      'an error of JSON-RPC',
      { status: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}' },
    ],
    ['a list', { status: 200, body: '[{"candidates":[]},{"usageMetadata":{}}]' }],
    ['a page', { status: 200, body: '<html><title>503 Service Unavailable</title></html>' }],
    ['a text about an error', { status: 200, body: 'error: overloaded' }],
    ['JSON that is cut', { status: 200, body: '{"error":{"mess' }],
    ['binary', { status: 200, body: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0) }],
    [
      'a stream',
      {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n',
      },
    ],
  ] as const)('have no failure: %s', (_what, outcome) => {
    expect(classify(outcome)).toBeNull();
  });
});

describe('bodies that do not match their content type', () => {
  test.each([
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)],
    ['zeroes', new Uint8Array(64)],
    ['brackets without end', '['.repeat(200_000)],
    ['objects without end', '{"error":'.repeat(20_000)],
    [
      'JSON in JSON in JSON',
      Array.from({ length: 12 }).reduce<string>((inner) => JSON.stringify({ error: { message: inner } }), 'x'),
    ],
    [
      'prototypes',
      '{"__proto__":{"error":{"code":"x"},"retryable":false},"constructor":{"error":1},"error":{"__proto__":{"type":"x"},"toString":1}}',
    ],
    ['half a JSON', '{"error":{"message":"Overl'],
    ['null', 'null'],
    ['a number', '17'],
    ['an empty string', '""'],
    ['lone surrogates', '{"error":{"message":"\\ud800"}}'],
    ['empty members', '{"error":{},"message":"","detail":[],"errors":[null]}'],
  ])('%s: the status decides', (_what, body) => {
    expect(classify({ status: 429, body })).toMatchObject({ type: 'rate_limit', retryable: true, status: 429 });
  });

  test('a failure needs a numeric status', () => {
    expect(classify({ status: Number.NaN })).toBeNull();
  });

  test.each([
    [null, 'Expected `outcome` to be an object with a `status` or an `error`, got null.'],
    [
      new Error('It broke'),
      'Expected `status` to be a number (for an error write classify({ error })), got undefined.',
    ],
    [{ status: '429' }, 'Expected `status` to be a number (for an error write classify({ error })), got "429".'],
    [
      new Response('{"error":{"code":"insufficient_quota"}}', { status: 429 }),
      'Expected `body` to be a text or a Uint8Array, such as `await response.text()`, got an object.',
    ],
    [
      { status: 429, body: { error: { code: 'insufficient_quota' } } },
      'Expected `body` to be a text or a Uint8Array, such as `await response.text()`, got an object.',
    ],
  ])('the value %o is refused with the way to pass it', (outcome, message) => {
    expect(() => Reflect.apply(classify, undefined, [outcome])).toThrow(new TypeError(message));
  });

  test('a body that was cut is still searched for names', () => {
    const body = JSON.stringify({
      error: { code: 'insufficient_quota', message: 'x'.repeat(100), echo: 'y'.repeat(100) },
    }).slice(0, 180);
    expect(classify({ status: 429, body })).toMatchObject({ type: 'quota_exhausted', retryable: false });
  });

  test('the failed status of a stream does not hide the error in it', () => {
    const body = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    expect(classify({ status: 529, body })).toMatchObject({
      type: 'overloaded',
      message: 'Overloaded',
      phase: 'response',
      code: 'overloaded_error',
    });
  });

  test('headers that throw count as missing', () => {
    const headers = {
      get: (): string => {
        throw new Error('no');
      },
    };
    expect(classify({ status: 503, headers })).toMatchObject({ type: 'overloaded' });
  });
});

describe('the failure', () => {
  test('is that of the thrown error, if there was one', () => {
    const error = Object.assign(new Error('It broke'), { code: 'ECONNRESET' });
    expect(classify({ error })).toMatchObject({ type: 'connection_error', phase: 'connect' });
  });

  test('takes its wait from the body if its headers only seem to name one', () => {
    const headers = { 'x-ratelimit-limit': '5' };
    expect(classify({ status: 429, headers, body: '{"error":{"retry_after":3}}' })?.retryAfterMs).toBe(3_000);
    expect(classify({ status: 429, body: '{"error":{"retry_after":3}}' })?.retryAfterMs).toBe(3_000);
    expect(classify({ status: 429, headers: { 'retry-after': '7' } })?.retryAfterMs).toBe(7_000);
  });

  test('takes its name from a header, and a text of its own if there is none', () => {
    const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' };
    expect(classify({ status: 400, headers })).toMatchObject({
      type: 'rate_limit',
      code: 'ThrottlingException',
      message: 'HTTP 400',
    });
  });

  const outOfQuota = (): Failure | null =>
    classify({
      status: 429,
      body: '{"error":{"code":"insufficient_quota","message":"No sk-abcdefghijklmnop1234 left"}}',
    });

  test('is frozen, plain and free of keys', () => {
    const failure = outOfQuota();
    expect(Object.isFrozen(failure)).toBe(true);
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
    expect(failure?.message).not.toContain('abcdefghijklmnop');
  });

  test('says what to do only if waiting cannot help', () => {
    expect(outOfQuota()?.action).toBe(FAILURES.quota_exhausted.action);
    expect(classify({ status: 503 })).not.toHaveProperty('action');
  });

  test('has a message of its own if the server sent none, and a shortened one if it sent much', () => {
    expect(classify({ status: 503 })?.message).toBe('HTTP 503');
    expect(
      classify({ status: 400, body: JSON.stringify({ error: { message: 'x'.repeat(9_000) } }) })?.message,
    ).toHaveLength(512);
  });

  test('shows no secret of the request, even if a server uses it as a code', () => {
    const verdict = readResponse({
      status: 401,
      body: '{"error":{"code":"my-own-secret","message":"my-own-secret is wrong"}}',
      nowMs: NOW,
      secrets: ['my-own-secret'],
    });
    expect(JSON.stringify(verdict)).not.toContain('my-own-secret');
  });
});

const said = (value: string, status: number, body = ''): unknown => {
  const headers = { 'x-should-retry': value };
  return [
    classify({ status, headers, body })?.retryable,
    readResponse({ status, headers, body, nowMs: NOW })?.serverSaid,
  ];
};

describe('the x-should-retry header', () => {
  test('with false stops a retry', () => {
    expect(said('false', 503)).toEqual([false, 'stop']);
    expect(said('False', 503)).toEqual([false, 'stop']);
  });

  test('with true retries a status that would not be retried', () => {
    expect(said('true', 409)).toEqual([true, 'retry']);
    expect(said('true', 409, '{"error":{"type":"conflict_error"}}')).toEqual([true, 'retry']);
  });

  test('with true never overrides the body', () => {
    expect(said('true', 429, '{"error":{"code":"insufficient_quota"}}')).toEqual([false, 'retry']);
    expect(said('true', 400, '{"error":{"type":"invalid_request_error"}}')).toEqual([false, 'retry']);
  });

  test('with any other value has no effect', () => {
    expect(said('perhaps', 503)).toEqual([true, null]);
    expect(said('', 409)).toEqual([false, null]);
  });
});

describe('readFailure', () => {
  test('classifies an error that a reader has found, with the headers of its response', () => {
    const value = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' };
    const error = { value, text: JSON.stringify(value), exception: null };
    expect(readFailure({ status: 200, headers: { 'retry-after': '4' }, nowMs: NOW }, error, 'stream')).toMatchObject({
      failure: { type: 'rate_limit', retryable: true, status: 200, phase: 'stream', retryAfterMs: 4_000 },
      basis: 'evidence',
    });
  });

  test('classifies an exception of a frame', () => {
    const error = { value: { message: 'Too many requests' }, text: '', exception: 'throttlingException' };
    expect(readFailure({ status: 200, nowMs: NOW }, error, 'stream').failure).toMatchObject({
      type: 'rate_limit',
      code: 'throttlingException',
      provider: 'bedrock',
    });
  });
});

describe('any body', () => {
  property.prop([fc.jsonValue(), fc.constantFrom(200, 400, 429, 500, 503)])('any JSON is a body', (value, status) => {
    for (const body of [
      value,
      { error: value },
      { error: { message: value, code: value, details: [value], metadata: value } },
    ]) {
      classify({ status, body: JSON.stringify(body) });
    }
  });

  test.each([
    ['many braces', (length: number) => `{${'{['.repeat(length / 2)}`],
    [
      'many members',
      (length: number) =>
        JSON.stringify({ error: { details: Array.from({ length: length / 20 }, () => ({ reason: 'x' })) } }),
    ],
    ['nested messages', (length: number) => JSON.stringify({ error: { message: `${'{'.repeat(length)}}` } })],
  ])('takes linear time for %s', (_what, bodyOf) => {
    for (const status of [200, 400, 429]) {
      const bodies: Readonly<Record<number, string>> = { 4_096: bodyOf(4_096), 65_536: bodyOf(65_536) };
      expectLinearTime((length) => void classify({ status, body: bodies[length] ?? '' }), {
        short: 4_096,
        long: 65_536,
      });
    }
  });
});
