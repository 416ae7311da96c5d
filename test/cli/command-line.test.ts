import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { policyOf } from '../../src/cli/policy.ts';
import { duration, size } from '../../src/cli/values.ts';
import { formatDelay, presets } from '../../src/index.ts';
import { fakeTerminal, run } from './fake-terminal.ts';

const NAMES = ['request', 'proxy', 'classify', 'demo'];

async function outputOf(...words: readonly string[]): Promise<string> {
  const { exitCode, errors, output } = await run(words);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return output;
}

describe('runCommandLine', () => {
  it.each([[], ['--help'], ['-h'], ['help']])('lists the commands, one a line, for %j', async (...words) => {
    const text = await outputOf(...words);
    expect(text).toContain('Usage: retry-transport <command>');
    expect(text.match(/(?<=^ {2})[a-z]+(?= {2,}\w)/gm)).toEqual(NAMES);
  });

  it.each(NAMES)('prints help on %s, with its options, exit codes and examples, by either spelling', async (name) => {
    const text = await outputOf('help', name);
    expect(text).toContain(`Usage: retry-transport ${name}`);
    expect(text).toMatch(/^ {2}-h, --help/m);
    expect(text).toContain('Exit codes:');
    expect(text).toMatch(new RegExp(`^Examples:\n(?: .*\n)*? .*retry-transport ${name}`, 'm'));
    expect(await outputOf(name, '--help')).toBe(text);
    expect(await outputOf(name, '--nope', '-h')).toBe(text);
  });

  it('writes its help in 80 columns, the width of a terminal', async () => {
    for (const words of [[], ...NAMES.map((name) => ['help', name])])
      expect((await outputOf(...words)).split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints the version of the package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await outputOf('--version')).toBe(`${manifest.version}\n`);
  });

  it('does not hide a bug of the program', async () => {
    const broken = fakeTerminal();
    const error = new Error('no such stream');
    broken.output.write = () => {
      throw error;
    };
    await expect(runCommandLine(['--help'], broken)).rejects.toBe(error);
  });
});

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['7h 31m 45s', 27_105_000],
    ['1.5h', 5_400_000],
    ['1.1s', 1_100],
    ['1s500ms', 1_500],
    ['1m500ms', 60_500],
    ['30d', 2_592_000_000],
    ['0s', 0],
    [' 5s ', 5_000],
  ])('%j is read', (text, ms) => {
    expect(duration(text, '--deadline')).toBe(ms);
  });

  test.prop([fc.integer({ min: 1, max: 100 * 86_400 })])('of whole seconds is read as it is printed', (seconds) => {
    expect(duration(formatDelay(seconds * 1_000), '--deadline')).toBe(seconds * 1_000);
  });
});

it.each([
  ['1000', 1_000],
  ['1.5kB', 1_500],
  ['10 MB', 10_000_000],
  ['64MiB', 67_108_864],
  ['1gib', 1_073_741_824],
])('reads a size: %s', (text, bytes) => {
  expect(size(text, '--max-body')).toBe(bytes);
  expect(() => size(`${text}x`, '--max-body')).toThrow(UsageError);
});

it('takes the recommended preset, or another one, with the limits that are given', () => {
  expect(policyOf()).toEqual(presets.recommended);
  expect(policyOf('agent', { maxRetries: 0 })).toEqual({ ...presets.agent, maxRetries: 0 });
  expect(policyOf('fleet')).toMatchObject({ ...presets.fleet, gate: expect.anything() });
});
