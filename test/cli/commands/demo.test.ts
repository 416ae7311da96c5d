import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { demoCommand } from '../../../src/cli/commands/demo.ts';
import type { RetryEvent } from '../../../src/index.ts';
import { FakeInput, FakeOutput, fakeTerminal } from '../fake-terminal.ts';

const QUICK = ['--speed', '400'];
const LAST_LINE = /^✓ succeeded after 5 attempts in [\d.]+m?s \(3 × overloaded, connection error, waited [\d.]+m?s\)$/;

const screenOf = (columns: number): FakeOutput => new FakeOutput({ isTTY: true, columns });

const delaysAt = async (speed: string): Promise<number[]> => {
  const terminal = fakeTerminal();
  await demoCommand.run(['--json', '--speed', speed], terminal);
  return terminal.output.lines
    .map((line): RetryEvent => JSON.parse(line))
    .flatMap((event) => (event.type === 'retry' ? event.delayMs : []));
};

describe('demo', () => {
  it('plays the overload as plain lines if there is no terminal', async () => {
    const terminal = fakeTerminal();
    expect(await demoCommand.run(QUICK, terminal)).toBe(0);
    const { lines } = terminal.output;
    expect(lines.slice(0, 4)).toEqual([
      '⚠ overloaded (HTTP 429): retry 1 of 4 in 2ms',
      '⚠ overloaded (HTTP 502): retry 2 of 4 in 3ms',
      '⚠ connection error (ECONNRESET): retry 3 of 4 in 5ms',
      '⚠ overloaded (inside the answer): retry 4 of 4 in 7ms',
    ]);
    expect(lines[4]).toMatch(LAST_LINE);
    expect(lines[5]).toBe('An overloaded server asks for one');
    expect(terminal.output.text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(terminal.errors.text).toBe('');
  });

  it('divides the waits by the speed', async () => {
    expect(await delaysAt('200')).toEqual([4, 6, 9, 13.5]);
    expect(await delaysAt('400')).toEqual([2, 3, 4.5, 6.75]);
  });

  it.each([40, 80])('plays it on a terminal of %i columns, in colour', async (columns) => {
    const output = screenOf(columns);
    expect(await demoCommand.run(QUICK, fakeTerminal({ output }))).toBe(0);
    expect(output.text).toContain('\u001B[33m⚠ overloaded (HTTP 429)');
    expect(output.text).toContain('\u001B[32m✓ succeeded after 5 attempts in ');
    for (const line of stripVTControlCharacters(output.text).split(/[\r\n]/)) expect(line.length).toBeLessThan(columns);
  });

  it.each([
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
  ])('shows no colour with %s', async (_name, argv, environment) => {
    const output = screenOf(80);
    await demoCommand.run([...QUICK, ...argv], fakeTerminal({ output, environment }));
    expect(output.text).not.toMatch(/\p{Cc}\[\d+m/u);
  });

  it('reads keys from a terminal: a wait of minutes can be cancelled', async () => {
    const [output, input] = [screenOf(200), new FakeInput({ isTTY: true })];
    const running = demoCommand.run(['--speed', '0.001'], fakeTerminal({ output, input }));
    await output.until('13m 20s left, enter retries, esc cancels');
    input.press('\u001B');
    expect(await running).toBe(130);
    expect(output.text).toContain('✗ cancelled after 1 attempt');
    expect(input).toMatchObject({ raw: false, reading: false });
  });

  it('returns the failure that a person gave up on', async () => {
    const [output, input] = [screenOf(200), new FakeInput({ isTTY: true })];
    const running = demoCommand.run(['--speed', '0.001'], fakeTerminal({ output, input }));
    await output.until('retry 1 of 4');
    input.press('g');
    expect(await running).toBe(1);
    expect(output.text).toMatch(/overloaded \(HTTP 429\): failed after 1 attempt in .*, the wait was ended by hand/);
  });

  it.each([
    [['x'], 'Unexpected argument "x"; leave it out, or put quotes around a value with spaces.'],
    [['--preset', 'agent'], 'Unknown option --preset; the options are --speed, --json, --no-color, --help.'],
    [['--speed=fast'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "fast".'],
    [['--speed=0'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "0".'],
    [['--speed=Infinity'], 'Expected --speed to be a number above 0, such as 2 for twice as fast, got "Infinity".'],
  ])('refuses %j in one line that names the fix', async (argv, message) => {
    await expect(demoCommand.run(argv, fakeTerminal())).rejects.toThrow(new UsageError(message));
  });
});
