import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { scheduleCommand } from '../../../src/cli/commands/schedule.ts';
import { FakeOutput, fakeTerminal } from '../fake-terminal.ts';

async function outputOf(argv: readonly string[], output = new FakeOutput(), environment = {}): Promise<string> {
  const terminal = fakeTerminal({ output, environment });
  expect(await scheduleCommand.run(argv, terminal)).toBe(0);
  expect(terminal.errors.text).toBe('');
  return output.text;
}

describe('schedule', () => {
  it('prints 21 retries and 7h 31m 45s for the patient preset', async () => {
    const text = await outputOf(['--preset', 'patient']);
    expect(text).toMatch(/^patient: 21 retries, 7h 31m 45s of waiting in all\n/);
    expect(text).toContain('\n   21  30m   7h 31m 45s\n');
    expect(text).toMatch(/[^\n]\n$/);
  });

  it('prints the waits as JSON', async () => {
    const said: unknown = JSON.parse(await outputOf(['5s,10s', '--tail', 'none', '--json']));
    expect(said).toMatchObject({
      title: '5s, 10s',
      totalDelayMs: 15_000,
      retries: [
        { retry: 1, delayMs: 5_000, elapsedMs: 5_000 },
        { retry: 2, delayMs: 10_000, elapsedMs: 15_000 },
      ],
    });
    expect(JSON.parse(await outputOf(['--max-retries', '0', '--json']))).toMatchObject({
      totalDelayMs: 0,
      retries: [],
    });
  });

  it('writes the plot as SVG and nothing else', async () => {
    expect(await outputOf(['--preset', 'agent', '--svg'])).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it.each([40, 80])('fits into the %i columns of a terminal, in colour', async (columns) => {
    for (const argv of [
      ['--preset', 'patient'],
      ['--preset', 'standard'],
      ['--preset', 'taxonomy'],
      ['1ms', '--max-retries', '300'],
    ]) {
      const text = await outputOf(argv, new FakeOutput({ isTTY: true, columns }));
      expect(text).toContain('\u001B[33m');
      for (const line of stripVTControlCharacters(text).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it.each([
    ['in a pipe', new FakeOutput(), [], {}],
    ['with NO_COLOR', new FakeOutput({ isTTY: true, columns: 80 }), [], { NO_COLOR: '1' }],
    ['with --no-color', new FakeOutput({ isTTY: true, columns: 80 }), ['--no-color'], {}],
  ])('has no colour %s', async (_where, output, argv, environment) => {
    expect(await outputOf([...argv, '--preset', 'standard'], output, environment)).not.toMatch(/\p{Cc}\[/u);
  });

  it.each([
    [['--svg', '--json'], 'Expected --json or --svg, not both.'],
    [['5s', '10s'], 'Unexpected argument "10s"; leave it out, or put quotes around a value with spaces.'],
  ])('refuses %j in one line that names the fix', async (argv, message) => {
    await expect(scheduleCommand.run(argv, fakeTerminal())).rejects.toThrow(new UsageError(message));
  });
});
