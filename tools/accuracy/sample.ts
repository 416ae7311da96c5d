/** The frozen cases, as the READMEs in `sample/` describe them. */

import { existsSync, readFileSync } from 'node:fs';

export interface Case {
  /** What was judged: whether a retry can succeed. Undefined where that cannot be told. */
  readonly retryable: boolean | undefined;
  /** The types that are right. */
  readonly types: readonly string[];
  /** Where it was reported. */
  readonly address: string;
  /** Of a response, or 0. */
  readonly status: number;
  /** Of a response, as far as they were quoted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** In the order in which they were drawn. The fourth and the fifth have responses only. */
export const SAMPLES = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
  'twentieth',
  'twenty-first',
  'twenty-second',
  'twenty-third',
] as const;

/** No cases where a sample has none of this kind. */
export function readCases(sample: (typeof SAMPLES)[number], name: 'texts' | 'responses' | 'programs'): readonly Case[] {
  const file = new URL(`sample/${sample}/${name}.txt`, import.meta.url);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const [said = '', address = ''] = head.includes(' | ') ? head.split(' | ') : ['n', head];
      const [status, [judged = '', ...types]] = splitStatus(said.trim().split(/\s+/));
      const retryable = judged === '?' ? undefined : judged === 'y';
      const quoted = lines.filter((line) => line.startsWith('> '));
      const headers = Object.fromEntries(quoted.map((line) => line.slice(2).split(/:\s*(.*)/, 2)));
      const text = lines.slice(quoted.length).join('\n').trim();
      return { retryable, types, address: address.trim(), status, headers, text };
    });
}

function splitStatus(words: readonly string[]): readonly [status: number, rest: readonly string[]] {
  return /^\d{3}$/.test(words[0] ?? '') ? [Number(words[0]), words.slice(1)] : [0, words];
}
