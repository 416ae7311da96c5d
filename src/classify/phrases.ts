/**
 * Tables of patterns that are searched in a text. To compile them all for the first text would cost a program 80 ms, so each
 * pattern is compiled when a text has the words that it needs. Whether a text may have them is known from three of their
 * letters: the text is read once, and sets a mark for each three letters in it.
 */

/** Between two patterns of a table, and before each of the words of which a pattern needs one. `scripts/phrases.ts` writes both. */
const [NEXT, NEEDED] = ['~', '`'];
/** The plain text at the beginning of a pattern, or behind a mark. A pattern without a mark needs that at its beginning. */
export const PART: RegExp = /([~`])(?:\\b)?((?:[^\\[(.^$|)?*+{~`]+(?![?*{]))?)/g;

interface Row<T> {
  readonly shows: T;
  readonly written: string;
  pattern: RegExp | undefined;
}

/** Words that a row needs, with the number of their mark. */
interface Needed<T> {
  readonly mark: number;
  readonly words: string;
  readonly row: Row<T>;
}

const LETTERS = 3;
const MARKS = 4_096;

/** A text in lower case and its marks, each of which has the number of the text. The last is one of every text. */
interface Marked {
  text: string;
  lower: string;
  number: number;
  readonly marks: Uint32Array;
}

/** The texts that were searched last: many tables are searched for each. */
const seen: Marked[] = [];
const MAX_SEEN = 4;
let number = 0;

const markAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 8) ^ (text.charCodeAt(at + 1) << 4) ^ text.charCodeAt(at + 2)) & (MARKS - 1);

function markedOf(text: string): Marked {
  const known = seen.find((each) => each.text === text);
  if (known !== undefined) return known;
  const marked = (seen[number % MAX_SEEN] ??= { text, lower: text, number, marks: new Uint32Array(MARKS + 1) });
  number += 1;
  const lower = text.toLowerCase();
  Object.assign(marked, { text, lower, number });
  marked.marks[MARKS] = number;
  for (let at = 0; at + LETTERS <= lower.length; at += 1) marked.marks[markAt(lower, at)] = number;
  return marked;
}

export class Phrases<T extends string> {
  /** In the order of the rows. */
  readonly #needed: readonly Needed<T>[];
  readonly #flags: string;
  readonly #wrap: (pattern: string) => string;

  /** `sources`: patterns, by what they show. They count in their order. `wrap` adds what stands around each pattern. */
  constructor(
    sources: Readonly<Partial<Record<T, string>>>,
    flags = '',
    wrap: (pattern: string) => string = (pattern) => pattern,
  ) {
    this.#flags = flags;
    this.#wrap = wrap;
    const needed: Needed<T>[] = [];
    for (const [shows, source = ''] of Object.entries<string | undefined>(sources)) {
      const rows = source.split(NEXT).values();
      let row: Row<T> | undefined;
      let beginning = -1;
      for (const [, before, words = ''] of `${NEXT}${source}`.matchAll(PART)) {
        if (before !== NEEDED) {
          row = { shows: shows as T, written: rows.next().value ?? '', pattern: undefined };
          beginning = needed.length;
        } else if (beginning !== -1) {
          needed.length = beginning;
          beginning = -1;
        }
        if (row) needed.push({ mark: words.length < LETTERS ? MARKS : markAt(words, 0), words, row });
      }
    }
    this.#needed = needed;
  }

  /** Whether a pattern matches. */
  isIn(text: string): boolean {
    return this.#search(text) !== undefined;
  }

  /** What the first pattern that matches shows. */
  find(text: string, counts?: (shows: T) => boolean): T | undefined {
    return this.#search(text, counts)?.shows;
  }

  /** What the pattern shows that matches at the first place. */
  findFirst(text: string): T | undefined {
    return this.#search(text, undefined, (pattern) => text.search(pattern))?.shows;
  }

  /** A text without what the first pattern matches. */
  without(text: string): string {
    const pattern = this.#search(text)?.pattern;
    return pattern === undefined ? text : text.replace(pattern, ' ');
  }

  /** The row that matches at the least place. -1: it does not match; 0: no place is less. */
  #search(
    text: string,
    counts?: (shows: T) => boolean,
    placeIn = (pattern: RegExp): number => (pattern.test(text) ? 0 : -1),
  ): Row<T> | undefined {
    const { lower, marks, number: own } = markedOf(text);
    const searched = this.#flags.includes('i') ? lower : text;
    let found: Row<T> | undefined;
    let least = Infinity;
    for (const { mark, words, row } of this.#needed) {
      if (marks[mark] !== own || !searched.includes(words) || counts?.(row.shows) === false) continue;
      const place = placeIn((row.pattern ??= new RegExp(this.#wrap(row.written.replaceAll(NEEDED, '')), this.#flags)));
      if (place < 0 || place >= least) continue;
      [found, least] = [row, place];
      if (place === 0) break;
    }
    return found;
  }
}

/** A table of patterns that show only that one matches. It is read when it is first asked for. */
export function phrasesIn(source: string, flags?: string, wrap?: (pattern: string) => string): () => Phrases<'yes'> {
  let phrases: Phrases<'yes'> | undefined;
  return () => (phrases ??= new Phrases({ yes: source }, flags, wrap));
}
