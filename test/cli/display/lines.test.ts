import { describe, expect, it } from 'vitest';
import { linesOf, reasonOf } from '../../../src/cli/display/lines.ts';
import { describeFailure } from '../../../src/index.ts';
import {
  cancelledEvent,
  failedEvent,
  failureOf,
  fallbackEvent,
  QUOTA,
  recoveredEvent,
  retryEvent,
  START,
} from '../samples.ts';

const WIDE = { columns: 200, colour: false };
const PIPED = { columns: Number.POSITIVE_INFINITY, colour: false };

describe('linesOf', () => {
  it.each([
    [200, ['⚠ overloaded (HTTP 429): retry 1 of 3 in 5s']],
    [40, ['⚠ overloaded (HTTP 429): retry 1 of 3', '  in 5s']],
    [20, ['⚠ overloaded (HTTP', '  429): retry 1 of 3', '  in 5s']],
  ])('fit a wait into %i columns', (columns, lines) => {
    expect(linesOf(retryEvent({ delayMs: 5_000 }), { ...WIDE, columns })).toEqual(lines);
  });

  it('are yellow, each line by itself, in colour', () => {
    for (const line of linesOf(retryEvent({ delayMs: 5_000 }), { columns: 40, colour: true }))
      expect(line).toMatch(/^.\[33m.*.\[39m$/u);
  });

  const recovered = recoveredEvent();

  it('show an answer after retries, a move to another target and a cancelled call', () => {
    expect([recovered, fallbackEvent(), cancelledEvent(2)].flatMap((event) => linesOf(event, PIPED))).toEqual([
      '✓ succeeded after 4 attempts in 1.2s (2 × overloaded, connection error, waited 1.2s)',
      '⚠ overloaded (HTTP 429): falls back from sonnet to haiku',
      '✗ cancelled after 2 attempts in 10ms',
    ]);
  });

  it('show what failed, why it is not retried, and what to do', () => {
    const { explanation, actions } = describeFailure(QUOTA);
    expect(actions.length).toBeGreaterThan(0);
    expect(linesOf(failedEvent(), PIPED)).toEqual([
      '✗ quota exhausted (HTTP 429): failed after 1 attempt in 10ms, a retry cannot help',
      `  ${explanation}`,
      ...actions.map((action) => `  → ${action}`),
    ]);
  });

  it('show when a retry is possible again', () => {
    const event = failedEvent({ because: 'retry-after-too-long', possibleAt: START + 2_592_000_000 });
    const lines = linesOf(event, PIPED);
    expect(lines[0]).toMatch(/, the server asks for a longer wait than is allowed, possible again in 30d$/);
    expect(lines.at(-1)).toBe('  possible again at 2026-12-20T12:00:00Z');
  });

  it('do not show a time in the past', () => {
    const lines = linesOf(failedEvent({ possibleAt: START }), PIPED);
    expect(lines.join('\n')).not.toContain('possible again');
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
});
