import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { pad, plainText, widthOf, wrap } from '../../src/report/plain-text.ts';
import { anyCharacter } from '../any-character.ts';

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\u001B',
      '[',
      '3',
      '1',
      'm',
      ']',
      '\u0007',
      '\u009B',
      '日',
      '👍',
      '\u0301',
      '\u202E',
    ),
  }),
);

describe('plain text', () => {
  it.each([
    ['\u001B[31mred\u001B[0m', 'red'],
    ['\u001B]0;title\u0007after', 'after'],
    ['\u001B]8;;https://x.example\u0007link\u001B]8;;\u0007', 'link'],
    ['a\r\nb\tc\u0085d\u2028e', 'a b c d e'],
    ['\u009B2Jx', 'x'],
    ['left\u202Etxet\u202C', 'lefttxet'],
    ['zero\u200Bwidth\uFEFF', 'zerowidth'],
    ['nul\u0000bel\u0007del\u007F', 'nulbeldel'],
    ['lone\uD800', 'lone'],
    ['  edges  ', 'edges'],
  ])('of %j is %j', (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  test.prop([anyText])('has only visible characters, and does not change again', (text) => {
    const plain = plainText(text);
    expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(plainText(plain)).toBe(plain);
  });
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['한국어', 6],
    ['ＡＢ', 4],
    ['👍', 2],
    ['🇩🇪', 2],
    ['e\u0301', 1],
    ['×“”─', 4],
    ['', 0],
  ])('%s takes %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });
});

describe('wrapping', () => {
  it.each([
    ['one two three', 8, ['one two', 'three']],
    ['one two', 7, ['one two']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['ab abcdefgh', 4, ['ab', 'abcd', 'efgh']],
    ['日本語', 4, ['日本', '語']],
    ['', 4, ['']],
  ])('breaks %j at %i', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test.prop([anyText, fc.integer({ min: 2, max: 40 })])('loses only spaces and fits', (text, width) => {
    const plain = plainText(text);
    const lines = wrap(plain, width);
    expect(lines.join('').replaceAll(' ', '')).toBe(plain.replaceAll(' ', ''));
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });
});

describe('padding', () => {
  it('counts columns and never cuts', () => {
    expect(pad('日', 4)).toBe('日  ');
    expect(pad('abcdef', 4)).toBe('abcdef');
  });
});
