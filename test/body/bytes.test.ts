import { expect, test } from 'vitest';
import { Bytes, concat, inParts, isBytes } from '../../src/body/bytes.ts';

test('bytes are taken in the order in which they were added, however the memory grows', () => {
  const bytes = new Bytes();
  const taken: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    bytes.add(Uint8Array.from({ length: round }, (_, index) => (round + index) % 256));
    const view = bytes.view.subarray(0, (round * 7) % 200);
    taken.push(...view);
    bytes.drop(view.length);
  }
  taken.push(...bytes.view);
  expect(taken).toEqual(
    Array.from({ length: 300 }, (_, round) =>
      Array.from({ length: round }, (_each, index) => (round + index) % 256),
    ).flat(),
  );
  bytes.drop(Infinity);
  expect([bytes.length, bytes.view.length]).toEqual([0, 0]);
});

test('chunks are joined up to a number of bytes', () => {
  const chunks = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6), Uint8Array.of(7)];
  expect(concat(chunks, 4)).toEqual(Uint8Array.of(1, 2, 3, 4));
  expect(concat(chunks, 6)).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6));
  expect(concat(chunks, 99)).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7));
  expect(concat([], 4)).toEqual(new Uint8Array());
});

test('bytes are handed on in short parts', () => {
  const sizes: number[] = [];
  expect(inParts(new Uint8Array(9_000), (part) => sizes.push(part.length) === 2)).toBe(true);
  expect(sizes).toEqual([4_096, 4_096, 808]);
  expect(inParts(new Uint8Array(), () => true)).toBe(false);
});

test('a Uint8Array of any class is bytes', () => {
  expect([isBytes(Buffer.from('x')), isBytes(new Uint16Array(1)), isBytes('x')]).toEqual([true, false, false]);
});
