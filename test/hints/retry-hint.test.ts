import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { cpuMsOf } from '../linear-time.ts';
import { readHeaders } from '../../src/hints/header-reader.ts';
import { readWords, type Words } from '../../src/hints/body.ts';
import { findHint, retryHint } from '../../src/hints/retry-hint.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('retryHint', () => {
  const strongestFirst = [
    { source: 'retry-after-ms', ms: 1, headers: { 'retry-after-ms': '1' } },
    { source: 'retry-after', ms: 2_000, headers: { 'retry-after': '2' } },
    { source: 'body', ms: 3_000, body: { retry_after: 3 } },
    { source: 'message', ms: 4_000, body: { message: 'try again in 4s' } },
    { source: 'reset-header', ms: 5_000, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' } },
  ] as const;

  it.each(strongestFirst.map((place, index) => [place.source, index] as const))(
    'takes %s before everything that is weaker',
    (source, index) => {
      const places = strongestFirst.slice(index);
      const headers = Object.assign({}, ...places.map((place) => ('headers' in place ? place.headers : {})));
      const body = Object.assign({}, ...places.map((place) => ('body' in place ? place.body : {})));
      expect(retryHint({ headers, body: JSON.stringify(body), nowMs: NOW })).toEqual({
        ms: strongestFirst[index]?.ms,
        source,
      });
    },
  );

  it('skips malformed values', () => {
    const headers = {
      'retry-after-ms': 'soon',
      'retry-after': '1, x',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '5',
    };
    const body = '{"retry_after":"later","message":"try again later"}';
    expect(retryHint({ headers, body, nowMs: NOW })).toEqual({ ms: 5_000, source: 'reset-header' });
    expect(retryHint({ headers: { 'retry-after': '-5' }, body: 'Service Unavailable' })).toBeNull();
  });

  it('reads a zero as a hint', () => {
    expect(retryHint({ headers: { 'retry-after-ms': '0', 'retry-after': '7' } })).toEqual({
      ms: 0,
      source: 'retry-after-ms',
    });
    expect(retryHint({ headers: { 'retry-after': '0' } })).toEqual({ ms: 0, source: 'retry-after' });
  });

  it.each([
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 11:00:10 GMT' }, undefined],
    [
      'an RFC 3339 reset',
      { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-11-20T11:00:10Z' },
      undefined,
    ],
    ['a moment in the body', {}, '{"resets_at":"2026-11-20T11:00:10Z"}'],
  ])('counts %s from the clock of the server', (_case, headers, body) => {
    const date = 'Fri, 20 Nov 2026 11:00:00 GMT';
    expect(retryHint({ headers: { ...headers, date }, body, nowMs: NOW })?.ms).toBe(10_000);
    expect(retryHint({ headers: { ...headers, date, age: '30' }, body, nowMs: NOW })).toBeNull();
    expect(retryHint({ headers: { ...headers, date: 'garbage' }, body, nowMs: NOW - 3_600_000 })?.ms).toBe(10_000);
  });

  it('reads a hint inside an event of a stream', () => {
    const failed = { type: 'response.failed', response: { error: { message: 'Please try again in 11.054s.' } } };
    const echo = { type: 'response.created', response: { instructions: `try again in 1s ${'x'.repeat(20_000)}` } };
    const body = `event: response.created\ndata: ${JSON.stringify(echo)}\n\nevent: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
    expect(retryHint({ body })).toEqual({ ms: 11_054, source: 'message' });
  });

  it('reads a hint inside of JSON that is inside a message', () => {
    const message = JSON.stringify({ error: { code: 429, details: [{ retryDelay: '34s' }] } }, null, 2);
    expect(retryHint({ body: JSON.stringify({ error: { message } }) })).toEqual({ ms: 34_000, source: 'message' });
  });

  it('reads a hint in plain text and in JSON that was cut', () => {
    expect(retryHint({ body: '<p>Try again in 30 seconds.</p>' })?.ms).toBe(30_000);
    expect(retryHint({ body: '{\n "details": [\n {\n "retryDelay": "56s"\n' })?.ms).toBe(56_000);
  });

  it('finds no hint in an empty response', () => {
    expect([retryHint({}), retryHint({ body: '' }), retryHint({ headers: {} })]).toEqual([null, null, null]);
    expect(retryHint(JSON.parse('{"headers":null,"body":{}}'))).toBeNull();
    expect(retryHint({ headers: undefined, body: undefined, nowMs: undefined, status: undefined })).toBeNull();
  });

  it('passes the status on to the reset headers', () => {
    const headers = { 'x-ratelimit-reset': '5' };
    expect(retryHint({ headers, status: 429 })?.ms).toBe(5_000);
    expect(retryHint({ headers, status: 400 })).toBeNull();
  });

  test.prop([
    fc.dictionary(
      fc.constantFrom('retry-after', 'retry-after-ms', 'x-ratelimit-reset', 'date', 'ratelimit'),
      fc.string(),
    ),
    fc.string(),
  ])('never throws, and a hint is finite and not negative', (headers, body) => {
    const ms = retryHint({ headers, body, nowMs: NOW })?.ms ?? 0;
    expect(Number.isFinite(ms) && ms >= 0).toBe(true);
  });
});

describe('findHint', () => {
  it('does not read the body if a header is enough', () => {
    const parsed = vi.fn<() => Words>(() => readWords({ retry_after: 3 }));
    expect(findHint(readHeaders({ 'retry-after': '2' }), NOW, 429, parsed)?.ms).toBe(2_000);
    expect(parsed).not.toHaveBeenCalled();
    expect(findHint(readHeaders({}), NOW, 429, parsed)?.ms).toBe(3_000);
    expect(parsed).toHaveBeenCalledOnce();
  });
});

describe('the time for finding a hint', () => {
  it('is short for 200,000 brackets', () => {
    const ms = cpuMsOf(() => {
      expect(retryHint({ body: '['.repeat(200_000) })).toBeNull();
      expect(retryHint({ body: `${'['.repeat(30_000)}${']'.repeat(30_000)}` })).toBeNull();
    });
    expect(ms).toBeLessThan(1_000);
  });
});

it('is short enough for the moment after it to be a valid Date', () => {
  const ms = retryHint({ headers: { 'retry-after': '99999999999999' } })?.ms ?? Number.NaN;
  expect(new Date(Date.UTC(2026, 10, 20) + ms).toISOString()).toMatch(/^\+033/);
});
