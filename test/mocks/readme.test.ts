import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { recordings } from '../../mocks/recordings.ts';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = textOf('mocks/README.md');
const examples = [...readme.matchAll(/<!-- example: (.+) -->\n```ts\n([^]*?)```/g)];

test('each example in the README is a file that is type-checked', () => {
  expect(examples).toHaveLength(readme.split('```ts').length - 1);
  for (const [, path = '', code] of examples) expect(textOf(path)).toBe(code);
});

test('the example for MSW does what its comment says', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  await import('./example.ts');
  const said = log.mock.calls.map((words) => words.join(' '));
  expect(said).toEqual([/\/\/ (.+)/.exec(textOf('test/mocks/example.ts'))?.[1]]);
});

test('the table has every field that a recording may have', () => {
  const fields = Object.values(recordings).flatMap(({ response, expected }) => [
    ...Object.keys(response).map((field) => new RegExp(`\\| .*[\`.]${field}\``)),
    ...Object.keys(expected).map((field) => new RegExp(`\\| \`expected\\.${field}\``)),
  ]);
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(readme).toMatch(field);
});

test('no link of the README is dead', () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(0);
  for (const path of links) expect(textOf(`mocks/${path}`)).not.toBe('');
});
