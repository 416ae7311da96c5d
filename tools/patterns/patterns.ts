/**
 * Checks with recheck whether any pattern of `src/` takes more than linear time: all patterns in the sources, and all
 * that the rulebook builds at run time. Fails if it finds an unknown one.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'acorn';
import { full } from 'acorn-walk';
import { check } from 'recheck';

const SOURCES = new URL('../../src/', import.meta.url);

/**
 * Patterns with a superlinear form whose input is never long, or whose repetitions have limits: the file, and the
 * beginning of the pattern.
 */
const BOUNDED: readonly (readonly [place: string, begin: string])[] = [
  // Reads the first 2 KiB of a stack.
  ['classify/network-error.ts', 'makeNetworkError'],
  // Reads at most 12 KiB of a text, and every repetition has an upper limit.
  ['classify/wording.ts', '["\'`]?\\b([A-Za-z@_$]'],
  // Reads at most 4 KiB of a header.
  ['hints/reset-headers.ts', '\\br(?:emaining)?='],
  // The rulebook and the tables of words: they read a name of at most 128 characters or a text that was cut, with limits on
  // every repetition.
  ['made at run time', ''],
  // Reads input that the person at the terminal has typed or configured.
  ['proxy/options.ts', ''],
  ['cli/', ''],
];

type Place = readonly [source: string, flags: string, place: string];

const found = new Map<string, Place>();
const add = (source: string, flags: string, place: string): void => {
  found.set(`/${source}/${flags}`, [source, flags, place]);
};

for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))) {
  const code = stripTypeScriptTypes(readFileSync(new URL(name, SOURCES), 'utf8'));
  full(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const regex = (node as { regex?: { pattern: string; flags: string } }).regex;
    if (regex !== undefined) add(regex.pattern, regex.flags, name);
  });
}

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args: [string | RegExp, string?]) {
    const made = Reflect.construct(target, args);
    add(made.source, made.flags, 'made at run time');
    return made;
  },
});
const { classify } = await import('../../src/index.ts');
classify({ status: 400, body: '{"error":{"message":"m"}}' });
classify({ error: new Error('m') });

let flaws = 0;
for (const [pattern, [source, flags, place]] of found) {
  const { status, ...said } = await check(source, flags, { timeout: 10_000 });
  const isKnown = BOUNDED.some(([at, begin]) => place.startsWith(at) && source.startsWith(begin));
  if (status === 'safe' || isKnown) continue;
  flaws++;
  const detail =
    'complexity' in said && said.complexity !== undefined
      ? said.complexity.summary
      : JSON.stringify(said).slice(0, 200);
  console.log(`${place}: ${status}, ${detail}\n  ${pattern.slice(0, 300)}`);
}
console.log(`${found.size} patterns, ${flaws} to look at`);
process.exitCode = flaws > 0 ? 1 : 0;
