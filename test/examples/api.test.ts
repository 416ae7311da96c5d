import { readdirSync, readFileSync } from 'node:fs';
import { format } from 'node:util';
import { beforeEach, expect, test, vi } from 'vitest';

const folder = new URL('../../examples/api/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const said: string[] = [];

beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(format(...words)));
});

/** What the comments promise: `// → one`, or `// → one → another`. */
function promised(text: string): readonly string[] {
  return [...text.matchAll(/\/\/ → (.*)$/gm)].flatMap(([, printed = '']) => printed.split(' → '));
}

test.each(files)('examples/api/%s prints what its comments say', async (name) => {
  await import(new URL(name, folder).href);
  // Listeners print in their own order.
  expect(said.toSorted()).toEqual([...promised(readFileSync(new URL(name, folder), 'utf8'))].toSorted());
});
