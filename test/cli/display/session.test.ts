import { describe, expect, it } from 'vitest';
import { runSession, type SessionContext } from '../../../src/cli/display/session.ts';
import { FetchTransport, RetryTransport } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/runtime/runtime.ts';
import { type ScriptedFetch, script } from '../../script.ts';
import { FakeInput, FakeOutput, fakeTerminal } from '../fake-terminal.ts';

/** A session around one call with long waits, on a terminal. */
function session(fetch: ScriptedFetch, { maxRetries = 3, json = false } = {}) {
  const errors = new FakeOutput({ isTTY: true, columns: 200 });
  const terminal = fakeTerminal({ input: new FakeInput({ isTTY: true }), errors });
  const run = (afterwards: (context: SessionContext) => Promise<void> = async () => {}) =>
    runSession(terminal, { json, colour: false }, errors, async (context) => {
      const config = { controller: context.controller, baseDelayMs: 60_000, jitter: 'none', maxRetries } as const;
      const transport = new RetryTransport(new FetchTransport({ fetch }), config);
      await transport.post('http://127.0.0.1/', {}, {}, context.signal);
      await afterwards(context);
    });
  return { terminal, run, input: terminal.input, errors };
}

const fetchOf = (...steps: Parameters<typeof script> extends [unknown, ...infer S] ? S : never) =>
  script(systemRuntime, ...steps);

describe('runSession', () => {
  it('ends with 0 and no line if the first attempt is answered', async () => {
    const { terminal, run, errors } = session(fetchOf(200));
    expect(await run()).toBe(0);
    expect(errors.text).toBe('');
    expect(terminal.listeners).toBe(0);
    expect(terminal.input).toMatchObject({ raw: false, reading: false });
  });

  it('counts a wait down and retries at once on enter', async () => {
    const { run, input, errors } = session(fetchOf(429, 200));
    const running = run();
    await errors.until('1m left, enter retries, esc cancels');
    expect(input.raw).toBe(true);
    input.press('\r');
    expect(await running).toBe(0);
    expect(errors.text).toContain('✓ succeeded after 2 attempts in ');
    expect(errors.text).not.toMatch(/left[^\r]*$/);
  });

  it.each(['g', 'G', 'x\u001B[Ag', '\u001B[1;5C\u001BOP\u001Bgg'])(
    'gives up on %j, with the last response',
    async (keys) => {
      const { run, input, errors } = session(fetchOf(429));
      const running = run();
      await errors.until('left');
      input.press(keys);
      expect(await running).toBe(1);
      expect(errors.text).toContain('the wait was ended by hand');
    },
  );

  it.each([
    ['esc', '\u001B', 130],
    ['ctrl-c', '\u0003', 130],
    ['SIGTERM', '', 143],
  ])('cancels on %s, and sends nothing more', async (_key, key, exitCode) => {
    const fetch = fetchOf(429);
    const { terminal, run, input, errors } = session(fetch);
    const running = run();
    await errors.until('left');
    if (key === '') terminal.stop(143);
    else input.press(key);
    terminal.stop(129);
    expect(await running).toBe(exitCode);
    expect(errors.text).toMatch(/✗ cancelled after 1 attempt in .*\n/);
    expect(fetch.calls).toHaveLength(1);
    expect([terminal.listeners, input.raw]).toEqual([0, false]);
  });

  it('cancels an answer while it arrives', async () => {
    const { run, input, errors } = session(fetchOf(200));
    const exitCode = await run(async () => {
      input.press('\u001B');
      throw new Error('terminated');
    });
    expect([exitCode, errors.text]).toEqual([130, '✗ cancelled\n']);
  });

  it('ends with 1 when no retries are left, and with 3 for a failure that no retry can fix', async () => {
    expect(await session(fetchOf(429), { maxRetries: 0 }).run()).toBe(1);
    const cause = Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' });
    expect(await session(fetchOf(new TypeError('fetch failed', { cause }))).run()).toBe(3);
    expect(await session(fetchOf(401)).run()).toBe(3);
  });

  it.each([
    [new Error('broke off'), 'broke off'],
    [new TypeError('terminated', { cause: new Error('other side closed') }), 'terminated: other side closed'],
    [new TypeError('terminated', { cause: new Error('') }), 'terminated'],
    ['text', 'text'],
  ])('ends with 1 if the answer breaks off, on a line of its own: %#', async (error, words) => {
    const { run, errors } = session(fetchOf(200));
    expect(await run(() => Promise.reject(error))).toBe(1);
    expect(errors.text).toBe(`✗ ${words}\n`);
  });

  it('leaves the keyboard alone if a program reads', async () => {
    const { run, input } = session(fetchOf(200), { json: true });
    expect(await run(async () => expect(input.raw).toBe(false))).toBe(0);
  });

  it('writes no faster than a pipe takes it, and waits no longer when it is cancelled', async () => {
    const terminal = fakeTerminal();
    const { output } = terminal;
    output.full = true;
    const running = runSession(terminal, { json: false, colour: false }, terminal.errors, async ({ answer }) => {
      for (const piece of ['a', 'b', 'c']) await answer(piece);
    });
    await Promise.resolve();
    expect(output.text).toBe('a');
    output.emit('drain');
    await output.until('b');
    terminal.stop(143);
    expect([await running, output.text, output.listenerCount('drain')]).toEqual([143, 'ab', 0]);
  });

  it('writes an answer to a terminal without control sequences, and unchanged to a pipe', async () => {
    for (const isTTY of [true, false]) {
      const output = new FakeOutput({ isTTY });
      const terminal = fakeTerminal({ output });
      await runSession(terminal, { json: false, colour: false }, terminal.errors, ({ answer }) =>
        answer('a\u001B[2Jb\n'),
      );
      expect(output.text).toBe(isTTY ? 'a[2Jb\n' : 'a\u001B[2Jb\n');
    }
  });
});
