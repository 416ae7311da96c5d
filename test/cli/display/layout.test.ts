import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { harmlessText, layOut } from '../../../src/cli/display/layout.ts';
import { widthOf } from '../../../src/report/plain-text.ts';
import { anyCharacter } from '../../any-character.ts';

const look = (columns: number, colour = false) => ({ columns, colour });

test('a text of several lines keeps them', () => {
  expect(harmlessText('a\n\tb\u001B[31m\rc')).toBe('a\n\tb[31mc');
});

describe('layOut', () => {
  it.each([
    ['one two', 80, '', ['one two']],
    ['one two', 9, '', ['one two']],
    ['one two', 8, '', ['one', '  two']],
    ['abcdefgh', 7, '', ['abcde', '  fgh']],
    ['one two', 8, '  ', ['  one', '  two']],
    ['', 80, '', []],
    ['a\u001B[2J\r\nb\u202E', 80, '', ['a b']],
    ['one two', Number.POSITIVE_INFINITY, '', ['one two']],
  ])('breaks %j into %d columns', (text, columns, indent, lines) => {
    expect(layOut(text, 'plain', look(columns), indent)).toEqual(lines);
  });

  it.each([
    ['waiting', 33],
    ['good', 32],
    ['bad', 31],
    ['quiet', 2],
  ] as const)('paints each line of its own: %s', (tone, code) => {
    const lines = layOut('one two', tone, look(5, true));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(new RegExp(`^.\\[${code}m *\\w+.\\[\\d+m$`));
    expect(layOut('one', tone, look(5, false))).toEqual(['one']);
  });

  it('leaves plain text without colour', () => {
    expect(layOut('one', 'plain', look(5, true))).toEqual(['one']);
  });

  test.prop([fc.string({ unit: anyCharacter }), fc.integer({ min: 20, max: 100 })])(
    'never takes more columns than there are, whatever a server says',
    (text, columns) => {
      for (const line of layOut(text, 'waiting', look(columns), '  '))
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
    },
  );
});
