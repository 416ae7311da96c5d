import { describe, expect, it } from 'vitest';
import { JsonLog, LineLog, type ProxyLog } from '../../../src/cli/display/proxy-log.ts';
import { createRetryFetch, type RetryEvent } from '../../../src/index.ts';
import { decisionsOf, fakeRuntime, script, type Step, thrownBy } from '../../script.ts';
import { FakeOutput, type FakeTerminal, fakeTerminal } from '../fake-terminal.ts';

/** The events of a call that meets these steps. */
async function eventsOf(...steps: readonly [Step, ...Step[]]): Promise<RetryEvent[]> {
  const runtime = fakeRuntime();
  const events: RetryEvent[] = [];
  const fetch = script(runtime, ...steps);
  const config = {
    runtime,
    jitter: 'none',
    requestId: '7',
    onEvent: (event: RetryEvent) => void events.push(...decisionsOf([event])),
  } as const;
  await createRetryFetch(fetch, config)('https://api.example.com/v1/messages?key=k', { method: 'POST' }).catch(
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
    requestId: '8',
    onEvent: (event: RetryEvent) => void events.push(...decisionsOf([event])),
  } as const;
  await thrownBy(
    createRetryFetch(script(runtime, 503), config)('https://api.example.com/', { signal: leaving.signal }),
  );
  return [...(await eventsOf(503, 529, 200)), ...(await eventsOf(401)), ...events.slice(1)];
}

const LINES = [
  '#7 POST /v1/messages ⚠ Service overloaded (HTTP 503) — retrying in 1s… retry 1 of 3',
  '#7 POST /v1/messages ⚠ Service overloaded (HTTP 529) — retrying in 2s… retry 2 of 3',
  '#7 POST /v1/messages ✓ answered after 2 retries: 503 overloaded, 529 overloaded — waited 3s',
  '#7 POST /v1/messages ✗ API key not accepted (HTTP 401) — a retry cannot help',
  '#8 GET / ✗ cancelled after 1 attempt',
];

async function tell(log: ProxyLog): Promise<void> {
  log.listening('http://127.0.0.1:8529', 'https://api.example.com');
  log.warning('Mind the gap.');
  for (const event of await sampleEvents()) log.event(event);
  log.stopping({ running: 3, waiting: 1, nextAttemptMs: 11_001 });
  log.cancelling(2);
}

