import { describe, expect, it } from 'vitest';
import { EventLog } from '../../../src/cli/display/event-log.ts';
import { describeFailure, type RetryEvent } from '../../../src/index.ts';
import { FakeOutput, fakeTerminal } from '../fake-terminal.ts';
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

interface Shown {
  readonly json?: boolean;
  readonly colour?: boolean;
  /** Of a terminal; undefined: a pipe. */
  readonly columns?: number;
  readonly call?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function shown(events: readonly RetryEvent[], options: Shown = {}): readonly string[] {
  const { json = false, colour = false, columns, call, environment = {} } = options;
  const errors = new FakeOutput(columns === undefined ? {} : { isTTY: true, columns });
  const log = new EventLog(fakeTerminal({ errors, environment }), errors, { json, colour });
  for (const event of events) log.show(event, call);
  return errors.lines;
}

describe('EventLog', () => {
  it.each([
    [200, ['⚠ overloaded (HTTP 429): retry 1 of 3 in 5s']],
    [41, ['⚠ overloaded (HTTP 429): retry 1 of 3', '  in 5s']],
    [21, ['⚠ overloaded (HTTP', '  429): retry 1 of 3', '  in 5s']],
  ])('fits a wait into a terminal of %i columns', (columns, lines) => {
    expect(shown([retryEvent()], { columns })).toEqual(lines);
  });

  it('is yellow, each line by itself, unless colours are switched off', () => {
    const lines = shown([retryEvent()], { columns: 40, colour: true });
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^.\[33m.*.\[39m$/u);
    const plain = shown([retryEvent()], { columns: 40 });
    expect(plain.join()).not.toMatch(/\p{Cc}/u);
    expect(shown([retryEvent()], { columns: 40, colour: true, environment: { NO_COLOR: '1' } })).toEqual(plain);
  });

  it('shows an answer after retries, a move to another target and a cancelled call, and nothing of an attempt', () => {
    const attempt = { ...cancelledEvent(2), type: 'attempt', attempt: 2 } as const;
    expect(shown([recoveredEvent(), fallbackEvent(), attempt, cancelledEvent(2)])).toEqual([
      '✓ succeeded after 4 attempts in 1.2s (2 × overloaded, connection error, waited 1.2s)',
      '⚠ overloaded (HTTP 429): falls back from sonnet to haiku',
      '✗ cancelled after 2 attempts in 10ms',
    ]);
  });

  it('shows what failed, why it is not retried, and what to do; of many calls, in one line', () => {
    const { explanation, actions } = describeFailure(QUOTA);
    expect(actions.length).toBeGreaterThan(0);
    const first = '✗ quota exhausted (HTTP 429): failed after 1 attempt in 10ms, a retry cannot help';
    expect(shown([failedEvent()])).toEqual([first, `  ${explanation}`, ...actions.map((action) => `  → ${action}`)]);
    expect(shown([failedEvent()], { call: '#7 POST /' })).toEqual([`#7 POST / ${first}`]);
  });

  it('shows when a retry is possible again, unless that has passed', () => {
    const lines = shown([failedEvent({ because: 'retry-after-too-long', possibleAt: START + 2_592_000_000 })]);
    expect(lines[0]).toMatch(/, the server asks for a longer wait than is allowed, possible again in 30d$/);
    expect(lines.at(-1)).toBe('  possible again at 2026-12-20T12:00:00Z');
    expect(shown([failedEvent({ possibleAt: START })]).join('\n')).not.toContain('possible again');
  });

  it('shows nothing of a server that could control the terminal', () => {
    const message = 'no\u001B[2J\u001B]0;owned\u0007\r\nmore';
    const failure = failureOf('invalid_request', { status: 400, message });
    expect(shown([failedEvent({ failure })], { columns: 200 }).join('')).not.toMatch(/\p{Cc}/u);
  });

  it('writes every event as a record for a program', () => {
    const events = [retryEvent(), { ...cancelledEvent(1), type: 'attempt', attempt: 2 } as const, failedEvent()];
    const lines = shown(events, { json: true, call: '#7', columns: 20 });
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(events)));
  });
});
