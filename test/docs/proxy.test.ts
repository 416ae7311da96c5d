import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { demoCommand } from '../../src/cli/commands/demo.ts';
import { proxyCommand } from '../../src/cli/commands/proxy.ts';
import { fakeTerminal } from '../cli/fake-terminal.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/proxy.md');

const pairsIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, status, code]) => `${status} ${code}`))].toSorted();

test('docs/proxy.md lists every reason to refuse, with its status', () => {
  const sources = readdirSync(new URL('src/proxy', root)).map((file) => read(`src/proxy/${file}`));
  const thrown = pairsIn(sources.join('\n'), /new RefusedError\(\s*(\d{3}),\s*'(\w+)'/g);
  expect(thrown.length).toBeGreaterThan(10);
  expect(pairsIn(page, /^\| (\d{3}) \| `(\w+)` \|/gm)).toEqual(thrown);
});

test('docs/proxy.md, the help and the command have the same options', async () => {
  const rows = page.match(/^\| `--[^|]+/gm)?.join('') ?? '';
  const inHelp = [...proxyCommand.help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)]
    .map(([, option = '']) => option)
    .toSorted();
  expect(inHelp.length).toBeGreaterThan(10);
  expect([...(rows.match(/--[\w-]+/g) ?? []), '--help'].toSorted()).toEqual(inHelp);
  const refusal = await proxyCommand.run(['--unknown'], fakeTerminal()).catch(String);
  expect(
    String(refusal)
      .split('the options are')[1]
      ?.match(/--[\w-]+/g)
      ?.toSorted(),
  ).toEqual(inHelp);
});

test('docs/proxy.md names only existing options, and a line that its example has', () => {
  const named = page.match(/--[a-z][a-z-]+/g) ?? [];
  const known = proxyCommand.help + demoCommand.help;
  expect(named.filter((option) => !known.includes(option))).toEqual([]);
  const [, code = ''] = /```python\n([^]*?)```/.exec(page) ?? [];
  expect(code).not.toBe('');
  expect(read('examples/proxy_client.py')).toContain(code);
});
