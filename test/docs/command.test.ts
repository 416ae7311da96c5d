import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeTerminal } from '../cli/fake-terminal.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const page = read('command.md');
const sections = new Map(page.split(/^## /m).map((section) => [section.split('\n', 1)[0], section]));
const recordings = [...page.matchAll(/^```text\n\$ retry-transport (.*)\n([^]*?)^```$/gm)].map(
  ([, command = '', output = '']) => ({ command, output }),
);
const steady = recordings.filter(({ command }) => command.startsWith('classify '));

async function outputOf(...argv: readonly string[]): Promise<string> {
  const terminal = fakeTerminal();
  expect(await runCommandLine(argv, terminal)).toBe(0);
  return terminal.output.text;
}

const optionsIn = (text: string): string[] => [...new Set(text.match(/--[a-z][a-z-]+/g))].toSorted();

describe('docs/command.md', () => {
  test.each(steady)('shows what `retry-transport $command` prints', async ({ command, output }) => {
    expect(output).toBe(await outputOf(...command.split(' ')));
  });

  test('has recordings of the command whose output is always the same', () => {
    expect(steady.filter(({ command }) => command.startsWith('classify'))).toHaveLength(3);
  });

  test.each(['request', 'proxy', 'classify', 'demo'])('names only options that %s has', async (name) => {
    const help = optionsIn(await outputOf('help', name));
    const named = optionsIn(sections.get(name) ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(help).toEqual(expect.arrayContaining(named));
  });

  test('names every command of the overview', async () => {
    const commands = (await outputOf('help')).match(/(?<=^ {2})[a-z]+(?= {2,}\w)/gm) ?? [];
    for (const name of commands) expect(page).toMatch(new RegExp(`^\\| \`${name}`, 'm'));
  });
});
