import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { startArguments, startExitCode } from '../../src/cli/npm-start.ts';

const URL = 'https://api.example.com/';

describe('startArguments', () => {
  it.each([
    [[], ['demo']],
    [
      ['--speed', '2', '--json'],
      ['demo', '--speed', '2', '--json'],
    ],
    [['--help'], ['demo', '--help']],
    [
      ['--url', URL, '-d', '{}'],
      ['request', '--url', URL, '-d', '{}'],
    ],
    [
      ['--json', `--url=${URL}`],
      ['request', '--json', `--url=${URL}`],
    ],
    [
      ['demo', '--speed', '2'],
      ['demo', '--speed', '2'],
    ],
    [
      ['request', URL],
      ['request', URL],
    ],
    [
      ['schedule', '--preset', 'patient'],
      ['schedule', '--preset', 'patient'],
    ],
  ])('reads %j as %j', (argv, meant) => {
    expect(startArguments(argv)).toEqual(meant);
  });

  it.each(['--data', '-d', '--method', '-X', '--header', '-H', '--preset', '--preset=agent'])(
    'refuses %s without an address',
    (option) => {
      const read = () => startArguments(['--json', option, 'x']);
      expect(read).toThrow(new UsageError(`${option} needs a URL; add --url https://….`));
    },
  );
});

describe('startExitCode', () => {
  it.each([['demo'], ['request']])('has one code for everything that %s gave up', (command) => {
    const codes = [0, 1, 2, 3, 130, 143].map((exitCode) => startExitCode([command, 'x'], exitCode));
    expect(codes).toEqual([0, 1, 2, 1, 130, 143]);
  });

  it('keeps the exit codes of other commands', () => {
    expect(startExitCode(['classify', '--exit-code'], 3)).toBe(3);
  });
});
