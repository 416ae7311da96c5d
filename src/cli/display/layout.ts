/**
 * Lays out text for a terminal: breaks its lines, and removes control sequences that a server could send to the
 * terminal.
 */

import { styleText } from 'node:util';
import { plainText, wrap } from '../../report/plain-text.ts';
import { withoutDirectionMarks } from '../../runtime/direction-marks.ts';

export interface Look {
  /** Infinity: never break a line. */
  readonly columns: number;
  readonly colour: boolean;
}

export type Tone = 'waiting' | 'good' | 'bad' | 'quiet' | 'plain';

const STYLE = { waiting: 'yellow', good: 'green', bad: 'red', quiet: 'dim', plain: 'reset' } as const;
export const INDENT: string = '  ';

/** Removes what could move the cursor or change the colour from a text of several lines that comes in pieces. */
export function harmlessText(text: string): string {
  return withoutDirectionMarks(text.replace(/[^\P{Cc}\n\t]/gu, ''));
}

/** Breaks a text into lines, which are as wide as the terminal. Lines after the first are indented. */
export function layOut(text: string, tone: Tone, { columns, colour }: Look, firstIndent: string = ''): string[] {
  const lines = wrap(plainText(text), columns - INDENT.length).filter((line) => line !== '');
  return lines.map((line, index) => paint((index === 0 ? firstIndent : INDENT) + line, tone, colour));
}

export function paint(text: string, tone: Tone, colour: boolean): string {
  // The caller has checked its stream; by default styleText checks standard output.
  return colour && tone !== 'plain' ? styleText(STYLE[tone], text, { validateStream: false }) : text;
}
