import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { firstBytes, textOf } from '../../src/runtime/first-bytes.ts';

it.each([
  ['ascii', 8, 'ascii'],
  ['abcdef', 4, 'abcd'],
  ['ééé', 5, 'éé'],
  ['a😀', 4, 'a'],
  ['', 0, ''],
])('of %j, %i bytes hold %j', (text, most, kept) => {
  expect(firstBytes(text, most)).toBe(kept);
});

it('the text of a body is that of its bytes, itself, or none', () => {
  expect([new TextEncoder().encode('é'), 'é', undefined].map(textOf)).toEqual(['é', 'é', undefined]);
});

test.prop([fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 })])(
  'what is kept is a beginning, fits, and leaves no room for one more character',
  (text, most) => {
    const kept = firstBytes(text, most);
    const size = (part: string): number => new TextEncoder().encode(part).byteLength;
    const [next = ''] = text.slice(kept.length);
    expect(text.startsWith(kept)).toBe(true);
    expect(size(kept)).toBeLessThanOrEqual(most);
    expect(kept === text || size(kept + next) > most).toBe(true);
  },
);
