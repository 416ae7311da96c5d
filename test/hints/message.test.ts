import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { messageHint } from '../../src/hints/message.ts';

const NOW = Date.UTC(2026, 4, 31, 10, 4, 2);

describe('messageHint', () => {
  it.each([
    ['Remaining: 0. Limit resets at: 2026-05-31 10:04:41 UTC', 39_000],
    ['It resets at 2026-05-31 10:04:02 UTC.', 0],
    ['Please try again at 2026-05-31T10:04:41.250Z.', 39_250],
    ['Rate limited: retry again after 2026-05-31T10:05:02Z', 60_000],
    ['The limit resets at 1780221881.', 39_000],
    ['It will reset at 2026-05-31 18:04:41 +0800 CST.', 39_000],
    ['Usage limit reached, resets at 2026-05-31T04:34:41-05:30', 39_000],
  ])('finds the moment in "%s"', (text, ms) => {
    expect(messageHint(text, NOW)).toBe(ms);
  });

  it.each([
    ['one that is over', 'Limit resets at: 2026-05-31 10:04:01 UTC'],
    ['one whose zone is not said', 'Limit resets at: 2026-05-31 10:04:41'],
    ['one whose zone does not exist', 'Limit resets at: 2026-05-31 10:04:41 +9900'],
    ['one that does not exist', 'Limit resets at: 2026-13-31 10:04:41 UTC'],
    ['one that is no promise', 'The key was created at 2026-05-31 10:04:41 UTC'],
  ])('does not read a moment that is %s', (_what, text) => {
    expect(messageHint(text, NOW)).toBeNull();
  });

  it('finds the epoch second behind a limit that was reached', () => {
    expect(messageHint(`Claude AI usage limit reached|${NOW / 1_000 + 90}`, NOW)).toBe(90_000);
    expect(messageHint(`Claude AI usage limit reached|${NOW / 1_000 - 1}`, NOW)).toBeNull();
    expect(messageHint('limit reached|12345', NOW)).toBeNull();
  });

  it('prefers an amount to a moment', () => {
    expect(messageHint('Resets at 2026-05-31 12:00:00 UTC. Try again in 5s.', NOW)).toBe(5_000);
  });

  it.each([
    ['Please try again in 1.898s. Visit the help center.', 1_898],
    ['Try again in 35 seconds.', 35_000],
    ['Please retry after 33 seconds. Please go here', 33_000],
    ['Please retry in 56.185908122s.', 56_185.908122],
    ['Your quota will reset after 18h31m10s.', 66_670_000],
    ['Your quota will reset after 0s.', 0],
    ['Retry after 1234 ms', 1_234],
    ['Monthly usage limit reached. Resets in 3 days. ...', 259_200_000],
    ['Try again in 5 days 3 hours 12 minutes.', 443_520_000],
    ['retry in 1 minute and 5 seconds', 65_000],
    ['Wait 20 seconds, then slow down!', 20_000],
    ['please wait for 20 seconds', 20_000],
    ['wait at least 2 min', 120_000],
    ['wait another 2 min', 120_000],
    ['wait about 2 min', 120_000],
    ['Try again in approximately 45 seconds.', 45_000],
    ['retry_delay {\n  seconds: 43\n}', 43_000],
    ['retry in about 20s', 20_000],
    ['try your request again in 20s', 20_000],
    ['Expected available in 9 seconds.', 9_000],
    ['It resets automatically in 5 minutes.', 300_000],
    ['try again in **20s**', 20_000],
    ['TRY AGAIN\nIN 20 SECONDS', 20_000],
    ['retry later, and try again in 7s', 7_000],
    ['Retry after a while: try again in 7s', 7_000],
    ['Retrying the same request in 2s', 2_000],
  ])('finds the wait in "%s"', (text, ms) => {
    expect(messageHint(text, NOW)).toBe(ms);
  });

  it.each([
    ['too fast retry-after-ms=1500', 1_500],
    ['retry-after-ms=1500 retry-after=2', 1_500],
    ['Retry-After: 30\nserver: x', 30_000],
    ['retry_after: 2.5', 2_500],
    ['{"retry_after":30,"code":1}', 30_000],
    ['retry_after: 64.57', 64_570],
    ['retryAfterMs: 250', 250],
    ['retry_after_seconds = 12', 12_000],
    ['{"error":"{\\"retryDelay\\": \\"34.4s\\"}"}', 34_400],
    ['retry after 33', 33_000],
    ['Please retry after 33.', 33_000],
    ['(retry after 33)', 33_000],
  ])('finds the field, or the number without a unit, in "%s"', (text, ms) => {
    expect(messageHint(text, NOW)).toBe(ms);
  });

  it.each([
    ...['', 'retry', 'retry after', 'please modify your prompt and retry', 'try pulling it first'],
    ...['Please retry shortly.', 'Please try again later.'],
    'You can retry your request, or contact us',
    'Too many requests, please wait before trying again.',
    ...['try again in a few minutes', 'try again in 30', 'retry in 2024', 'wait 20', 'retry after 3 attempts'],
    ...['retry after 3  attempts', 'retry after 3 months', 'retry after 5 May', 'retry after 2026-11-20T12:00:00Z'],
    'Retry-After: Fri, 20 Nov 2026 12:00:00 GMT',
    ...['retry after 10:30', 'retry after 1,234 seconds', 'retry after -5', 'try again in 5 members'],
    ...['You made 60 requests in 1 minute', 'limits reset every 5 hours', 'available in 3 regions'],
    'disconnect/reset before headers. reset reason: connection failure',
    'Requested 1029 tokens (1028 in the messages, 1 in the completion)',
  ])('finds nothing in "%s"', (text) => {
    expect(messageHint(text, NOW)).toBeNull();
  });

  it('reads only the beginning of a long text', () => {
    expect(messageHint(`${'x '.repeat(4_000)}retry in 5s`, NOW)).toBe(5_000);
    expect(messageHint(`${'x '.repeat(5_000)}retry in 5s`, NOW)).toBeNull();
  });

  const words = fc.constantFrom(
    'retry',
    'after',
    'in',
    'again',
    'wait',
    ':',
    '5',
    '1e9',
    '9'.repeat(20),
    's',
    'ms',
    '"',
    '-',
    '\n',
  );
  test.prop([fc.array(words).map((parts) => parts.join(' ')), fc.string()])(
    'is null or a finite wait for any text',
    (likely, any) => {
      for (const text of [likely, any, likely.replaceAll(' ', '')]) {
        const ms = messageHint(text, NOW) ?? 0;
        expect(Number.isFinite(ms) && ms >= 0).toBe(true);
      }
    },
  );
});
