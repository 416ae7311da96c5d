import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { harmless, harmlessText, layOut, widthOf } from '../../../src/cli/display/layout.ts';

const letters = (texts: readonly string[]) => texts.join('').replaceAll(' ', '');
const look = (columns: number, colour = false) => ({ columns, colour, keys: false });

describe('widthOf', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['⚠ — … ✓ ✗', 9],
    ['過負荷', 6],
    ['🙂', 2],
    ['e\u0301', 1],
    ['\u001B[33mabc\u001B[39m', 3],
  ])('counts the columns of %j as %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('harmless', () => {
  it.each([
    ['\u001B[2J\u001B]0;title\u0007text', 'text'],
    ['a\r\nb\tc', 'a b c'],
    ['a\u202Eb\u2028c\u009Bd', 'a b c'],
    ['  plain  ', 'plain'],
  ])('removes from %j what moves a cursor or turns the text', (text, expected) => {
    expect(harmless(text).startsWith(expected)).toBe(true);
    expect(harmless(text)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('keeps the lines of a longer text', () => {
    expect(harmlessText('a\n\tb\u001B[31m\rc')).toBe('a\n\tb[31mc');
    expect(harmlessText('a\u202Eb\u2066c\u200E👩‍💻')).toBe('abc👩‍💻');
  });
});

describe('layOut', () => {
  it.each([
    [['one', 'two'], 80, '', ['one two']],
    [['one', 'two'], 7, '', ['one two']],
    [['one', 'two'], 6, '', ['one', '  two']],
    [['one', 'two three'], 10, '', ['one', '  two', '  three']],
    [['abcdefgh'], 5, '', ['abcde', '  fgh']],
    [['one', 'abcdefghijk'], 6, '', ['one', '  abcd', '  efgh', '  ijk']],
    [['one two'], 80, '  ', ['  one two']],
    [['one two'], 6, '  ', ['  one', '  two']],
    [['', 'x'], 80, '', ['x']],
    [[''], 80, '', []],
  ])('fills %j into %i columns', (parts, columns, indent, lines) => {
    expect(layOut(parts, 'plain', look(columns), indent)).toEqual(lines);
  });

  it.each([
    ['waiting', 33],
    ['good', 32],
    ['bad', 31],
    ['quiet', 2],
  ] as const)('paints each line of its own: %s', (tone, code) => {
    const lines = layOut(['one', 'two'], tone, look(5, true));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(new RegExp(`^.\\[${code}m *\\w+.\\[\\d+m$`));
    expect(layOut(['one'], tone, look(5, false))).toEqual(['one']);
  });

  it('leaves plain text without colour', () => {
    expect(layOut(['one'], 'plain', look(5, true))).toEqual(['one']);
  });

  test.prop([fc.array(fc.string({ unit: 'binary' })), fc.integer({ min: 20, max: 100 }), fc.boolean()])(
    'never takes more columns than there are, whatever a server says',
    (parts, columns, colour) => {
      for (const line of layOut(parts, 'waiting', look(columns, colour), '  '))
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
    },
  );

  test.prop([fc.array(fc.stringMatching(/^[a-z ]*$/)), fc.integer({ min: 20, max: 100 })])(
    'loses no letter',
    (parts, columns) => {
      expect(letters(layOut(parts, 'plain', look(columns)))).toBe(letters(parts));
    },
  );
});
