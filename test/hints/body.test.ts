import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { bodyHint as hintOf, readBody, readWords } from '../../src/hints/body.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

const bodyHint = (parsed: unknown, nowMs: number): number | null => hintOf(readWords(parsed), nowMs);
const withMessage = (message: string): unknown => ({ error: { message, details: [{ retryDelay: '56s' }] } });

describe('bodyHint', () => {
  it.each([
    ['RetryInfo', { error: { details: [{ reason: 'x' }, { '@type': RETRY_INFO, retryDelay: '34.4s' }] } }, 34_400],
    ['RetryInfo in an array', [{ error: { details: [{ '@type': RETRY_INFO, retryDelay: '9s' }] } }], 9_000],
    ['Cloud Code', { error: { details: [{ metadata: { quotaResetDelay: '539.477544ms' } }] } }, 539.477544],
    [
      "WSO2's moment of the next access",
      { fault: { code: 900_802, nextAccessTime: '2026-Nov-20 12:00:40+0000 UTC' } },
      40_000,
    ],
    ["a gateway's own name for that moment", { error: { available_at: '2026-11-20T12:00:40Z' } }, 40_000],
    ['a known member before it', { next_retry_time: '2026-11-20T12:00:40Z', retry_after: 5 }, 5_000],
    ['Cloudflare', { cloudflare_error: true, retryable: true, retry_after: 120 }, 120_000],
    ['OpenRouter', { error: { availability: { code: 'capacity_exhausted', retry_after: 2.5 } } }, 2_500],
    [
      "OpenRouter's copy of its headers",
      { error: { metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 500) } } } },
      500,
    ],
    [
      "OpenRouter's wait for another provider, beside its unrounded form",
      { error: { metadata: { raw: 'x', retry_after_seconds: 11, retry_after_seconds_raw: 10.918 } } },
      11_000,
    ],
    ['a header in the copy of the headers', { error: { metadata: { headers: { 'Retry-After': '4' } } } }, 4_000],
    ['a name in capitals', { ERROR: 'x', error: { RETRY_AFTER: 6 } }, 6_000],
    ['error.retry_after', { error: { retry_after: '7' } }, 7_000],
    ['error.metadata.retryAfter', { error: { metadata: { retryAfter: 7 } } }, 7_000],
    ['retry_after with a unit', { retry_after: '20s' }, 20_000],
    ['retry_after_s', { error: { retry_after_s: 3 } }, 3_000],
    ['retry_after_ms', { error: { retry_after_ms: 250 } }, 250],
    ['retryAfterMs', { retryAfterMs: 0 }, 0],
    ['resets_in_seconds', { error: { type: 'usage_limit_reached', resets_in_seconds: 3_600 } }, 3_600_000],
    ['resets_at in seconds', { error: { resets_at: NOW / 1_000 + 60 } }, 60_000],
    ['resets_at in milliseconds', { error: { resets_at: NOW + 60_000 } }, 60_000],
    ['resets_at as RFC 3339', { error: { resets_at: '2026-11-20T12:01:00Z' } }, 60_000],
    ['an event of a stream', { type: 'response.failed', response: { error: { retry_after: 3 } } }, 3_000],
    ['detail, which may be one object', { detail: { retry_after: 3 } }, 3_000],
    ['a choice', { choices: [{ error: { retry_after: 3 } }] }, 3_000],
  ])('reads %s', (_case, parsed, ms) => {
    expect(bodyHint(parsed, NOW)).toBe(ms);
  });

  it('reads the field with the highest precedence, at any position', () => {
    const parsed = { resets_in_seconds: 900, error: { retry_after: 60, details: [{ retryDelay: '5s' }] } };
    expect(bodyHint(parsed, NOW)).toBe(5_000);
  });

  it('skips an invalid field', () => {
    expect(bodyHint({ retry_after: 'soon', error: { retry_after: null, resets_in_seconds: 5 } }, NOW)).toBe(5_000);
    expect(bodyHint({ retry_after: -5 }, NOW)).toBeNull();
    expect(bodyHint({ retry_after: true }, NOW)).toBeNull();
    expect(bodyHint({ retry_after: { seconds: 5 } }, NOW)).toBeNull();
    expect(bodyHint({ retry_after: [5] }, NOW)).toBeNull();
    expect(bodyHint({ resets_at: 0 }, NOW)).toBeNull();
    expect(bodyHint({ resets_at: '2026-11-20T11:00:00Z' }, NOW)).toBeNull();
  });

  it('is not early if the message has the fraction that the field was rounded down from', () => {
    expect(bodyHint(withMessage('Please retry in 56.185908122s.'), NOW)).toBe(56_185.908122);
    expect(bodyHint(withMessage('Please retry in 55.9s.'), NOW)).toBe(56_000);
    expect(bodyHint(withMessage('Please retry in 1 hour.'), NOW)).toBe(56_000);
    expect(bodyHint(withMessage('Please retry in 57.5s.'), NOW)).toBe(56_000);
    expect(bodyHint({ retry_after_ms: 56_500, message: 'Please retry in 57s.' }, NOW)).toBe(56_500);
    expect(bodyHint(withMessage('Your quota will reset after 0s.'), NOW)).toBe(56_000);
  });

  it('ignores everything outside of the known envelopes, since bodies echo requests', () => {
    expect(bodyHint({ request: { retry_after: 5 }, input: [{ retryDelay: '5s' }] }, NOW)).toBeNull();
    expect(bodyHint({ message: { retry_after: 5 } }, NOW)).toBeNull();
    expect(bodyHint({ request_headers: { retry_after: 5 }, headers_sent: { retry_after: 5 } }, NOW)).toBeNull();
  });

  it('opens no envelope that is null', () => {
    expect(bodyHint({ error: null, details: [null], retry_after: 5 }, NOW)).toBe(5_000);
  });

  it('reads own properties only', () => {
    expect(bodyHint(Object.create({ retry_after: 5 }), NOW)).toBeNull();
    expect(bodyHint(JSON.parse('{"__proto__":{"retry_after":5}}'), NOW)).toBeNull();
  });

  it('opens envelopes to a fixed depth', () => {
    const nest = (depth: number): unknown => (depth === 0 ? { retry_after: 5 } : { error: nest(depth - 1) });
    expect(bodyHint(nest(8), NOW)).toBe(5_000);
    expect(bodyHint(nest(9), NOW)).toBeNull();
    const list = (depth: number): unknown => (depth === 0 ? [{ retry_after: 5 }] : [list(depth - 1)]);
    expect(bodyHint(list(8), NOW)).toBe(5_000);
    expect(bodyHint(list(9), NOW)).toBeNull();
  });

  test.prop([fc.jsonValue()])('is null or a finite wait for any JSON', (parsed) => {
    const ms = bodyHint(parsed, NOW) ?? 0;
    expect(Number.isFinite(ms) && ms >= 0).toBe(true);
  });
});

