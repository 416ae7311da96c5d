import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/cli/display/layout.ts';
import {
  type Ending,
  endingLines,
  fallbackLines,
  roundUp,
  waitedLines,
  waitLines,
} from '../../../src/cli/display/lines.ts';
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

const WIDE = { columns: 200, colour: false, keys: true };
const PIPED = { columns: Number.POSITIVE_INFINITY, colour: false, keys: false };

describe('waitLines', () => {
  it.each([
    [200, 5_000, ['⚠ Service overloaded (HTTP 429) — retrying in 5s… retry 1 of 3, esc to cancel, enter to retry now']],
    [
      79,
      5_000,
      ['⚠ Service overloaded (HTTP 429) — retrying in 5s… retry 1 of 3, esc to cancel,', '  enter to retry now'],
    ],
    [
      39,
      5_000,
      ['⚠ Service overloaded (HTTP 429)', '  — retrying in 5s… retry 1 of 3,', '  esc to cancel, enter to retry now'],
    ],
    [
      20,
      5_000,
      [
        '⚠ Service overloaded',
        '  (HTTP 429)',
        '  — retrying in 5s…',
        '  retry 1 of 3,',
        '  esc to cancel,',
        '  enter to retry now',
      ],
    ],
    [200, 0, ['⚠ Service overloaded (HTTP 429) — retrying now… retry 1 of 3, esc to cancel']],
    [
      200,
      272_000,
      ['⚠ Service overloaded (HTTP 429) — retrying in 4m 32s… retry 1 of 3, esc to cancel, enter to retry now'],
    ],
  ])('fits %i columns with %i ms left', (columns, remainingMs, lines) => {
    expect(waitLines(retryEvent(), remainingMs, { ...WIDE, columns })).toEqual(lines);
  });

  it('show no keys if there are none, and no limit if there is none', () => {
    expect(waitLines(retryEvent({ attempt: 7, maxRetries: Number.POSITIVE_INFINITY }), 800, PIPED)).toEqual([
      '⚠ Service overloaded (HTTP 429) — retrying in 800ms… retry 7',
    ]);
  });

  it('are yellow, each line by itself, in colour', () => {
    for (const line of waitLines(retryEvent(), 5_000, { columns: 40, colour: true, keys: true })) {
      expect(line).toMatch(/^.\[33m.*.\[39m$/u);
      expect(widthOf(line)).toBeLessThanOrEqual(40);
    }
  });
});

describe('waitedLines and fallbackLines', () => {
  it('show what is over and the next target', () => {
    expect(waitedLines(retryEvent(), 1_234, WIDE)).toEqual(['⚠ Service overloaded (HTTP 429) — waited 1.2s']);
    expect(fallbackLines(fallbackEvent(), WIDE)).toEqual([
      '⚠ Service overloaded (HTTP 429) — falling back from sonnet to haiku',
    ]);
  });
});

describe('endingLines', () => {
  const recovered: Ending = { how: 'answered', event: recoveredEvent() };

  it('show the history of an answer after retries, and nothing for one without', () => {
    expect(endingLines(recovered, WIDE)).toEqual([
      '✓ answered after 3 retries: 429 overloaded, 502 overloaded, connection reset — waited 1.2s',
    ]);
    expect(endingLines(recovered, { ...WIDE, columns: 40 })).toEqual([
      '✓ answered after 3 retries:',
      '  429 overloaded, 502 overloaded,',
      '  connection reset — waited 1.2s',
    ]);
    expect(endingLines({ how: 'answered', event: undefined }, WIDE)).toEqual([]);
  });

  it('name no wait if the next attempt was sent at once', () => {
    const [failed, answered] = historyOf([OVERLOADED, 0], [null, 0]);
    // Reading the failed response takes some time too.
    const history = [failed, answered].flatMap((attempt) =>
      attempt === undefined ? [] : { ...attempt, startedAt: attempt.startedAt + 29 * attempt.attempt },
    );
    const event = recoveredEvent({ attempts: 2, history });
    expect(endingLines({ how: 'answered', event }, WIDE)).toEqual(['✓ answered after 1 retry: 429 overloaded']);
  });

  it('show what failed, why it is not retried, and what to do', () => {
    const { headline, explanation, actions } = describeFailure(QUOTA);
    expect(actions.length).toBeGreaterThan(0);
    expect(endingLines({ how: 'given-up', event: failedEvent() }, PIPED)).toEqual([
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
    const lines = endingLines({ how: 'given-up', event }, PIPED);
    expect(lines[0]).toBe(
      '✗ Service overloaded (HTTP 429) — the server asks for a longer wait than is allowed after 2 retries: 2 × 429 overloaded, connection reset',
    );
    expect(lines.at(-1)).toBe('  possible again in 30d at 2026-12-20T12:00:00Z');
  });

  it('do not show a time in the past', () => {
    const lines = endingLines({ how: 'given-up', event: failedEvent({ possibleAt: START }) }, PIPED);
    expect(lines.join('\n')).not.toContain('possible again');
  });

  it.each([
    [{ how: 'cancelled', event: undefined }, '✗ cancelled'],
    [{ how: 'cancelled', event: cancelledEvent(1) }, '✗ cancelled after 1 attempt'],
    [{ how: 'cancelled', event: cancelledEvent(2) }, '✗ cancelled after 2 attempts'],
    [
      { how: 'broken', error: new TypeError('terminated', { cause: new Error('other side closed') }) },
      '✗ terminated: other side closed',
    ],
    [{ how: 'broken', error: new TypeError('terminated', { cause: new Error('') }) }, '✗ terminated'],
    [{ how: 'broken', error: new Error('broke off') }, '✗ broke off'],
    [{ how: 'broken', error: 'text' }, '✗ text'],
  ] satisfies [Ending, string][])('ends in one line: %#', (ending, line) => {
    expect(endingLines(ending, WIDE)).toEqual([line]);
  });

  it('show nothing of a server that could control the terminal', () => {
    const failure = failureOf('invalid_request', { status: 400, message: 'no\u001B[2J\u001B]0;owned\u0007\r\nmore' });
    const ending: Ending = { how: 'given-up', event: failedEvent({ failure }) };
    for (const line of endingLines(ending, WIDE)) expect(line).not.toMatch(/\p{Cc}/u);
  });

  it.each([20, 40, 80])('stay within %i columns', (columns) => {
    const endings: Ending[] = [recovered, { how: 'given-up', event: failedEvent({ possibleAt: START + 90_000 }) }];
    for (const line of endings.flatMap((ending) => endingLines(ending, { columns, colour: true, keys: false }))) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('roundUp', () => {
  it('never shows 0 before the wait is over', () => {
    expect([0, 1, 999, 1_000, 1_001].map(roundUp)).toEqual([0, 1_000, 1_000, 1_000, 2_000]);
  });
});
