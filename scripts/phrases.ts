/** Writes patterns in the form in which `src/classify/phrases.ts` reads them. */

import { PART } from '../src/classify/phrases.ts';

/** Between two patterns, and before each of the words of which a pattern needs one. */
const [NEXT, NEEDED] = ['~', '`'];
/** Shorter words are in many texts. */
const SHORTEST = 3;
/** Longer ones are in few. */
const ENOUGH = 6;

/** A table of the alternatives of all sources. */
export function phrasesOf(sources: readonly string[]): string {
  const rows = sources.flatMap(alternativesIn).map((pattern) => {
    const lower = inLowerCase(pattern);
    const row = markNeeded(lower);
    const shortest = Math.min(...neededIn(row).map(({ length }) => length));
    const beginning = plainIn(lower);
    // The beginning will do if it is not much shorter, or if nothing is needed.
    return beginning.length >= Math.min(shortest, ENOUGH) || (beginning === '' && !row.includes(NEEDED)) ? lower : row;
  });
  const odd = sources.find((source) => source.includes(NEXT) || source.includes(NEEDED));
  if (odd !== undefined) throw new Error(`Expected neither ${NEXT} nor ${NEEDED} in a pattern: ${odd}`);
  return rows.join(NEXT);
}

const plainIn = (pattern: string): string => `${NEXT}${pattern}`.matchAll(PART).next().value?.[2] ?? '';

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
 * its groups needs.
 */
function markNeeded(pattern: string): string {
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
  const longest = texts.reduce((one, other) => (other[1] - other[0] > one[1] - one[0] ? other : one), [0, 0]);
  const [start, end] = longest;
  const put = (from: number, to: number, text: string): string =>
    tokens.slice(0, from).join('') + text + tokens.slice(to).join('');
  const plain = tokens.slice(start, end).join('');
  if (plain.length >= SHORTEST) return put(start, end, NEEDED + plain);
  const marked = groups.map(([opens, closes]) => {
    const rows = alternativesIn(tokens.slice(opens + 1, closes).join('')).map(markNeeded);
    const shortest = Math.min(...rows.flatMap(neededIn).map(({ length }) => length));
    return {
      shortest: rows.every((row) => row.includes(NEEDED)) ? shortest : 0,
      row: put(opens + 1, closes, rows.join('|')),
    };
  });
  const best = marked.reduce((one, other) => (other.shortest > one.shortest ? other : one), {
    shortest: 0,
    row: pattern,
  });
  if (best.shortest > plain.trim().length) return best.row;
  return plain.trim() === '' ? pattern : put(start, end, NEEDED + plain);
}

/** The marked words of a row. */
const neededIn = (row: string): readonly string[] =>
  row
    .split(NEEDED)
    .slice(1)
    .map((part) => plainIn(part));
