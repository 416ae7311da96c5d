/** Makes foreign text safe for one line of a terminal, and measures and wraps text in columns. */

import { stripVTControlCharacters } from 'node:util';

/** Two columns in a terminal: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
/** Two of them form one flag. */
const HALF_FLAG = /[\u{1f1e6}-\u{1f1ff}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;

/**
 * One line of visible characters: without escape sequences, control characters and characters that change the direction
 * of reading, join or hide others. White space and line breaks become one space.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\t-\r\u0085\u2028\u2029]/gu, ' ')
    .replace(/[\p{C}\ufe00-\ufe0f]+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) && !HALF_FLAG.test(character) ? 2 : 1;
  }
  return width;
}

/**
 * Breaks a plain text into lines of at most `width` (from 2) columns: between words, and inside a word that is too
 * long.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => chop(whole, width))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function chop(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const columns = widthOf(character);
    if (used + columns > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
