/**
 * Tables of patterns that are searched in a text. To compile them all for the first text would cost a program 80 ms, so each
 * pattern is compiled when a text has the words that it needs. Whether a text may have them is known from three of their
 * letters: the text is read once, and sets a mark for each three letters in it.
 */

/** Between two patterns of a table. `scripts/phrases.ts` writes the tables. */
export const NEXT = '~';
/** Before each of the words of which a pattern needs one. */
export const NEEDED = '`';
/** Before each of the words of which it needs one besides. */
export const ALSO = '#';
const MARK = /[`#]/g;
const SPECIAL = /[\\[(.^$|)?*+{`#]/;
const MAY_BE_MISSING = /[?*{]/;

/** The plain text at the beginning of a pattern, or behind a mark. A pattern without a mark needs that at its beginning. */
export function plainIn(part: string): string {
  const words = part.startsWith('\\b') ? part.slice(2) : part;
  const end = words.search(SPECIAL);
  if (end === -1) return words;
  return words.slice(0, MAY_BE_MISSING.test(words.charAt(end)) ? Math.max(0, end - 1) : end);
}

/** Words, with the number of their mark. */
interface Needed {
  readonly mark: number;
  readonly words: string;
}

interface Row<T> {
  readonly shows: T;
  readonly written: string;
  /** Words of which a text must have one. */
  readonly needed: readonly Needed[];
  pattern: RegExp | undefined;
}

const LETTERS = 3;
const MARKS = 4_096;

/** A text in lower case and its marks, which are 1 where the text has such letters. The last is one of every text. */
interface Marked {
  readonly text: string;
  readonly lower: string;
  readonly marks: Uint8Array;
}

/** The texts that were searched last: many tables are searched for each. */
const seen: Marked[] = [];
const MAX_SEEN = 4;

const markAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 8) ^ (text.charCodeAt(at + 1) << 4) ^ text.charCodeAt(at + 2)) & (MARKS - 1);

function markedOf(text: string): Marked {
  const known = seen.find((each) => each.text === text);
  if (known !== undefined) return known;
  const lower = text.toLowerCase();
  const marks = new Uint8Array(MARKS + 1);
  marks[MARKS] = 1;
  for (let at = 0; at + LETTERS <= lower.length; at += 1) marks[markAt(lower, at)] = 1;
  const marked = { text, lower, marks };
  if (seen.unshift(marked) > MAX_SEEN) seen.pop();
  return marked;
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
      source.split(NEXT).map((written) => {
        const parts = written.split(NEEDED);
        const needed = (parts.length === 1 ? parts : parts.slice(1)).map((part) => {
          const words = plainIn(part);
          return { mark: words.length < LETTERS ? MARKS : markAt(words, 0), words };
        });
        return { shows: shows as T, written, needed, pattern: undefined };
      }),
    );
  }

  /** Whether a pattern matches. */
  isIn(text: string): boolean {
    return this.find(text) !== undefined;
  }

  /** What the first pattern that matches shows. */
  find(text: string, counts: (shows: T) => boolean = () => true): T | undefined {
    for (const { shows, pattern } of this.#rowsFor(text)) if (counts(shows) && pattern.test(text)) return shows;
    return undefined;
  }

  /** What the pattern shows that matches at the first place. */
  findFirst(text: string): T | undefined {
    let found: T | undefined;
    let least = Infinity;
    for (const { shows, pattern } of this.#rowsFor(text)) {
      const place = text.search(pattern);
      if (place !== -1 && place < least) [found, least] = [shows, place];
    }
    return found;
  }

  /** A text without what the patterns match, which have no groups that capture. */
  without(text: string): string {
    let rest = text;
    for (const { pattern } of this.#rowsFor(text)) rest = rest.split(pattern).join(' ');
    return rest;
  }

  /** The rows whose words are in a text, in order. */
  *#rowsFor(text: string): Generator<{ readonly shows: T; readonly pattern: RegExp }> {
    const { lower, marks } = markedOf(text);
    const searched = this.#flags.includes('i') ? lower : text;
    for (const row of this.#rows) {
      if (!hasOneOf(row.needed, marks, searched)) continue;
      if (row.pattern === undefined && lacks(row.written, searched)) continue;
      row.pattern ??= new RegExp(this.#wrap(row.written.replace(MARK, '')), this.#flags);
      yield { shows: row.shows, pattern: row.pattern };
    }
  }
}

/** A loop of its own, because a closure for each of a thousand rows would take half of the time. */
function hasOneOf(needed: readonly Needed[], marks: Uint8Array, text: string): boolean {
  for (const { mark, words } of needed) if (marks[mark] === 1 && text.includes(words)) return true;
  return false;
}

/** Whether a text has none of the words that a pattern needs besides. */
function lacks(written: string, text: string): boolean {
  const [, ...parts] = written.split(ALSO);
  return parts.length > 0 && !parts.some((part) => text.includes(plainIn(part)));
}

/** A table of patterns that show only that one matches. It is read when it is first asked for. */
export function phrasesIn(source: string, flags?: string, wrap?: (pattern: string) => string): () => Phrases<'yes'> {
  let phrases: Phrases<'yes'> | undefined;
  return () => (phrases ??= new Phrases({ yes: source }, flags, wrap));
}
