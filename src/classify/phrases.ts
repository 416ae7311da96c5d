/**
 * Tables of patterns that are searched in a text. To compile them all for the first text would cost a program 80 ms, so each
 * pattern is compiled when a text has the words that it needs. Whether a text may have them is known from three of their
 * letters: the text is read once, and sets a mark for each three letters in it.
 */

/** Between two patterns of a table, and around each of the words of which a pattern needs one. `scripts/rulebook.ts` writes both. */
const [NEXT, NEEDED] = ['~', '`'];

interface Row<T> {
  readonly shows: T;
  /** The pattern, cut around the words that it needs: these are every second part. */
  readonly parts: readonly string[];
  pattern: RegExp | undefined;
}

const LETTERS = 3;
/** Of all texts: a mark that has the number of the round is one of the text. */
const marks = /* @__PURE__ */ new Uint32Array(4_096);
let round = 0;

const markAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % marks.length;

/** Whether a text that has set its marks has what a pattern needs. One without a cut is plain text. */
function mayMatch(text: string, parts: readonly string[]): boolean {
  for (let at = parts.length === 1 ? 0 : 1; at < parts.length; at += 2) {
    const words = parts[at] ?? '';
    if ((words.length < LETTERS || marks[markAt(words, 0)] === round) && text.includes(words)) return true;
  }
  return false;
}

export class Phrases<T extends string> {
  readonly #rows: readonly Row<T>[];
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
    this.#rows = Object.entries<string | undefined>(sources).flatMap(([shows, source = '']) =>
      source.split(NEXT).map((row) => ({ shows: shows as T, parts: row.split(NEEDED), pattern: undefined })),
    );
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
    const words = this.#flags.includes('i') ? text.toLowerCase() : text;
    round += 1;
    for (let at = 0; at + LETTERS <= words.length; at += 1) marks[markAt(words, at)] = round;
    let found: Row<T> | undefined;
    let least = Infinity;
    for (const row of this.#rows) {
      if (!mayMatch(words, row.parts) || counts?.(row.shows) === false) continue;
      const place = placeIn((row.pattern ??= new RegExp(this.#wrap(row.parts.join('')), this.#flags)));
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
