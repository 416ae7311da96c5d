/**
 * Tables of patterns that are searched in a text. To compile them all for the first text would cost a program 80 ms, so each
 * pattern is compiled when a text has the words that it needs. Whether a text may have them is known from three of their
 * letters: the text is read once, and sets a mark for each three letters in it.
 */

/** Between two patterns of a table, and before each of the words of which a pattern needs one. `scripts/phrases.ts` writes both. */
const [NEXT, NEEDED] = ['~', '`'];
/** The plain text at the beginning of a pattern, or behind a mark. A pattern without a mark needs that at its beginning. */
export const PLAIN: RegExp = /^(?:\\b)?([^\\[(.^$|)?*+{]*)(?![?*{])/;

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
/** Of all texts: a mark that has the number of the round is one of the text. The last is one of every text. */
const marks = /* @__PURE__ */ new Uint32Array(MARKS + 1);
let round = 0;

const markAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % MARKS;

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
      for (const written of source.split(NEXT)) {
        const row: Row<T> = { shows: shows as T, written, pattern: undefined };
        const [beginning = '', ...marked] = written.split(NEEDED);
        for (const part of marked.length > 0 ? marked : [beginning]) {
          const words = PLAIN.exec(part)?.[1] ?? '';
          needed.push({ mark: words.length < LETTERS ? MARKS : markAt(words, 0), words, row });
        }
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
    const searched = this.#flags.includes('i') ? text.toLowerCase() : text;
    round += 1;
    marks[MARKS] = round;
    for (let at = 0; at + LETTERS <= searched.length; at += 1) marks[markAt(searched, at)] = round;
    let found: Row<T> | undefined;
    let least = Infinity;
    for (const { mark, words, row } of this.#needed) {
      if (marks[mark] !== round || !searched.includes(words) || counts?.(row.shows) === false) continue;
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
