import { stripVTControlCharacters } from 'node:util';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../../src/report/plain-text.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { anyCharacter } from '../any-character.ts';
import { AT, attempt, failedEvent, failure, report } from './sample-events.ts';
import { quota, sample } from './sample-report.ts';

it('a report is rendered for a terminal of 80 columns without colours by default', () => {
  const [first = ''] = renderReport(sample).split('\n');
  expect(first).toMatch(/^╭─ QUOTA EXHAUSTED ─{60}╮$/);
});

it('refuses a misspelt option', () => {
  expect(() => renderReport(sample, { widht: 60 } as object)).toThrow('Unknown option `widht`. Did you mean `width`?');
});

it.each([23, 0, -1, 40.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a width of %d', (width) => {
  expect(() => renderReport(sample, { width })).toThrow('Expected `width` to be an integer ≥ 24');
});

describe('a report in a terminal', () => {
  it('is a box with what happened and the required actions', () => {
    expect(renderReport(sample, { width: 60 })).toBe(
      `
╭─ QUOTA EXHAUSTED ────────────────────────────────────────╮
│ WHAT HAPPENED                                            │
│   Quota exhausted (HTTP 429)                             │
│   The account has nothing left to spend.                 │
│   “You exceeded your current quota, please check your    │
│    plan and billing details.”                            │
│                                                          │
│ REQUIRED ACTIONS                                         │
│   1. Add credits to the account.                         │
│   2. Switch to another provider.                         │
│                                                          │
│ WHAT WAS TRIED                                           │
│   Quota exhausted (HTTP 429): failed after 1 attempt in  │
│   1.2s, a retry cannot help.                             │
│                                                          │
│ WHERE                                                    │
│   request    POST https://api.example.com/v1/messages    │
│   failed at  2027-01-15 08:00:00 UTC                     │
│   provider   openai                                      │
│   status     429                                         │
│   code       insufficient_quota                          │
│   call id    request-1                                   │
│   report id  report-1                                    │
│   plan       p-7                                         │
╰──────────────────────────────────────────────────────────╯`.trim(),
    );
  });

  it('shows the attempts of a call that made several, the newest ten', () => {
    const history = [
      ...Array.from({ length: 11 }, (_, index) => attempt(index + 1)),
      attempt(12, {
        failure: {
          type: 'connection_error',
          retryable: true,
          category: 'retryable',
          message: 'ECONNRESET',
          phase: 'connect',
        },
        because: 'hint',
        target: 'spare',
      }),
      attempt(13, { failure: null, delayMs: null, because: null }),
    ];
    const text = renderReport(report('r', { history }), { width: 100 });
    expect(text).not.toContain('attempt 3 ');
    expect(text).toContain('attempt 4   overloaded (503), took 200ms, then 800ms');
    expect(text).toContain('attempt 12  connection_error, took 200ms, at spare, then 800ms as the server asked');
    expect(text).toContain('attempt 13  success, took 200ms');
  });

  it('says when the server would accept the request, and when the report was resolved', () => {
    const resolved = { ...report('r', { possibleAt: AT + 60_000 }), resolvedAt: AT + 120_000 };
    const text = renderReport(resolved, {});
    expect(text).toContain('OVERLOADED (RESOLVED)');
    expect(text).toMatch(/possible again\s+2027-01-15 08:01:00 UTC/);
    expect(text).toMatch(/resolved at\s+2027-01-15 08:02:00 UTC/);
  });

  it('quotes the server once, and leaves out a section and a fact without contents', () => {
    const explanation = `It said: ${quota.message}`;
    const bare = { ...sample, explanation, body: ' ', recovery: { ...sample.recovery, actions: [] } };
    const text = renderReport(bare, { width: 200 });
    expect(text.split(quota.message)).toHaveLength(2);
    expect(text).not.toMatch(/REQUIRED ACTIONS|ANSWER|request id/);
    expect(renderReport({ ...sample, body: '{}' })).toMatch(/ANSWER +│\n│ +“\{\}” +│\n╰/);
  });

  it('shows the first and the last possible instant', () => {
    for (const at of [0, 8.64e15]) expect(renderReport({ ...sample, at })).toMatch(/failed at .* UTC /);
  });

  it('is coloured only with `color`, and equal apart from the colours', () => {
    const coloured = renderReport(sample, { color: true });
    expect(coloured).toContain('\u001B[1;31mQUOTA EXHAUSTED\u001B[0m');
    expect(stripVTControlCharacters(coloured)).toBe(renderReport(sample));
  });

  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\u001B[2J',
        '\u001B]0;x\u0007',
        '\u009B',
        '\r',
        '\n',
        '\b',
        '\u202E',
        ' ',
        '日本',
        '👍',
        'e\u0301',
        '`',
        '<b>',
      ),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }),
    ),
    maxLength: 60,
  });

  test.prop([hostile, hostile, hostile, fc.integer({ min: 24, max: 120 })])(
    'has lines of exactly its width and no control character, whatever a server said',
    (message, name, code, width) => {
      const bad = failure('server_error', { message, code, provider: name });
      const history = [attempt(1, { failure: bad, target: name }), attempt(2)];
      const event = failedEvent({ callId: code, method: name, url: message, failure: bad, history, body: message });
      const written = report('r', event, { [name]: message, plan: code });
      const text = renderReport(written, { width });
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      for (const line of text.split('\n')) expect(widthOf(line)).toBe(width);
    },
  );
});
