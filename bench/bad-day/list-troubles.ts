/** All troubles by the names of their files, in the order of the table. */

import { readdirSync } from 'node:fs';
import type { Trouble } from './trouble.ts';

/** Those that pass by themselves, then those that never do. Others follow. */
const ORDER = [
  'overload',
  'minute',
  'bad-gateway',
  'resets',
  'json-body',
  'error-event',
  'broken-stream',
  'outage',
  'refused',
  'herd',
  'tiny-hints',
  'wrong-hints',
  'long-hint',
  'concurrency',
  'load',
  'slow-first-byte',
  'mixed-day',
  'quota',
  'too-long',
  'gateway-timeout',
];

const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

export async function troubles(): Promise<ReadonlyMap<string, Trouble>> {
  const files = readdirSync(new URL('troubles/', import.meta.url)).filter((file) => file.endsWith('.ts'));
  const names = files.map((file) => file.slice(0, -3));
  const sorted = names.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const modules: readonly { readonly default: Trouble }[] = await Promise.all(
    sorted.map((name) => import(`./troubles/${name}.ts`)),
  );
  return new Map(
    sorted
      .map((name, index) => [name, modules[index]?.default] as const)
      .filter((entry): entry is readonly [string, Trouble] => entry[1] !== undefined),
  );
}
