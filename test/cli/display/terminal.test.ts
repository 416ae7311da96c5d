import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isScreen, lookOf, terminalOf, writeTo } from '../../../src/cli/display/terminal.ts';
import { FakeInput, FakeOutput } from '../fake-terminal.ts';

class FakeProcess extends EventEmitter {
  readonly stdin = new FakeInput();
  readonly stdout = new FakeOutput();
  readonly stderr = new FakeOutput();
  readonly env = { TERM: 'xterm' };
  exitCode: number | undefined;
}

describe('terminalOf', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('reports %s with the exit code %i until the listener is removed', (signal, exitCode) => {
    const owner = new FakeProcess();
    const heard: number[] = [];
    const ignore = terminalOf(owner).onStop((code) => heard.push(code));
    owner.emit(signal);
    ignore();
    expect(owner.emit(signal)).toBe(false);
    expect(heard).toEqual([exitCode]);
  });

  it('reports a reader that went away, and ignores it without a listener', () => {
    const owner = new FakeProcess();
    const heard: number[] = [];
    const ignore = terminalOf(owner).onStop((code) => heard.push(code));
    owner.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    ignore();
    owner.stderr.emit('error', new Error('write EPIPE'));
    expect(heard).toEqual([141]);
    expect(owner.exitCode).toBeUndefined();
    expect(owner.stderr.text).toBe('');
  });

  it('reports once that the reader of its errors went away, although each line about the stop fails too', () => {
    const owner = new FakeProcess();
    const heard: number[] = [];
    const fail = (): void =>
      void owner.stderr.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    terminalOf(owner).onStop((code) => {
      heard.push(code);
      if (heard.length < 10) fail();
    });
    fail();
    fail();
    expect(heard).toEqual([141]);
  });

  it('reports once that standard output cannot be written, and fails, even after the command has ended', () => {
    const owner = new FakeProcess();
    const heard: number[] = [];
    const ignore = terminalOf(owner).onStop((code) => heard.push(code));
    owner.stdout.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    ignore();
    owner.stdout.emit('error', new Error('no space'));
    expect(heard).toEqual([1]);
    expect(owner.exitCode).toBe(1);
    expect(owner.stderr.text).toBe('Standard output cannot be written (ENOSPC).\n');
  });

  it('reports the end of the process', () => {
    const owner = new FakeProcess();
    let ended = 0;
    const forget = terminalOf(owner).onExit(() => (ended += 1));
    owner.emit('exit');
    forget();
    owner.emit('exit');
    expect(ended).toBe(1);
  });

  it('has the streams, the environment and the clock of the process', () => {
    const owner = new FakeProcess();
    const terminal = terminalOf(owner);
    expect(terminal).toMatchObject({
      input: owner.stdin,
      output: owner.stdout,
      errors: owner.stderr,
      environment: owner.env,
    });
    expect(Math.abs(terminal.now() - Date.now())).toBeLessThan(1_000);
  });
});

describe('isScreen and the colour of lookOf', () => {
  const screen = new FakeOutput({ isTTY: true });
  const pipe = new FakeOutput();
  it.each([
    [screen, {}, true, true, true],
    [screen, { NO_COLOR: '' }, true, true, true],
    [screen, { NO_COLOR: '1' }, true, true, false],
    [screen, {}, false, true, false],
    [screen, { TERM: 'dumb' }, true, false, false],
    [pipe, {}, true, false, false],
    [pipe, { TERM: 'xterm' }, true, false, false],
  ])('case %#', (output, environment, allowed, repaints, colours) => {
    expect(isScreen(output, environment)).toBe(repaints);
    expect(lookOf(output, environment, allowed).colour).toBe(colours);
  });
});

describe('writeTo', () => {
  it('waits until the output can take more', async () => {
    const output = new FakeOutput();
    output.full = true;
    let written = false;
    const writing = writeTo(output, 'x', new AbortController().signal).then(() => (written = true));
    await Promise.resolve();
    expect(written).toBe(false);
    output.emit('drain');
    await writing;
    expect(output.text).toBe('x');
    expect(output.listenerCount('drain')).toBe(0);
  });

  it('stops waiting when the signal aborts', async () => {
    const output = new FakeOutput();
    output.full = true;
    const abort = new AbortController();
    const writing = writeTo(output, 'x', abort.signal);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(writing).rejects.toBe(reason);
    expect(output.listenerCount('drain')).toBe(0);
  });

  it('does not wait if the signal aborted before', async () => {
    const output = new FakeOutput();
    output.full = true;
    await expect(writeTo(output, 'x', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('lookOf', () => {
  it.each([
    ['80 columns in a pipe, without colour', new FakeOutput(), {}, { columns: 80, colour: false }],
    ['as wide as the terminal', new FakeOutput({ isTTY: true, columns: 40 }), {}, { columns: 40, colour: true }],
    ['never narrower than a word', new FakeOutput({ isTTY: true, columns: 3 }), {}, { columns: 20, colour: true }],
    [
      'without colour where NO_COLOR is set',
      new FakeOutput({ isTTY: true }),
      { NO_COLOR: '1' },
      { columns: 80, colour: false },
    ],
  ])('is %s', (_what, output, environment, look) => {
    expect(lookOf(output, environment, true)).toEqual({ ...look });
  });
});
