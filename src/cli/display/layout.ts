/**
 * Lays out text for a terminal: measures it, breaks its lines, and removes control sequences that a server could send
 * to the terminal.
 */

import { stripVTControlCharacters, styleText } from 'node:util';
import { widthOf as widthOfPlain } from '../../report/plain-text.ts';
import { withoutDirectionMarks } from '../../runtime/direction-marks.ts';

/** The appearance of lines. */
export interface Look {
  /** Infinity: never break a line. */
  readonly columns: number;
  readonly colour: boolean;
}

export type Tone = 'waiting' | 'good' | 'bad' | 'quiet' | 'plain';

const STYLE = { waiting: 'yellow', good: 'green', bad: 'red', quiet: 'dim', plain: 'reset' } as const;
export const INDENT: string = '  ';
const CHARACTERS = new Intl.Segmenter();

/** The number of columns of a text, colour codes excluded. */
export function widthOf(text: string): number {
  return widthOfPlain(stripVTControlCharacters(text).replace(/\p{Cf}+/gu, ''));
}

/** Removes characters that move the cursor, set a title or change the direction of reading. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** The same for multi-line text that comes in pieces. */
export function harmlessText(text: string): string {
  return withoutDirectionMarks(text.replace(/[^\P{Cc}\n\t]/gu, ''));
}

/**
 * Fills lines with parts. A part that fits into a line stays whole; a longer one is broken between words, and a word
 * that is too long is broken anywhere. Lines after the first are indented.
 */
export function layOut(
  parts: readonly string[],
  tone: Tone,
  { columns, colour }: Look,
  firstIndent: string = '',
): string[] {
  const lines: string[] = [];
  let line = firstIndent;
  const add = (piece: string): boolean => {
    const longer = line.trim() === '' ? line + piece : `${line} ${piece}`;
    if (widthOf(longer) > columns) return false;
    line = longer;
    return true;
  };
  const turn = (): void => {
    lines.push(line);
    line = INDENT;
  };
  const place = (
    piece: string,
    split: (piece: string) => readonly string[],
    smaller: (piece: string) => void,
  ): void => {
    if (add(piece)) return;
    if (line.trim() !== '') {
      turn();
      if (add(piece)) return;
    }
    for (const bit of split(piece)) smaller(bit);
  };
  const placeCharacter = (character: string): void => {
    if (widthOf(line + character) > columns && line.trim() !== '') turn();
    line += character;
  };
  const placeWord = (word: string): void => place(word, charactersOf, placeCharacter);
  for (const part of parts) place(harmless(part), (piece) => piece.split(' '), placeWord);
  if (line.trim() !== '') lines.push(line);
  return lines.map((text) => paint(text, tone, colour));
}

function charactersOf(text: string): string[] {
  return Array.from(CHARACTERS.segment(text), ({ segment }) => segment);
}

/** A text in the colour of its tone. */
export function paint(text: string, tone: Tone, colour: boolean): string {
  // The caller has checked its stream; by default styleText checks standard output.
  return colour && tone !== 'plain' ? styleText(STYLE[tone], text, { validateStream: false }) : text;
}
