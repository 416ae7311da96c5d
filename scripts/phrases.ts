/** Writes patterns in the form in which `src/classify/phrases.ts` reads them. */

import { ALSO, NEEDED, NEXT, plainIn } from '../src/classify/phrases.ts';

/** Shorter words are in many texts. */
const SHORTEST = 3;
/** Longer ones are in few. */
const ENOUGH = 6;
/** A longer pattern takes long to compile. */
const SLOW = 100;

/** A table of the alternatives of all sources. */
export function phrasesOf(sources: readonly string[]): string {
  const odd = sources.find((source) => [NEXT, NEEDED, ALSO].some((mark) => source.includes(mark)));
  if (odd !== undefined) throw new Error(`Expected no ${NEXT}, ${NEEDED} or ${ALSO} in a pattern: ${odd}`);
  return sources
    .flatMap(alternativesIn)
    .map((pattern) => markNeeded(inLowerCase(pattern), true))
    .join(NEXT);
}

/** The parts of a source: an escape, a class, a quantifier, a bracket that opens or closes a group, any other letter. */
const TOKEN = /\\(?:x..|u....|.)|\[(?:\\.|[^\]])*\]|\{\d*,?\d*\}\??|[*+?]\??|\(\?(?:[:=!]|<[=!])|[^]/g;

/** All searched texts are in lower case, or searched without regard to it. */
const inLowerCase = (pattern: string): string =>
  pattern.replace(TOKEN, (token) => (token.length === 1 ? token.toLowerCase() : token));

/** The alternatives of a source. */
function alternativesIn(source: string): readonly string[] {
  const found = [''];
  let depth = 0;
  for (const [token] of source.matchAll(TOKEN)) {
    if (token.startsWith('(')) depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0 && token === '|') found.push('');
    else found[found.length - 1] += token;
  }
  return found;
}

/**
 * A pattern with a mark before what it needs: its longest plain text, or where that is short, what each alternative of one of
 * its groups needs. A row needs no mark before its beginning, and a slow one says what it needs besides.
 */
function markNeeded(pattern: string, isRow = false): string {
  const tokens = Array.from(pattern.matchAll(TOKEN), ([token]) => token);
  let depth = 0;
  /** Where the plain texts and the groups begin and end, which are not in another group. */
  const texts: [start: number, end: number][] = [];
  const groups: [start: number, end: number][] = [];
  for (const [at, token] of tokens.entries()) {
    const mayBeMissing = /^(?:[?*]|\{0?,)/.test(tokens[at + 1] ?? '');
    if (token.startsWith('(')) {
      if (depth === 0) groups.push([at, -1]);
      depth += 1;
    } else if (token === ')') {
      depth -= 1;
      const [start = 0] = groups.at(-1) ?? [];
      if (depth === 0 && (mayBeMissing || !/^\((?:\?:)?$/.test(tokens[start] ?? ''))) groups.pop();
      else if (depth === 0) groups[groups.length - 1] = [start, at];
    } else if (depth === 0 && token.length === 1 && !/[.^$*+?]/.test(token) && !mayBeMissing) {
      const last = texts.at(-1);
      if (last?.[1] === at) last[1] = at + 1;
      else texts.push([at, at + 1]);
    }
  }
  const parts = [
    ...texts.map(([from, to]) => {
      const plain = tokens.slice(from, to).join('');
      // A plain text, if it is long enough, is better than any group.
      const worth = plain.length < SHORTEST ? plain.trim().length : plain.length + pattern.length;
      return { from, to, worth, shortest: plain.length, text: NEEDED + plain };
    }),
    ...groups.map(([opens, closes]) => {
      const rows = alternativesIn(tokens.slice(opens + 1, closes).join('')).map((each) => markNeeded(each));
      const shortest = Math.min(...rows.flatMap(neededIn).map(({ length }) => length));
      const worth = rows.every((row) => row.includes(NEEDED)) ? shortest : 0;
      return { from: opens + 1, to: closes, worth, shortest, text: rows.join('|') };
    }),
  ]
    .filter(({ worth }) => worth > 0)
    .toSorted((one, other) => other.worth - one.worth);
  const begins = tokens[0] === '\\b' ? 1 : 0;
  // The beginning will do if it is not much shorter.
  const isEnough = isRow && plainIn(pattern).length >= Math.min(parts[0]?.shortest ?? 1, ENOUGH);
  const [first, second] = isEnough ? [undefined, ...parts.filter(({ from }) => from !== begins)] : parts;
  if (first !== undefined) tokens.fill('', first.from, first.to).splice(first.from, 1, first.text);
  if (second !== undefined && second.worth >= SHORTEST && isRow && pattern.length > SLOW)
    tokens.fill('', second.from, second.to).splice(second.from, 1, second.text.replaceAll(NEEDED, ALSO));
  return tokens.join('');
}

/** The marked words of a row. */
const neededIn = (row: string): readonly string[] => row.split(NEEDED).slice(1).map(plainIn);
