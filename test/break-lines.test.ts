import { SourceMap } from 'node:module';
import { minifySync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { breakLines } from '../scripts/break-lines.ts';

const source = `const limit = 3;
export function first(name) {
  return missing(name, limit);
}
export class Second {
  method() { return other.thing(\`a
b\`); }
}
export const third = () => absent.call(limit);
`;

const minified = minifySync('source.js', source, {
  module: true,
  compress: false,
  mangle: { toplevel: false, keepNames: true },
  codegen: { removeWhitespace: true },
  sourcemap: true,
});
if (minified.map === undefined) throw new Error('no source map');
const broken = breakLines(minified.code, minified.map);

test('each top-level statement of a built file begins a line', () => {
  expect(broken.code.split('\n').map((line) => line.slice(0, 18))).toEqual([
    'const limit=3;',
    'export function fi',
    'export class Secon',
    'b`)}}',
    'export const third',
  ]);
});

test('the source map leads from each line to the place in the source', () => {
  const map = new SourceMap({ ...broken.map, file: 'source.js', sourceRoot: '', sourcesContent: [source], version: 3 });
  const builtLines = broken.code.split('\n');
  const sourceLines = source.split('\n');
  for (const name of ['limit', 'first', 'missing', 'Second', 'other', 'thing', 'third', 'absent', 'call']) {
    const line = builtLines.findIndex((text) => text.includes(name));
    const entry = map.findEntry(line, builtLines[line]?.indexOf(name) ?? -1);
    if (!('originalLine' in entry)) throw new Error(`${name} is in no mapping`);
    expect(sourceLines[entry.originalLine]?.slice(entry.originalColumn)).toMatch(new RegExp(`^${name}`));
  }
});
