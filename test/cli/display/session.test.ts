import { describe, expect, it } from 'vitest';
import type { Display } from '../../../src/cli/display/display.ts';
import type { Ending } from '../../../src/cli/display/lines.ts';
import { runSession, type SessionContext } from '../../../src/cli/display/session.ts';
import { FetchTransport, type RetryEvent, RetryTransport } from '../../../src/index.ts';
import { decisionsOf, type ScriptedFetch, script } from '../../script.ts';
import { systemRuntime } from '../../../src/runtime/runtime.ts';
import { FakeInput, fakeTerminal } from '../fake-terminal.ts';

class NotingDisplay implements Display {
  readonly notes: string[] = [];
  ending: Ending | undefined;
  onEvent: (event: RetryEvent) => void = () => {};

  show(event: RetryEvent): void {
    this.notes.push(...decisionsOf([event]).map(({ type }) => type));
    this.onEvent(event);
  }
  hurry(): void {
    this.notes.push('hurry');
  }
  async answer(): Promise<void> {}
  end(ending: Ending): void {
    this.ending = ending;
    this.notes.push(`end: ${ending.how}`);
  }
  close(): void {
    this.notes.push('close');
  }
}

/** A session around one call with long waits, on a terminal whose keys are taken. */
function session(fetch: ScriptedFetch, { keys = true, maxRetries = 3 } = {}) {
  const terminal = fakeTerminal({ input: new FakeInput({ isTTY: true }) });
  const display = new NotingDisplay();
  const contexts: SessionContext[] = [];
  const run = (afterwards: (response: Response) => Promise<void> = async () => {}) =>
    runSession(terminal, display, { keys }, async (context) => {
      contexts.push(context);
      const config = { controller: context.controller, baseDelayMs: 60_000, jitter: 'none', maxRetries } as const;
      const transport = new RetryTransport(new FetchTransport({ fetch }), config);
      await afterwards(await transport.post('http://127.0.0.1/', {}, {}, context.signal));
    });
  return { terminal, display, contexts, run };
}

const fetchOf = (...steps: Parameters<typeof script> extends [unknown, ...infer S] ? S : never) =>
  script(systemRuntime, ...steps);

describe('runSession', () => {
  it('ends with 0 and no line if the first attempt is answered', async () => {
    const { terminal, display, run } = session(fetchOf(200));
    expect(await run()).toBe(0);
    expect(display.ending).toEqual({ how: 'answered', event: undefined });
    expect(display.notes).toEqual(['end: answered', 'close']);
    expect(terminal.listeners).toBe(0);
    expect(terminal.input).toMatchObject({ raw: false, reading: false });
  });

  it('retries at once on enter', async () => {
    const { terminal, display, run } = session(fetchOf(429, 200));
    display.onEvent = ({ type }) => {
      expect(terminal.input.raw).toBe(true);
      if (type === 'retry') setImmediate(() => terminal.input.press('\r'));
    };
    expect(await run()).toBe(0);
    expect(display.notes).toEqual(['retry', 'hurry', 'recovered', 'end: answered', 'close']);
    expect(display.ending).toMatchObject({ event: { type: 'recovered', attempts: 2 } });
  });

  it('ignores enter if nothing waits', async () => {
    const { terminal, display, run } = session(fetchOf(200));
    expect(await run(async () => terminal.input.press('\r'))).toBe(0);
    expect(display.notes).not.toContain('hurry');
  });

  it('gives up on g, with the last response', async () => {
    const { terminal, display, run } = session(fetchOf(429));
    display.onEvent = ({ type }) => {
      if (type === 'retry') setImmediate(() => terminal.input.press('g'));
    };
    let status = 0;
    expect(await run(async (response) => void ({ status } = response))).toBe(1);
    expect(status).toBe(429);
    expect(display.ending).toMatchObject({ how: 'given-up', event: { because: 'given-up' } });
  });

  it.each([
    ['esc', (terminal: ReturnType<typeof fakeTerminal>) => terminal.input.press('\u001B'), 130],
    ['ctrl-c', (terminal: ReturnType<typeof fakeTerminal>) => terminal.input.press('\u0003'), 130],
    ['SIGTERM', (terminal: ReturnType<typeof fakeTerminal>) => terminal.stop(143), 143],
  ])('cancels on %s, and sends nothing more', async (_key, press, exitCode) => {
    const fetch = fetchOf(429);
    const { terminal, display, run } = session(fetch);
    display.onEvent = ({ type }) => {
      if (type !== 'retry') return;
      setImmediate(() => {
        press(terminal);
        terminal.stop(129);
      });
    };
    expect(await run()).toBe(exitCode);
    expect(display.notes).toEqual(['retry', 'cancelled', 'end: cancelled', 'close']);
    expect(display.ending).toMatchObject({ event: { type: 'cancelled', attempts: 1 } });
    expect(fetch.calls).toHaveLength(1);
    expect(terminal.listeners).toBe(0);
    expect(terminal.input.raw).toBe(false);
  });

  it('cancels an answer while it arrives', async () => {
    const { terminal, display, run } = session(fetchOf(200));
    const exitCode = await run(async () => {
      terminal.input.press('\u001B');
      throw new Error('terminated');
    });
    expect(exitCode).toBe(130);
    expect(display.ending).toEqual({ how: 'cancelled', event: undefined });
  });

  it('ends with 1 when no retries are left', async () => {
    const { display, run } = session(fetchOf(429), { maxRetries: 0 });
    expect(await run()).toBe(1);
    expect(display.ending).toMatchObject({ how: 'given-up', event: { because: 'retries-exhausted' } });
  });

  it('ends with 3 for a failure that no retry can fix, thrown or answered', async () => {
    const thrown = session(
      fetchOf(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }) })),
    );
    expect(await thrown.run()).toBe(3);
    expect(thrown.display.ending).toMatchObject({ how: 'given-up', event: { type: 'failed', attempts: 1 } });
    const answered = session(fetchOf(401));
    expect(await answered.run()).toBe(3);
    expect(answered.display.ending).toMatchObject({ how: 'given-up', event: { failure: { status: 401 } } });
  });

  it('ends with 1 if the answer breaks off, and does not show it as a success', async () => {
    const { display, run } = session(fetchOf(200));
    const error = new Error('broke off');
    expect(await run(() => Promise.reject(error))).toBe(1);
    expect(display.ending).toEqual({ how: 'broken', error });
  });

  it('leaves the keyboard alone if the options say so', async () => {
    const { terminal, run } = session(fetchOf(200), { keys: false });
    expect(await run(async () => expect(terminal.input.raw).toBe(false))).toBe(0);
  });

  it('restores the terminal when the process ends during a session', async () => {
    const { terminal, display, run } = session(fetchOf(200));
    await run(async () => {
      terminal.exit();
      expect(terminal.input.raw).toBe(false);
      expect(display.notes).toEqual(['close']);
    });
  });
});
