import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isScreen, lookOf, terminalOf } from '../../../src/cli/display/terminal.ts';
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

describe('lookOf', () => {
  const screen = new FakeOutput({ isTTY: true });
  const narrow = new FakeOutput({ isTTY: true, columns: 3 });
  const pipe = new FakeOutput();
  it.each([
    ['a terminal', screen, {}, true, true, true],
    ['NO_COLOR that is empty', screen, { NO_COLOR: '' }, true, true, true],
    ['NO_COLOR', screen, { NO_COLOR: '1' }, true, true, false],
    ['--no-color', screen, {}, false, true, false],
    ['a terminal that cannot repaint', screen, { TERM: 'dumb' }, true, false, false],
    ['a pipe', pipe, { TERM: 'xterm' }, true, false, false],
  ])('is in colour only where that is shown: %s', (_what, output, environment, allowed, repaints, colour) => {
    expect(isScreen(output, environment)).toBe(repaints);
    expect(lookOf(output, environment, allowed)).toEqual({ columns: 80, colour });
  });

  it('is as wide as the terminal, but never narrower than a word', () => {
    expect(lookOf(new FakeOutput({ isTTY: true, columns: 40 }), {}, true).columns).toBe(40);
    expect(lookOf(narrow, {}, true).columns).toBe(20);
  });
});
