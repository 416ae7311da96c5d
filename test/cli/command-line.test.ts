import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { FakeOutput, fakeTerminal } from './fake-terminal.ts';

const NAMES = ['request', 'proxy', 'classify', 'demo'];

async function outputOf(argv: readonly string[], columns?: number): Promise<string> {
  const terminal = fakeTerminal({
    output: new FakeOutput({ isTTY: columns !== undefined, ...(columns && { columns }) }),
  });
  expect(await runCommandLine(argv, terminal)).toBe(0);
  expect(terminal.errors.text).toBe('');
  return terminal.output.text;
}

describe('runCommandLine', () => {
  it.each([[], ['--help'], ['-h'], ['help']])('lists the commands, one a line, for %j', async (...argv) => {
    const text = await outputOf(argv);
    expect(text).toContain('Usage: retry-transport <command>');
    expect(text.match(/(?<=^ {2})[a-z]+(?= {2,}\w)/gm)).toEqual(NAMES);
  });

  it.each(NAMES)('prints help on %s, with its options, exit codes and examples, by either spelling', async (name) => {
    const text = await outputOf(['help', name]);
    expect(text).toContain(`Usage: retry-transport ${name}`);
    expect(text).toMatch(/^ {2}-h, --help/m);
    expect(text).toContain('Exit codes:');
    expect(text).toMatch(new RegExp(`^Examples:\n(?: .*\n)*? .*retry-transport ${name}`, 'm'));
    expect(await outputOf([name, '--help'])).toBe(text);
    expect(await outputOf([name, '--nope', '-h'])).toBe(text);
  });

  it('writes its help in 80 columns, the width of a terminal', async () => {
    for (const argv of [[], ...NAMES.map((name) => ['help', name])])
      expect((await outputOf(argv)).split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints the version of the package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await outputOf(['--version'])).toBe(`${manifest.version}\n`);
  });

  it.each([
    [['serve'], `Unknown command "serve"; the commands are ${NAMES.join(', ')}.`],
    [['help', 'serve'], `Unknown command "serve"; the commands are ${NAMES.join(', ')}.`],
    [['https://api.example.com/'], 'Expected a command before the URL, as in: retry-transport request <url>.'],
    [['--speed', '2'], `Expected a command before --speed; the commands are ${NAMES.join(', ')}.`],
    [
      ['request', 'x', '--', '--help'],
      'Unexpected argument "--help"; leave it out, or put quotes around a value with spaces.',
    ],
  ])('refuses %j in one line with exit code 2', async (argv, message) => {
    const terminal = fakeTerminal();
    expect(await runCommandLine(argv, terminal)).toBe(2);
    expect(terminal.errors.text).toBe(`${message} See --help.\n`);
    expect(terminal.output.text).toBe('');
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
