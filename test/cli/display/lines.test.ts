import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/cli/display/layout.ts';
import { linesOf, reasonOf, roundUp } from '../../../src/cli/display/lines.ts';
import { describeFailure } from '../../../src/index.ts';
import {
  cancelledEvent,
  failedEvent,
  failureOf,
  fallbackEvent,
  historyOf,
  OVERLOADED,
  QUOTA,
  recoveredEvent,
  RESET,
  retryEvent,
  START,
} from '../samples.ts';

const WIDE = { columns: 200, colour: false };
const PIPED = { columns: Number.POSITIVE_INFINITY, colour: false };

describe('linesOf', () => {
  it.each([
    [200, ['⚠ Service overloaded (HTTP 429) — retrying in 5s… retry 1 of 3']],
    [39, ['⚠ Service overloaded (HTTP 429)', '  — retrying in 5s… retry 1 of 3']],
    [20, ['⚠ Service overloaded', '  (HTTP 429)', '  — retrying in 5s…', '  retry 1 of 3']],
  ])('fit a wait into %i columns', (columns, lines) => {
    expect(linesOf(retryEvent({ delayMs: 5_000 }), { ...WIDE, columns })).toEqual(lines);
  });

  it('show no limit if there is none, and the next target', () => {
    const event = retryEvent({ attempt: 7, maxRetries: Number.POSITIVE_INFINITY, delayMs: 800 });
    expect(linesOf(event, PIPED)).toEqual(['⚠ Service overloaded (HTTP 429) — retrying in 800ms… retry 7']);
    expect(linesOf(fallbackEvent(), WIDE)).toEqual([
      '⚠ Service overloaded (HTTP 429) — falling back from sonnet to haiku',
    ]);
  });

  it('are yellow, each line by itself, in colour', () => {
    for (const line of linesOf(retryEvent({ delayMs: 5_000 }), { columns: 40, colour: true }))
      expect(line).toMatch(/^.\[33m.*.\[39m$/u);
  });

  const recovered = recoveredEvent();

  it('show the history of an answer after retries, and nothing for one without', () => {
    expect(linesOf(recovered, WIDE)).toEqual([
      '✓ answered after 3 retries: 429 overloaded, 502 overloaded, connection reset — waited 1.2s',
    ]);
    expect(linesOf(recovered, { ...WIDE, columns: 40 })).toEqual([
      '✓ answered after 3 retries:',
      '  429 overloaded, 502 overloaded,',
      '  connection reset — waited 1.2s',
    ]);
  });

  it('name no wait if the next attempt was sent at once', () => {
    const [failed, answered] = historyOf([OVERLOADED, 0], [null, 0]);
    // Reading the failed response takes some time too.
    const history = [failed, answered].flatMap((attempt) =>
      attempt === undefined ? [] : { ...attempt, startedAt: attempt.startedAt + 29 * attempt.attempt },
    );
    const event = recoveredEvent({ attempts: 2, history });
    expect(linesOf(event, WIDE)).toEqual(['✓ answered after 1 retry: 429 overloaded']);
  });

  it('show what failed, why it is not retried, and what to do', () => {
    const { headline, explanation, actions } = describeFailure(QUOTA);
    expect(actions.length).toBeGreaterThan(0);
    expect(linesOf(failedEvent(), PIPED)).toEqual([
      `✗ ${headline} — a retry cannot help`,
      `  ${explanation}`,
      ...actions.map((action) => `  → ${action}`),
    ]);
  });

  it('show the number of attempts, and when a retry is possible again', () => {
    const event = failedEvent({
      attempts: 3,
      because: 'retry-after-too-long',
      failure: OVERLOADED,
      history: historyOf([OVERLOADED, 1], [RESET, 1], [OVERLOADED, 0]),
      possibleAt: START + 2_592_000_000,
    });
    const lines = linesOf(event, PIPED);
    expect(lines[0]).toBe(
      '✗ Service overloaded (HTTP 429) — the server asks for a longer wait than is allowed after 2 retries: 2 × 429 overloaded, connection reset',
    );
    expect(lines.at(-1)).toBe('  possible again in 30d at 2026-12-20T12:00:00Z');
  });

  it('do not show a time in the past', () => {
    const lines = linesOf(failedEvent({ possibleAt: START }), PIPED);
    expect(lines.join('\n')).not.toContain('possible again');
  });

  it('count the attempts of a call that was cancelled', () => {
    expect(linesOf(cancelledEvent(1), WIDE)).toEqual(['✗ cancelled after 1 attempt']);
    expect(linesOf(cancelledEvent(2), WIDE)).toEqual(['✗ cancelled after 2 attempts']);
  });

  it.each([
    [new TypeError('terminated', { cause: new Error('other side closed') }), 'terminated: other side closed'],
    [new TypeError('terminated', { cause: new Error('') }), 'terminated'],
    ['text', 'text'],
  ])('name the reason of an error: %#', (error, words) => expect(reasonOf(error)).toBe(words));

  it('show nothing of a server that could control the terminal', () => {
    const failure = failureOf('invalid_request', { status: 400, message: 'no\u001B[2J\u001B]0;owned\u0007\r\nmore' });
    for (const line of linesOf(failedEvent({ failure }), WIDE)) expect(line).not.toMatch(/\p{Cc}/u);
  });

  it.each([20, 40, 80])('stay within %i columns', (columns) => {
    const events = [recovered, failedEvent({ possibleAt: START + 90_000 })];
    for (const line of events.flatMap((event) => linesOf(event, { columns, colour: true }))) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('roundUp', () => {
  it('never shows 0 before the wait is over', () => {
    expect([0, 1, 999, 1_000, 1_001].map(roundUp)).toEqual([0, 1_000, 1_000, 1_000, 2_000]);
  });
});