describe('readWords', () => {
  it.each([
    [{ error: { message: 'a', metadata: { raw: 'b' } } }, 'a\nb'],
    [{ error: 'a' }, 'a'],
    [{ detail: 'a' }, 'a'],
    [{ message: { role: 'assistant', content: 'try again in 5s' } }, ''],
    [{ user_message: 'try again in 5s', message_sent: 'try again in 5s' }, ''],
    ['a', 'a'],
    [undefined, ''],
  ])('finds the texts of %j', (parsed, texts) => {
    expect(readWords(parsed).text).toBe(texts);
  });
});

describe('readBody', () => {
  it.each([
    ['JSON', '{"a":1}', { a: 1 }],
    ['JSON with a byte order mark', '\uFEFF {"a":1}\r\n', { a: 1 }],
    ['server-sent events', 'event: error\ndata: {"a":1}\n\ndata: [DONE]\n\n', [{ a: 1 }]],
    ['server-sent events with CRLF and no space', 'data:{"a":1}\r\n\r\ndata:{"a":2}\r\n\r\n', [{ a: 1 }, { a: 2 }]],
    ['NDJSON', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['a stream that was cut', 'data: {"a":1}\n\ndata: {"a":', [{ a: 1 }, undefined]],
    ['plain text', ' upstream timed out ', 'upstream timed out'],
    ['text with JSON in a line', 'upstream said {"a":1}', 'upstream said {"a":1}'],
    ['text with braces', '{ not JSON }\n{', '{ not JSON }\n{'],
    ['nothing', '', ''],
  ])('reads %s', (_case, body, expected) => {
    expect(readBody(body)).toEqual(expected);
  });

  it('looks at the first 64 KiB only', () => {
    expect(readBody(`${' '.repeat(70_000)}{"a":1}`)).toBe('');
  });
});
