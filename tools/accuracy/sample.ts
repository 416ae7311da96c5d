/** The frozen cases, as `sample/README.md` describes them. */

import { readFileSync } from 'node:fs';

export interface Case {
  /** What was judged: whether a retry can succeed. Undefined where that cannot be told. */
  readonly retryable: boolean | undefined;
  /** The types that are right. */
  readonly types: readonly string[];
  /** Where it was reported. */
  readonly address: string;
  /** Of a response, or 0. */
  readonly status: number;
  readonly text: string;
}

export function readCases(name: 'texts' | 'responses' | 'programs'): readonly Case[] {
  const content = readFileSync(new URL(`sample/${name}.txt`, import.meta.url), 'utf8');
  return content
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const [said = '', address = ''] = head.includes(' | ') ? head.split(' | ') : ['n', head];
      const [status, [judged = '', ...types]] = splitStatus(said.trim().split(/\s+/));
      const retryable = judged === '?' ? undefined : judged === 'y';
      return { retryable, types, address: address.trim(), status, text: lines.join('\n').trim() };
    });
}

function splitStatus(words: readonly string[]): readonly [status: number, rest: readonly string[]] {
  return /^\d{3}$/.test(words[0] ?? '') ? [Number(words[0]), words.slice(1)] : [0, words];
}
