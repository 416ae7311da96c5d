import { describe, expect, it } from 'vitest';
import { EventLog } from '../../../src/cli/display/event-log.ts';
import { createRetryFetch, type RetryEvent } from '../../../src/index.ts';
import { decisionsOf, fakeRuntime, script, type Step, thrownBy } from '../../script.ts';
import { FakeOutput, fakeTerminal } from '../fake-terminal.ts';

/** The events of a call that meets these steps. */
async function eventsOf(...steps: readonly [Step, ...Step[]]): Promise<RetryEvent[]> {
  const runtime = fakeRuntime();
  const events: RetryEvent[] = [];
  const fetch = script(runtime, ...steps);
  const config = {
    runtime,
    jitter: 'none',
    callId: '7',
    onEvent: (event: RetryEvent) => void events.push(...decisionsOf([event])),
  } as const;
  await createRetryFetch({ fetch, ...config })('https://api.example.com/v1/messages?key=k', { method: 'POST' }).catch(
    () => {},
  );
  return events;
}

/** Every kind of event that a proxy without a fallback chain sees. */
async function sampleEvents(): Promise<RetryEvent[]> {
  const runtime = fakeRuntime();
  const events: RetryEvent[] = [];
  const leaving = new AbortController();
  const config = {
    runtime: { ...runtime, sleep: () => new Promise<void>(() => leaving.abort()) },
    callId: '8',
    onEvent: (event: RetryEvent) => void events.push(...decisionsOf([event])),
  } as const;
  await thrownBy(
    createRetryFetch({ fetch: script(runtime, 503), ...config })('https://api.example.com/', {
      signal: leaving.signal,
    }),
  );
  return [...(await eventsOf(503, 529, 200)), ...(await eventsOf(401)), ...events.slice(1)];
}

const SHOWN = { json: false, colour: true };

describe('EventLog', () => {
  it('writes one line per event of many calls', async () => {
    const terminal = fakeTerminal();
    const log = new EventLog(terminal, terminal.errors, SHOWN);
    for (const event of await sampleEvents()) log.showBriefly(event, `#${event.callId}`);
    expect(terminal.errors.lines).toEqual([
      '#7 ⚠ overloaded (HTTP 503): retry 1 of 3 in 1s',
      '#7 ⚠ overloaded (HTTP 529): retry 2 of 3 in 2s',
      '#7 ✓ succeeded after 3 attempts in 3s (2 × overloaded, waited 3s)',
      '#7 ✗ auth invalid (HTTP 401): failed after 1 attempt in 0s, a retry cannot help',
      '#8 ✗ cancelled after 1 attempt in 0s (overloaded)',
    ]);
  });

  it('fits into the terminal, in colours unless they are switched off', async () => {
    for (const [environment, colour] of [
      [{}, true],
      [{ NO_COLOR: '1' }, true],
      [{}, false],
    ] as const) {
      const terminal = fakeTerminal({ errors: new FakeOutput({ isTTY: true, columns: 40 }), environment });
      const log = new EventLog(terminal, terminal.errors, { json: false, colour });
      for (const event of await sampleEvents()) log.showBriefly(event, '#7 POST /v1/messages');
      const isColoured = colour && !('NO_COLOR' in environment);
      expect(terminal.errors.text.includes('\u001B[33m#7 POST')).toBe(isColoured);
      if (!isColoured) expect(terminal.errors.lines.filter((line) => line.length > 40)).toEqual([]);
    }
  });

  it('writes the same as records', async () => {
    const terminal = fakeTerminal();
    const log = new EventLog(terminal, terminal.errors, { json: true, colour: true });
    log.note({ type: 'warning', message: 'Mind the gap.' }, '⚠', 'waiting');
    for (const event of await sampleEvents()) log.showBriefly(event, '#7');
    const types = terminal.errors.lines.map((line): unknown => JSON.parse(line).type);
    expect(types.filter((type) => type !== 'attempt')).toEqual([
      'warning',
      'retry',
      'retry',
      'recovered',
      'failed',
      'cancelled',
    ]);
  });
});