describe('LineLog', () => {
  it('writes one line per event: the address to standard output, the rest to standard error', async () => {
    const terminal = fakeTerminal();
    await tell(new LineLog(terminal, true));
    expect(terminal.output.lines).toEqual(['Listening on http://127.0.0.1:8529, sending to https://api.example.com']);
    expect(terminal.errors.lines).toEqual([
      '⚠ Mind the gap.',
      ...LINES,
      'Stopping after 3 calls (1 waiting to retry, the next attempt in 12s); stop again to cancel',
      'Cancelling 2 calls',
    ]);
  });

  it.each([
    [{ running: 1, waiting: 0, nextAttemptMs: null }, 'Stopping after 1 call; stop again to cancel'],
    [
      { running: 2, waiting: 2, nextAttemptMs: 0 },
      'Stopping after 2 calls (waiting to retry, the next attempt in 1s); stop again to cancel',
    ],
  ])('shows the calls that remain when it stops: %j', (remaining, line) => {
    const terminal = fakeTerminal();
    new LineLog(terminal, true).stopping(remaining);
    expect(terminal.errors.lines).toEqual([line]);
  });

  it('shows why a request waits before it is sent, and nothing for an attempt', () => {
    const terminal = fakeTerminal();
    const log = new LineLog(terminal, true);
    const call = { requestId: '7', method: 'POST', url: 'https://api.example.com/v1', at: 0 };
    log.event({ ...call, type: 'delayed', attempt: 1, delayMs: 12_000, nextAttemptAt: 12_000, because: 'hint' });
    log.event({ ...call, type: 'attempt', attempt: 1 });
    log.event({ ...call, type: 'delayed', attempt: 3, delayMs: 2_000, nextAttemptAt: 14_000, because: 'cooldown' });
    expect(terminal.errors.lines).toEqual([
      '#7 POST /v1 ⚠ The server asked for a wait — sending in 12s…',
      '#7 POST /v1 ⚠ The service is not answering — retrying in 2s… retry 2',
    ]);
  });

  it('shows for a stored answer whose it is, and that nothing was sent', async () => {
    const terminal = fakeTerminal();
    const [event] = await eventsOf(401);
    if (event?.type !== 'failed') throw new Error('no failure');
    const stored = { ...event, requestId: '9', attempts: 0, history: [], answerOf: '7' };
    new LineLog(terminal, true).event(stored);
    new JsonLog(terminal).event(stored);
    expect(terminal.errors.lines).toEqual([
      '#9 POST /v1/messages ✗ API key not accepted (HTTP 401) — the stored answer of #7, nothing was sent',
      expect.stringContaining('"answerOf":"7"'),
    ]);
  });

  it('shows a fallback', async () => {
    const terminal = fakeTerminal();
    const [event] = await eventsOf(503, 200);
    if (event?.type !== 'retry') throw new Error('no retry');
    new LineLog(terminal, true).event({ ...event, type: 'fallback', from: 'large', to: 'small' });
    expect(terminal.errors.lines).toEqual([
      '#7 POST /v1/messages ⚠ Service overloaded (HTTP 503) — falling back from large to small',
    ]);
  });

  const screen = (environment = {}): FakeTerminal =>
    fakeTerminal({
      output: new FakeOutput({ isTTY: true, columns: 40 }),
      errors: new FakeOutput({ isTTY: true, columns: 40 }),
      environment,
    });

  it('fits into the terminal, in colours unless they are switched off', async () => {
    const coloured = screen();
    await tell(new LineLog(coloured, true));
    expect(coloured.errors.text).toContain('\u001B[33m#7 POST /v1/messages');
    // Below the ^C that a terminal shows for the key.
    expect(coloured.errors.text).toContain('\n\nStopping after 3 calls');
    for (const plain of [screen({ NO_COLOR: '1' }), screen()]) {
      await tell(new LineLog(plain, plain.environment.NO_COLOR === '1'));
      expect(plain.errors.text).not.toContain('\u001B');
      expect([...plain.errors.lines, ...plain.output.lines].filter((line) => line.length > 40)).toEqual([]);
    }
  });

  it('shows no path that could move the cursor', async () => {
    const terminal = fakeTerminal();
    const [event] = await eventsOf(401);
    if (event === undefined) throw new Error('no event');
    new LineLog(terminal, true).event({ ...event, url: 'no url\u001B[2J' });
    expect(terminal.errors.text).toMatch(/^#7 POST no url ✗/);
  });
});

describe('JsonLog', () => {
  it('writes the same as records', async () => {
    const terminal = fakeTerminal();
    await tell(new JsonLog(terminal));
    expect(terminal.output.lines.map((line): unknown => JSON.parse(line))).toEqual([
      { type: 'listening', url: 'http://127.0.0.1:8529', target: 'https://api.example.com' },
    ]);
    const [warning, ...more] = terminal.errors.lines.map((line): Record<string, unknown> => JSON.parse(line));
    expect(warning).toEqual({ type: 'warning', message: 'Mind the gap.' });
    expect(more.map(({ type }) => type).filter((type) => type !== 'attempt')).toEqual([
      'retry',
      'retry',
      'recovered',
      'failed',
      'cancelled',
      'stopping',
      'cancelling',
    ]);
    expect(more[0]).toMatchObject({ requestId: '7', url: 'https://api.example.com/v1/messages', delayMs: 1_000 });
    expect(more.at(-2)).toEqual({ type: 'stopping', running: 3, waiting: 1, nextAttemptMs: 11_001 });
    expect(more.at(-1)).toEqual({ type: 'cancelling', running: 2 });
  });
});
